"""The shipped talk is sound, and the tour answers what it asks."""

from datetime import datetime

import pytest

from fabula import demo
from fabula.abc import Embedder
from fabula.providers.bundled import bundled
from fabula.testing import HashEmbedder
from fabula.text import script


def test_the_talk_is_whole_and_in_order() -> None:
    told = demo.script()
    times = [message.time for message in told.messages]
    assert 40 <= len(times) <= 60
    assert all(isinstance(time, datetime) for time in times)
    assert times == sorted(times, key=str)
    assert len({message.id for message in told.messages}) == len(times)
    assert len({message.session for message in told.messages}) == 3
    assert {script(message.content) for message in told.messages} == {"han", "latin"}


def test_the_questions_cross_languages_both_ways_and_one_has_no_answer() -> None:
    told = demo.script()
    by_id = {message.id: message for message in told.messages}
    pairs = {(script(q.text), script(by_id[answer].content)) for q in told.questions for answer in q.answers}
    assert pairs == {("han", "han"), ("latin", "latin"), ("han", "latin"), ("latin", "han")}
    assert [q.text for q in told.questions if not q.answers] == ["What is Theo's shoe size?"]


async def asked(embedder: Embedder | None) -> list[demo.Answered]:
    return [answer async for answer in demo.answers(embedder)]


@pytest.mark.parametrize("embedder", [None, HashEmbedder()])
async def test_every_question_gets_hits_and_their_reasons(embedder: Embedder | None) -> None:
    answers = await asked(embedder)
    assert [answer.question for answer in answers] == list(demo.script().questions)
    assert all(answer.found.trace for answer in answers if answer.found)
    assert sum(len(answer.found.hits) for answer in answers) >= 8


@pytest.mark.slow
async def test_the_answers_are_among_what_comes_back() -> None:
    missed = [
        answer.question.text
        for answer in await asked(bundled())
        if answer.question.answers
        and not set(answer.question.answers) & {getattr(hit.record, "ref", None) for hit in answer.found.hits}
    ]
    assert missed == []

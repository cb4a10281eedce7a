"""Cleaning, folding, tokens and terms, in English and Chinese alike."""

from __future__ import annotations

import sys
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.abc import Terms
from fabula.errors import InvalidInput
from fabula.postings import POSTING
from fabula.text import (
    AHEAD,
    ANALYZER,
    INSIDE,
    TIMED,
    analyse,
    clean,
    estimate_tokens,
    fold,
    hash_term,
    identifier,
    query_terms,
    script,
    stop,
    tokens,
)

# `st.text()` leaves surrogates out; these are what broken JSON and broken exports bring.
ANY_TEXT = st.text(
    st.characters() | st.characters(categories=["Cs"]) | st.sampled_from("\0'’.+#-_?？ i\u0307\u200b我的养鲸")
)
HAN_TEXT = st.text(
    st.sampled_from("我在杭州学潜水他养了一只蓝鲸喝咖啡过敏青霉素的什么时候哪里多少自己如果太可以王建国小宇"),
    min_size=1,
)


def found(query: str, text: str) -> bool:
    return bool(set(query_terms(query)) & set(tokens(text)))


# --- clean -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("plain", "plain"),
        ("ab\x00cd", "abcd"),  # B076
        ("é\x00", "é"),
        ("ok \ud83d", "ok \ufffd"),  # B077
        ("\ud83d", "\ufffd"),
        ("\udf78\ud83c", "\ufffd\ufffd"),
        ("\ud83c\udf78!", "🍸!"),
        ("\ud83c\0\udf78", "🍸"),
        ("jose\u0301", "jos\u00e9"),
        ("👩\u200d👩\u200d👧 a\u200bb", "👩\u200d👩\u200d👧 a\u200bb"),
        ("Ａ  b\t\n c", "Ａ  b\t\n c"),
        ("", ""),
    ],
)
def test_clean_mends_what_no_database_takes_and_nothing_else(text: str, want: str) -> None:
    assert clean(text) == want


@given(ANY_TEXT)
def test_clean_text_can_be_stored_and_stays_clean(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert "\0" not in once
    assert unicodedata.is_normalized("NFC", once)
    once.encode("utf-8")


# --- identifier ------------------------------------------------------------------------------------------------


def test_b069_both_spellings_are_one_id_and_width_is_kept() -> None:
    assert identifier("jose\u0301", "user id") == identifier("jos\u00e9", "user id") == "jos\u00e9"
    assert identifier("Ａlice", "user id") == "Ａlice"
    assert identifier(" a B ", "user id") == " a B "
    assert identifier("👩\u200d👧", "user id") == "👩\u200d👧"


@pytest.mark.parametrize(
    "value", ["", " ", "\u3000", "\u200b", "\ufeff ", "a\nb", "a\0", "\x7f", "\x85", "x\ud83d", None, 7, b"a"]
)
def test_an_id_that_cannot_be_meant_is_refused_by_name(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"^message id ") as caught:
        identifier(value, "message id")
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


# --- fold ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "group",
    [
        ("小米", "小米\u200b", "\ufeff小米 ", "小\u200d米"),
        ("ＸＩＡＯＭＩ", "Xiaomi", "xiao\u00admi"),
        ("İstanbul", "istanbul", "ISTANBUL", "I\u0307stanbul"),
        ("Straße", "STRASSE"),
        ("a  b", "A\u3000B", " a\n\tb "),
        ("O’Neil", "o'neil", "OʼNEIL"),
        ("❤️", "❤"),
    ],
)
def test_b075_variants_fold_to_one_form(group: tuple[str, ...]) -> None:
    assert len({fold(name) for name in group}) == 1
    assert fold(group[0])


def test_fold_keeps_apart_what_differs() -> None:
    assert (
        len(
            {
                fold(name)
                for name in ("小米", "大米", "스코프랩스", "스코프 랩스", "josé", "jose", "Île", "東京", "Ωmega")
            }
        )
        == 9
    )


@given(ANY_TEXT)
def test_folding_again_changes_nothing(text: str) -> None:
    once = fold(text)
    assert fold(once) == once
    assert once == once.strip()


# --- script ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("I moved to Hangzhou.", "latin"),
        ("Müller isst Käse", "latin"),
        ("我在杭州学潜水", "han"),
        ("上周从 Google 离职了", "han"),
        ("Java 老师", "han"),
        ("We talked about 小米 and its new phones again", "latin"),
        ("Я живу в Москве", "other"),
        ("東京に行きました。とても楽しかったです", "other"),
        ("서울에 살아요", "other"),
        ("2031-04-02 🍸 !?", "other"),
        ("é — 12", "latin"),
        ("", "other"),
    ],
)
def test_script_of_most_letters(text: str, want: str) -> None:
    assert script(text) == want


# --- tokens ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("kite-surf on 2031-04-02", ["kite", "surf", "on", "2031", "04", "02"]),  # B037
        ("C++ and C# notes", ["c++", "and", "c#", "note"]),
        ("我学C++和C#，还有F#", ["我", "学", "c++", "和", "c#", "还有", "还", "有", "f#"]),
        ("c++17, .NET Core, asp.net, #5", ["c++", "17", ".net", "core", "asp", "net", "5"]),
        ("don't forget O'Neil's", ["don't", "forget", "o'neil", "neil"]),
        ("Don’t", ["don't"]),
        ("Running dogs' heads, Caroline's", ["run", "dog", "head", "carolin"]),
        ("pi is 3.14. Next", ["pi", "is", "3.14", "next"]),
        (
            "2031.04.02 v1.2 1,000 1,234,567.89 a/b_c",
            ["2031", "04", "02", "v1", "2", "1000", "1234567.89", "a", "b", "c"],
        ),
        ("José's café", ["josé", "jose", "café", "cafe"]),
        ("Привет, мир", ["привет", "мир"]),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा"]),
        ("İstanbul", ["istanbul"]),
        ("🍸👩\u200d👧 1\ufe0f\u20e3 … ！？", []),
        ("iPhone手机15", ["iphon", "手机", "手", "机", "15"]),
        ("西湖区", ["西湖", "湖区", "西湖区", "西", "湖", "区"]),
        ("小宇对青霉素过敏", ["小宇", "青霉", "霉素", "青霉素", "过敏", *"小宇对青霉素过敏"]),
        ("多多乖", ["多多", "多", "多", "乖"]),
        ("서울에", ["서울에", "서울", "울에"]),
        ("カメラ", ["カメ", "メラ"]),
        ("あ", ["あ"]),
        ("", []),
    ],
)
def test_tokens(text: str, want: list[str]) -> None:
    assert tokens(text) == want, f"raise ANALYZER (now {ANALYZER}) when terms change on purpose"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("kite-surf", "kite-surf on 2031-04-02"),
        ("2031-04-02", "kite-surf on 2031-04-02"),
        ("C++", "C++ and C# notes"),
        ("don't", "don't forget O'Neil"),
        ("neil", "don't forget O'Neil"),
        ("oʼneil", "don't forget O’Neil"),
        ("jose", "with José"),
        ("cafe", "two cafés"),
        ("surfing", "we surf"),
        ("jasmine", "jasmine tea"),  # B042
        ("潜水", "我在杭州学潜水"),  # B040
        ("杭州", "我在杭州学潜水"),
        ("西湖", "我住西湖区"),
        ("养", "他养了一只猫"),
        ("蓝鲸", "暗号是蓝鲸42"),
        ("42", "暗号是蓝鲸42"),
        ("我太太喜欢什么", "太太爱喝茶"),
        ("多多", "我家多多少吃了"),
        ("서울", "서울에 살아요"),
    ],
)
def test_b037_b040_words_are_found_in_what_holds_them(query: str, text: str) -> None:
    assert found(query, text)


@pytest.mark.parametrize(
    ("query", "text"), [("c++", "c# and c"), ("don't", "Don came"), ("潜水", "他喝咖啡"), ("什么时候", "他喝咖啡")]
)
def test_words_are_not_found_where_they_are_not(query: str, text: str) -> None:
    assert not found(query, text)


@pytest.mark.parametrize(
    "query", ['"', "(a", "a AND", "col:x", "*", "50%", "@nora", "", " ", "'", "NEAR(", "-", "\\", "?", "\ud83d"]
)
def test_b037_any_query_is_words_only(query: str) -> None:
    assert all(term.strip() == term and term for term in query_terms(query))


@given(HAN_TEXT, st.data())
def test_every_piece_of_one_or_two_han_characters_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    assert found(text[start : start + data.draw(st.integers(1, 2))], text)


@given(ANY_TEXT)
def test_any_text_has_tokens_that_are_folded_and_the_same_each_time(text: str) -> None:
    terms = tokens(text)
    assert terms == tokens(text)
    assert tokens(fold(text)) == terms
    for term in terms:
        assert term
        assert not any(map(str.isspace, term))


def test_threads_do_not_mix_up_stems() -> None:
    words = [f"{a}{b}{c}urfings" for a in "bcdfghjklm" for b in "aeiou" for c in "bcdfghjklmnpqrst"]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            stems = list(pool.map(tokens, words))
    finally:
        sys.setswitchinterval(interval)
    assert stems == [[word.removesuffix("ings")] for word in words]


# --- stop words ------------------------------------------------------------------------------------------------


FUNCTION_WORDS = """
    the does was don't what when which who why because very
    的 了 我 你 他 是 在 吗 什么 哪里 多少 谁 我们 怎么 为什么 自己 时候
"""
CONTENT_WORDS = "may will don jasmine tea 42 猫 杭州 太太 多多 自由 学 水 c++ 3.14"


@pytest.mark.parametrize("word", FUNCTION_WORDS.split())
def test_function_words_are_stop_words_as_written_and_as_analysed(word: str) -> None:
    assert stop(word)
    assert stop(tokens(word)[0])


@pytest.mark.parametrize("word", CONTENT_WORDS.split())
def test_words_with_a_meaning_of_their_own_are_not(word: str) -> None:
    assert not stop(word)


def test_query_terms_cut_stop_words_unless_nothing_else_is_left() -> None:
    assert query_terms("what tea does the tea man like?") == {"tea": 2, "man": 1}
    assert query_terms("what is it") == {"what": 1, "is": 1, "it": 1}
    assert query_terms("他养了什么？") == {"养": 1}
    assert query_terms("什么")["什么"] == 1
    assert query_terms("?!") == {}


def test_a_character_inside_a_longer_word_of_the_query_weighs_less() -> None:
    assert query_terms("杭州的猫") == {"杭州": 1, "杭": INSIDE, "州": INSIDE, "猫": 1}
    assert query_terms("杭州和杭州的州") == {"杭州": 2, "杭": 2 * INSIDE, "州": 3 * INSIDE}
    assert query_terms("猫和水") == {"猫": 1, "水": 1}, "no longer word holds them"
    assert query_terms("wax x") == {"wax": 1, "x": 1}, "only Han characters are terms of their own"


# --- analyse ---------------------------------------------------------------------------------------------------


def unpacked(terms: Terms) -> dict[int, int]:
    return {int(term): int(tf) for term, tf in np.frombuffer(terms.postings, POSTING)}


def test_a_term_is_stored_as_64_bits_of_blake2b() -> None:
    assert hash_term("潜水") == int.from_bytes(blake2b("潜水".encode(), digest_size=8).digest(), "little")
    assert hash_term("tea") != hash_term("Tea")


@given(ANY_TEXT)
def test_postings_hold_every_token_sorted_by_term(text: str) -> None:
    terms = analyse(text)
    packed = np.frombuffer(terms.postings, POSTING)
    assert (packed["term"][1:] > packed["term"][:-1]).all()
    expected = tokens(text)
    assert unpacked(terms) == {hash_term(token): expected.count(token) for token in expected}
    assert terms.length == sum(not stop(token) for token in expected)


def test_analyse_counts_stop_words_but_not_in_the_length() -> None:
    terms = analyse("the tea, the green tea")
    assert unpacked(terms) == {hash_term("the"): 2, hash_term("tea"): 2, hash_term("green"): 1}
    assert terms.length == 3
    assert analyse("") == Terms(postings=b"", length=0, question=False)


def test_marks_are_terms_that_no_text_has_and_no_length() -> None:
    marked, plain = analyse("tea tomorrow", marks=(TIMED, AHEAD)), analyse("tea tomorrow")
    assert unpacked(marked) == {**unpacked(plain), hash_term(TIMED): 1, hash_term(AHEAD): 1}
    assert marked.length == plain.length == 2
    assert not {TIMED, AHEAD} & set(tokens(f"{TIMED} {AHEAD} timed ahead"))


def test_a_count_never_overflows_its_column() -> None:
    terms = analyse("tea " * 70_000)
    assert unpacked(terms) == {hash_term("tea"): 65535}
    assert terms.length == 70_000


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Where?", True),
        ("在哪儿？", True),
        ('He asked "where?" 😂 ', True),
        ("是吗？」", True),
        ("Really?!", True),
        ("Where? There.", False),
        ("在哪儿", False),
        ("a?b", False),
        ("", False),
        ("!!", False),
    ],
)
def test_a_question_ends_with_its_mark(text: str, want: bool) -> None:
    assert analyse(text).question is want
    assert analyse(text, question=not want).question is not want


# --- estimate_tokens -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("twelve chars", 3),
        ("我在杭州", 4),
        ("カメラ", 3),
        ("서울", 2),
        ("я", 1),
        ("café au lait", 3),
    ],
)
def test_estimated_tokens(text: str, want: int) -> None:
    assert estimate_tokens(text) == want


@given(ANY_TEXT, ANY_TEXT)
def test_more_text_never_has_fewer_tokens(one: str, other: str) -> None:
    both = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= both <= estimate_tokens(one) + estimate_tokens(other)


# --- time ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1.",
        "1,000,",
        "a",
        "a'",
        "c+",
        "é",
        "a\u0301",
        "一",
        "猫猫狗狗",
        "他养了蓝鲸，",
        "カ",
        "서",
        "?",
        "\ud83d",
        " ",
        "👩\u200d👧",
        "Word's-2031.5/x ",
    ],
)
def test_a_long_text_takes_no_longer_than_its_length_asks(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    tokens("暖")  # the dictionary is loaded once
    start = time.process_time()
    clean(text), fold(text), script(text), analyse(text), estimate_tokens(text)
    assert time.process_time() - start < 1.5

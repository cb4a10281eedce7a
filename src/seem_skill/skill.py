"""SEEM's surface on a fabula memory: its calls are translated, everything else is fabula's.

It knows no store, no model and no ranking.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import PurePath
from typing import Any, Final, Self

from fabula import Fact, Frame, InvalidInput, Memory, Passage, Plan, StoreUnavailable
from fabula.text import fold
from seem_skill import shapes
from seem_skill.config import RecallMode, RetrieveStrategy, SEEMConfig, choice, within
from seem_skill.shapes import Shape

log = logging.getLogger(__name__)

PLANS: Final[Mapping[RetrieveStrategy, Plan]] = {
    RetrieveStrategy.DPR: Plan(channels=("dense",)),
    RetrieveStrategy.HYBRID_RRF: Plan(channels=("sparse", "dense"), fusion="rrf"),
    RetrieveStrategy.PPR: Plan(),
}
"""SEEM's strategies as fabula's plans."""
WAIT: Final = 30.0
"""Seconds to wait for another process that is making memories of the same user."""


class SEEMSkill:
    """A structured episodic memory of one user, kept in a data folder or a database; needs no key and no network.

    Close it when done, or use it inside `with`. What cannot be meant is a `ValueError`, and nothing is written then.

        with SEEMSkill(SEEMConfig(data_dir="memory")) as skill:
            skill.store({"text": "I moved to Porto in May", "speaker": "Alice"})
            found = skill.recall("Where does Alice live?")
    """

    def __init__(self, config: SEEMConfig | None = None, *, _memory: Memory | None = None) -> None:
        self.config = config or SEEMConfig()
        self._scope = self.config.user_id
        self._memory = _memory or _opened(self.config)
        self._settled = False

    def __enter__(self) -> Self:
        self._memory.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish background work that is due and close; what is left is done when the memory is next opened."""
        self._memory.close()

    def store(self, observation: Mapping[str, Any]) -> str:
        """Keep one turn, durably, and return its memory id: the `chunk_id` of its raw text.

        Keys: `text`, `speaker` ("user"), `dialogue_id`, `timestamp` (when it was said, ISO 8601 text or a datetime;
        naive is UTC; default now), `image_path` or `image_url`, `image_id`, `image_caption`, `metadata` (plain JSON).
        A text or an image is needed. The same `dialogue_id` twice is one turn: the first id comes back, the first
        text stays, and another text is logged. A turn without `dialogue_id` goes by its memory id.
        """
        receipt = self._memory.remember(self._scope, shapes.message(observation))
        self._settled = False
        (memory_id,) = receipt.ids
        if memory_id is None:
            raise InvalidInput(f"dialogue_id {observation['dialogue_id']!r} was forgotten and is not brought back")
        if receipt.conflicts:
            log.warning("dialogue_id %r is known with another text, which stays", observation["dialogue_id"])
        return memory_id

    def recall(
        self,
        query: str | Mapping[str, str],
        top_k: int | None = None,
        top_k_facts: int | None = None,
        mode: RecallMode = RecallMode.LITE,
        strategy: RetrieveStrategy | None = None,
    ) -> dict[str, list[Shape]]:
        """Return `{"memories": […], "facts": […]}`, best first; what was stored a moment ago takes part.

        memory: `{memory_id, text, summary, events: [{participants, action, time, location, reason, method}],
        dialogue_id, dialogue_ids, timestamp, score, image, has_multimodal}`, the memories of the `top_k` best chunks
        (1–1000); `dialogue_id` and `timestamp` are its first turn's, `image` is a path or address or `None`.
        PRO adds `chunks: [{chunk_id, dialogue_id, speaker, timestamp, text, score, backfilled}]`, those found. MAX
        adds at most `min(backfill_chunks, top_k)` more from the same memories, scored as their memory. A chunk
        stands under one memory only, the best.
        fact: `{subject, predicate, object, time, valid_from, valid_to, chunk_id, confidence, score}`, of the best
        chunks, up to `top_k_facts` (0–1000).

        `query` is text, `{"text": …}` or `{"image_path": …}`: a stored picture is asked for by its caption, another
        by its file name. Blank text brings back nothing. DPR is meaning alone, HYBRID_RRF fuses keywords and
        meaning; PPR is fabula's default ranking until there is a graph. Scores compare within one recall.
        """
        limit: int = within(self.config.top_k_chunks if top_k is None else top_k, "top_k", 1)
        most: int = within(self.config.top_k_facts if top_k_facts is None else top_k_facts, "top_k_facts", 0)
        mode = choice(RecallMode, mode, "mode")
        plan = replace(self._plan(strategy), limit=max(limit, most))
        question = self._question(query)
        self._settle()
        found = self._memory.recall(self._scope, question, plan)
        for reason in found.degraded:
            log.warning("recall went on without %s", reason)
        scores = {hit.record.id: hit.score for hit in found.hits}
        chunks = {passage.id: passage for passage in found.passages[:limit]}
        frames = [frame for frame in found.frames if not chunks.keys().isdisjoint(frame.sources)]
        best = sorted(_memories(frames, chunks.values()), key=lambda record: -scores[record.id])[:limit]
        facts = [shapes.fact(record, scores[record.id]) for record in found.facts[:most]]
        return {"memories": self._told(best, chunks, scores, mode, limit), "facts": facts}

    def _plan(self, strategy: RetrieveStrategy | None) -> Plan:
        chosen = self.config.retrieve_strategy if strategy is None else choice(RetrieveStrategy, strategy, "strategy")
        if self.config.enable_fact_graph:
            return replace(PLANS[chosen], rrf_k=self.config.rrf_rank_constant)
        chosen = RetrieveStrategy.DPR if chosen is RetrieveStrategy.PPR else chosen
        return replace(PLANS[chosen], rrf_k=self.config.rrf_rank_constant, kinds=("passage", "frame"))

    def _question(self, query: object) -> str:
        if isinstance(query, str):
            return query
        asked = shapes.texts(query, ("text", "image_path"))
        path = asked.get("image_path")
        if path is None:
            return asked.get("text", "")
        pictures = [image for turn in self._turns().values() for image in turn.images if image.url == path]
        captions = dict.fromkeys(image.caption for image in pictures if image.caption)
        return " ".join([asked.get("text", ""), *(captions or [PurePath(path).name])])

    def _told(
        self,
        memories: Iterable[Frame | Passage],
        found: Mapping[str, Passage],
        scores: Mapping[str, float],
        mode: RecallMode,
        limit: int,
    ) -> list[Shape]:
        spare = min(self.config.backfill_chunks, limit) if mode is RecallMode.MAX else 0
        told: list[Shape] = []
        shown: set[str] = set()
        for record in memories:
            turns, score = self._made_from(record, found), scores[record.id]
            memory = shapes.memory(record, turns, score)
            if mode is not RecallMode.LITE:
                fresh = [turn for turn in turns if turn.id not in shown]
                extra = {turn.id: score for turn in [turn for turn in fresh if turn.id not in found][:spare]}
                spare -= len(extra)
                chunks = [turn for turn in fresh if turn.id in found or turn.id in extra]
                shown |= {turn.id for turn in chunks}
                chosen = [(turn, extra.get(turn.id, scores.get(turn.id)), turn.id in extra) for turn in chunks]
                memory = shapes.observed(memory, chosen)
            told.append(memory)
        return told

    def _made_from(self, record: Frame | Passage, known: Mapping[str, Passage]) -> Sequence[Passage]:
        if isinstance(record, Passage):
            return [record]
        turns = (known.get(source) or self._memory.get(self._scope, source) for source in record.sources)
        return [turn for turn in turns if isinstance(turn, Passage)]

    def facts(self, entity: str | None = None) -> list[Shape]:
        """Return every fact, or those with `entity` in subject or object (letter case aside); `score` is `None`.

        Empty in this version, which draws no facts, and with `enable_fact_graph=False`.
        """
        if entity is not None and not fold(entity):
            raise InvalidInput("entity is None or a name; a blank one is neither")
        self._settle()
        wanted = fold(entity or "")
        records = self._memory.records(self._scope, "fact") if self.config.enable_fact_graph else []
        facts = [record for record in records if isinstance(record, Fact)]
        return [shapes.fact(f, None) for f in facts if wanted in fold(f.subject) or wanted in fold(f.object)]

    def view(self) -> list[Shape]:
        """Return every event of every memory, oldest first: `{memory_id, who, what, when, where, why, how}`.

        `who` is a list; `when` is the event's own time, else its memory's.
        """
        return [
            {
                "memory_id": memory["memory_id"],
                "who": event["participants"],
                "what": event["action"],
                "when": event["time"] or memory["timestamp"],
                "where": event["location"],
                "why": event["reason"],
                "how": event["method"],
            }
            for memory in self.display()
            for event in memory["events"]
        ]

    def display(self, dialogue_id: str | None = None) -> list[Shape]:
        """Return every memory, or those of one turn, with all their chunks, oldest first; scores are `None`."""
        self._settle()
        turns = self._turns()
        frames = [record for record in self._memory.records(self._scope, "frame") if isinstance(record, Frame)]
        told: list[Shape] = []
        for record in _memories(frames, turns.values()):
            mine = self._made_from(record, turns)
            if dialogue_id is None or dialogue_id in map(shapes.dialogue_id, mine):
                memory = shapes.memory(record, mine, None)
                told.append(shapes.observed(memory, [(turn, None, False) for turn in mine]))
        return told

    def _turns(self) -> dict[str, Passage]:
        return {turn.id: turn for turn in self._memory.records(self._scope) if isinstance(turn, Passage)}

    def stats(self) -> dict[str, int]:
        """Return how many `memories, chunks, facts, entities` there are, work `pending` and `failed`, and `bytes`."""
        stats = self._memory.stats(self._scope)
        kinds = {"memories": "frame", "chunks": "passage", "facts": "fact", "entities": "entity"}
        counts = {name: stats.records.get(kind, 0) for name, kind in kinds.items()}
        work = {"pending": sum(stats.pending.values()), "failed": stats.failed}
        return {**counts, **work, "bytes": sum(stats.bytes.values())}

    def flush(self) -> Shape:
        """Make all memories that are still to be made; return what is left and why: `{pending, failed, errors}`."""
        return asdict(self._memory.flush(self._scope, seconds=WAIT))

    def _settle(self) -> None:
        # Once after a store: asking costs tens of milliseconds in a large memory, and work that failed is tried
        # again in the background. What others store meanwhile is a memory too, made of the bare turn.
        if not self._settled:
            self._settled = True
            self.flush()

    def clear(self, confirm: bool = False) -> None:
        """Erase everything of this user for good; raises `ValueError` without `confirm=True`."""
        if confirm is not True:
            raise InvalidInput(f"clear erases all memories of {self._scope!r}: call clear(confirm=True)")
        self._memory.forget(self._scope, everything=True)


def _opened(config: SEEMConfig) -> Memory:
    if config.database is not None:
        return Memory(config.database)
    folder = config.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"cannot make the folder {folder}: {error.strerror}") from None
    return Memory(folder / "memory.db")


def _memories(frames: Sequence[Frame], turns: Iterable[Passage]) -> list[Frame | Passage]:
    """The frames, and the turns no frame tells of: where extraction failed, what was said is still a memory."""
    told = {source for frame in frames for source in frame.sources}
    return [*frames, *(turn for turn in turns if turn.id not in told)]

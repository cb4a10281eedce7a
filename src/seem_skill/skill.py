"""SEEM's surface on a fabula memory: its calls are translated, everything else is fabula's.

It knows no store, no model and no ranking.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import PurePath
from typing import Any, Final, Self, TypeVar

from fabula import Entity, Fact, Frame, Image, InvalidInput, Memory, Passage, Plan, Recollection, Record
from fabula.checking import within
from fabula.graph import to_networkx
from fabula.names import entity_id, normal
from fabula.text import fold, identifier
from fabula.types import MAX_LIMIT, Kind
from seem_skill import graphs, opening, pictures, shapes
from seem_skill.cache import CachedEmbedder
from seem_skill.config import RecallMode, RetrieveStrategy, SEEMConfig, choice
from seem_skill.shapes import Shape

log = logging.getLogger(__name__)
_R = TypeVar("_R", bound=Record)

MADE: Final[tuple[Kind, ...]] = ("passage", "frame")
PLANS: Final[Mapping[RetrieveStrategy, Plan]] = {
    RetrieveStrategy.DPR: Plan(kinds=MADE, channels=("dense",)),
    RetrieveStrategy.HYBRID_RRF: Plan(kinds=MADE, channels=("sparse", "dense"), fusion="rrf"),
    RetrieveStrategy.PPR: Plan(kinds=MADE),
}
"""SEEM's strategies, which find chunks, as fabula's plans."""
FACTS: Final = Plan(kinds=("fact",))
"""How facts are found, whatever the strategy: with their channels in its plan, they would move its chunks."""
ROOM: Final = 20
"""How many more hits are asked for than chunks: frames have ranks of their own, and the chunks' must be among them."""
WAIT: Final = 30.0
"""Seconds to wait for another process that is making memories of the same user."""


class SEEMSkill:
    """A structured episodic memory of one user, kept in a data folder or a database; needs no key and no network.

    With a key, a language model makes the memories and draws the facts (`SEEMConfig`); without, rules make them.

    Close it when done, or use it inside `with`. What cannot be meant is a `ValueError`, and nothing is written then.

        with SEEMSkill(SEEMConfig(data_dir="memory")) as skill:
            skill.store({"text": "I moved to Porto in May", "speaker": "Alice"})
            found = skill.recall("Where does Alice live?")
    """

    def __init__(self, config: SEEMConfig | None = None, *, _memory: Memory | None = None) -> None:
        """Raises `ValueError` where the config or the environment names a model without a key."""
        if not isinstance(config, SEEMConfig | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"config is a SEEMConfig, not {type(config).__name__}")
        self.config = config or SEEMConfig()
        self._scope = self.config.user_id
        self._extraction = opening.extraction(self.config, os.environ)
        self._model = opening.embedder(self.config, os.environ) if _memory is None else None
        self._memory = _memory or opening.memory(self.config, os.environ, self._model)
        self._stores, self._settled = 1, 0
        log.info("memories are made by %s", self._extraction)

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
        naive is UTC; default now), `image_path`, `image_url` or `image` (bytes), `image_id`, `image_caption`,
        `metadata` (plain JSON). A text or an image is needed. A picture that is given, or lies at `image_path`, is kept
        with the turn: PNG, JPEG, GIF or WebP, at most 20 MB. Models are shown it, and those that refuse its words.
        The same `dialogue_id` twice is one turn: the first id comes back, the first text stays, and another text is
        logged. A turn without `dialogue_id` goes by its memory id.
        """
        receipt = self._memory.remember(self._scope, shapes.message(observation))
        self._stores += 1
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
        fact: `{subject, predicate, object, time, valid_from, valid_to, chunk_id, confidence, score}`, the
        `top_k_facts` (0–1000) that answer best, whichever chunks they are of; one that is over has a `valid_to`.
        `confidence` (0–1) is how surely the language model says it was told, `None` where it gave none.

        `query` is text, `{"text": …}` or `{"image_path": …}`: a picture is asked for by what it shows, where the
        embedding model sees, and by the caption it was stored with or its file name. Blank text brings back nothing.
        DPR goes by meaning alone, HYBRID_RRF fuses keywords and meaning, PPR weighs everything there is: also facts,
        memories and a walk over the graph. Chunk and fact scores compare within one recall.
        """
        limit = self.config.top_k_chunks if top_k is None else top_k
        most = self.config.top_k_facts if top_k_facts is None else top_k_facts
        within("top_k", limit, 1, MAX_LIMIT)
        within("top_k_facts", most, 0, MAX_LIMIT)
        mode = choice(RecallMode, mode, "mode")
        spare = min(self.config.backfill_chunks, limit) if mode is RecallMode.MAX else 0
        plan = replace(self._plan(strategy), limit=min(limit + ROOM, MAX_LIMIT), expand=spare)
        question, images = self._question(query)
        self._settle()
        found = self._memory.recall(self._scope, question, plan, images=images)
        for reason in found.degraded:
            log.warning("recall went on without %s", reason)
        return {"memories": self._told(found, limit, mode, spare), "facts": self._answering(question, images, most)}

    def _plan(self, strategy: RetrieveStrategy | None) -> Plan:
        chosen = self.config.retrieve_strategy if strategy is None else choice(RetrieveStrategy, strategy, "strategy")
        if chosen is RetrieveStrategy.PPR and not self.config.enable_fact_graph:
            chosen = RetrieveStrategy.DPR
        return replace(PLANS[chosen], rrf_k=self.config.rrf_rank_constant, restart=self.config.ppr_damping)

    def _question(self, query: object) -> tuple[str, list[Image]]:
        """The words and the picture that are asked for; a stored picture has the captions it was stored with."""
        if isinstance(query, str):
            return query, []
        asked = shapes.texts(query, ("text", "image_path"))
        path = asked.get("image_path")
        if path is None:
            return asked.get("text", ""), []
        stored = [image for turn in self._listed(Passage) for image in turn.images if image.url == path]
        captions = " ".join(dict.fromkeys(image.caption for image in stored if image.caption))
        image = Image(caption=captions, name=PurePath(path).name, data=pictures.read(path))
        return asked.get("text", ""), [image]

    def _answering(self, question: str, images: Sequence[Image], most: int) -> list[Shape]:
        if not (most and self.config.enable_fact_graph):
            return []
        plan = replace(FACTS, limit=most, restart=self.config.ppr_damping)
        found = self._memory.recall(self._scope, question, plan, images=images)
        return [shapes.fact(hit.record, hit.score) for hit in found.hits if isinstance(hit.record, Fact)][:most]

    def _told(self, found: Recollection, limit: int, mode: RecallMode, spare: int) -> list[Shape]:
        """The memories of the `limit` best passages, with these, and up to `spare` others that they were made from."""
        scores = {hit.record.id: hit.score for hit in found.hits}
        known = {passage.id: passage for passage in found.passages}
        brought = {hit.record.id for hit in found.hits if any(part.startswith("expanded_") for part in hit.parts)}
        best = [passage for passage in found.passages if passage.id not in brought][:limit]
        shown = {passage.id: scores[passage.id] for passage in best}
        memories = sorted(_of(best, found.frames)[:limit], key=lambda record: -scores[record.id])
        turns = {record.id: self._made_from(record, known) for record in memories}
        more = dict.fromkeys(t.id for each in turns.values() for t in each if t.id not in shown)
        backfilled = sorted(more, key=lambda turn: -scores.get(turn, 0.0))[:spare]
        told: list[Shape] = []
        placed: set[str] = set()
        for record in memories:
            memory = shapes.memory(record, turns[record.id], scores[record.id])
            if mode is not RecallMode.LITE:
                mine = [t for t in turns[record.id] if t.id not in placed and (t.id in shown or t.id in backfilled)]
                placed |= {turn.id for turn in mine}
                chosen = [(turn, shown.get(turn.id, scores[record.id]), turn.id not in shown) for turn in mine]
                memory = shapes.observed(memory, chosen)
            told.append(memory)
        return told

    def _made_from(self, record: Frame | Passage, known: Mapping[str, Passage]) -> Sequence[Passage]:
        if isinstance(record, Passage):
            return [record]
        turns = (known.get(source) or self._memory.get(self._scope, source) for source in record.sources)
        return sorted((turn for turn in turns if isinstance(turn, Passage)), key=_said)

    def facts(self, entity: str | None = None) -> list[Shape]:
        """Return every fact, also those that are over, or those of one entity; `score` is `None`.

        `entity` is one of its names, as a whole; letter case and width do not matter. Empty where nobody is called
        that, where rules make the memories, and with `enable_fact_graph=False`.
        """
        if entity is not None and not (isinstance(entity, str) and fold(entity)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("entity is None or a name; a blank one is neither")
        self._settle()
        facts = self._facts()
        if entity is not None:
            called = normal(entity)
            wanted = {one.id for one in self._listed(Entity) if called in graphs.names(one)}
            wanted |= {called, entity_id(entity)}  # what a fact speaks of need not be an entity of its own
            facts = [fact for fact in facts if not wanted.isdisjoint(graphs.ends(fact))]
        return [shapes.fact(fact, None) for fact in facts]

    def graph(self) -> Any:
        """Return all that is known as a `networkx.MultiDiGraph`; needs the extra `graph`.

        Nodes have a `type`: `chunk`, with what a chunk has elsewhere, or `entity`, with `name`, `aliases` and `kind`.
        Edges have one too: `entity_chunk` from who is named or spoken of to where; `fact` from subject to object,
        keyed by the fact's id and with what a fact has elsewhere, so that two between the same two are two; `synonymy`.
        """
        self._settle()
        given = (self._listed(Passage), self._listed(Entity), self._facts())
        return to_networkx(graphs.nodes(*given), graphs.edges(*given))

    def _facts(self) -> list[Fact]:
        if not self.config.enable_fact_graph:
            return []
        facts = self._memory.records(self._scope, "fact", status=None)
        return [fact for fact in facts if isinstance(fact, Fact) and fact.status != "archived"]

    def _listed(self, kind: type[_R]) -> list[_R]:
        return [record for record in self._memory.records(self._scope, kind.kind) if isinstance(record, kind)]

    def view(self) -> list[Shape]:
        """Return every event of every memory, oldest first: `{memory_id, who, what, when, where, why, how}`.

        `who` is a list; `when` is the event's own time, else its memory's: that of the first turn, and `…/…` to that
        of the last one where they were said on several days.
        """
        return [
            {
                "memory_id": memory["memory_id"],
                "who": event["participants"],
                "what": event["action"],
                "when": event["time"] or shapes.period(memory),
                "where": event["location"],
                "why": event["reason"],
                "how": event["method"],
            }
            for memory in self.display()
            for event in memory["events"]
        ]

    def display(self, dialogue_id: str | None = None) -> list[Shape]:
        """Return every memory, or those of one turn, with all their chunks; scores are `None`.

        The one whose first turn was said first comes first.
        """
        dialogue_id = None if dialogue_id is None else identifier(dialogue_id, "dialogue_id", longest=None)
        self._settle()
        turns = {turn.id: turn for turn in self._listed(Passage)}
        records = _memories(self._listed(Frame), turns.values())
        made = sorted(
            ((self._made_from(record, turns), record) for record in records), key=lambda one: _said(one[0][0])
        )
        return [
            shapes.observed(shapes.memory(record, mine, None), [(turn, None, False) for turn in mine])
            for mine, record in made
            if dialogue_id is None or dialogue_id in map(shapes.dialogue_id, mine)
        ]

    def stats(self) -> Shape:
        """Return how many `memories, chunks, facts, entities` there are, work `pending` and `failed`, and `bytes`.

        `extraction` is what makes the memories: the language model's name, or `rules`.
        """
        stats = self._memory.stats(self._scope)
        kinds = {"memories": "frame", "chunks": "passage", "facts": "fact", "entities": "entity"}
        counts = {name: stats.records.get(kind, 0) for name, kind in kinds.items()}
        work = {"pending": sum(stats.pending.values()), "failed": stats.failed}
        return {**counts, **work, "bytes": sum(stats.bytes.values()), "extraction": self._extraction}

    def flush(self) -> Shape:
        """Make all memories that are still to be made; return what is left and why: `{pending, failed, errors}`."""
        return asdict(self._memory.flush(self._scope, seconds=WAIT))

    def reextract(self) -> Shape:
        """Have a language model that came later read all that was stored; return what `flush` does.

        Memories that rules have made give way to its; facts come to those there are.
        """
        self._memory.reextract(self._scope)
        return self.flush()

    def _settle(self) -> None:
        # Once after a store: asking costs tens of milliseconds in a large memory, and work that failed is tried
        # again in the background. What others store meanwhile is a memory too, made of the bare turn.
        stores = self._stores
        if self._settled != stores:
            for error in self.flush()["errors"]:
                log.warning("some memories are still to be made: %s", error)
            self._settled = stores  # and not of now: what was stored meanwhile is still to be asked for

    def clear(self, confirm: bool = False) -> None:
        """Erase everything of this user for good, and the questions kept in this process.

        Raises `ValueError` without `confirm=True`.
        """
        if confirm is not True:
            raise InvalidInput(f"clear erases all memories of {self._scope!r}: call clear(confirm=True)")
        self._memory.forget(self._scope, everything=True)
        if isinstance(self._model, CachedEmbedder):
            self._model.clear()


def _said(turn: Passage) -> tuple[float, int]:
    """When a turn was said, and its place among those of that moment."""
    return (turn.time.timestamp() if turn.time else -math.inf, turn.seq)


def _of(chunks: Sequence[Passage], frames: Sequence[Frame]) -> list[Frame | Passage]:
    """One memory for each chunk, the best or else itself, and then the others; frames come best first."""
    first = [next((frame for frame in frames if chunk.id in frame.sources), chunk) for chunk in chunks]
    ids = {chunk.id for chunk in chunks}
    others = [frame for frame in frames if not ids.isdisjoint(frame.sources)]
    return list({record.id: record for record in (*first, *others)}.values())


def _memories(frames: Sequence[Frame], turns: Iterable[Passage]) -> list[Frame | Passage]:
    """The frames, and the turns no frame tells of: where extraction failed, what was said is still a memory."""
    told = {source for frame in frames for source in frame.sources}
    return [*frames, *(turn for turn in turns if turn.id not in told)]

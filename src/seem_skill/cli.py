"""The command line `seem`: store turns, recall them, look around; knows nothing of how a memory works.

Exit codes: 0 done, 1 failed, 2 called wrongly, 130 interrupted. Results go to standard output, remarks to standard
error, a line each.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn, cast

from fabula import FabulaError, InvalidInput
from fabula.printing import line
from seem_skill.config import RecallMode, RetrieveStrategy, SEEMConfig
from seem_skill.shapes import Shape
from seem_skill.skill import SEEMSkill


def main(argv: Sequence[str] | None = None, *, prog: str = "seem") -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # What a console cannot show is no reason to fail after the work is done.
            cast(Any, stream).reconfigure(errors="replace")
    with _remarks(prog):
        try:
            given = _parsed(sys.argv[1:] if argv is None else argv, prog)
            with SEEMSkill() as skill:
                result = given.run(skill, given)
            _say([_json(result)] if given.json else given.show(result))
        except InvalidInput as error:
            return _complain(prog, str(error), 2)
        except FabulaError as error:
            return _complain(prog, str(error), 1)
        except BrokenPipeError:
            # The reader has enough, as `head` does: that is no failure.
            _let_go()
            return 0
        except OSError as error:
            _let_go()
            return _complain(prog, f"cannot write the result: {error.strerror or error}", 1)
        except KeyboardInterrupt:
            return _complain(prog, "interrupted", 130)
    return 0


@contextmanager
def _remarks(prog: str) -> Generator[None]:
    """Tell what the skill warns of; what others log is nobody's concern here."""
    heard, quiet = _Remarks(prog), logging.NullHandler()
    ours, root = logging.getLogger("seem_skill"), logging.getLogger()
    ours.addHandler(heard)
    root.addHandler(quiet)
    try:
        yield
    finally:
        ours.removeHandler(heard)
        root.removeHandler(quiet)


class _Remarks(logging.Handler):
    def __init__(self, prog: str) -> None:
        super().__init__(logging.WARNING)
        self._prog = prog

    def emit(self, record: logging.LogRecord) -> None:
        """Tell a warning in one line."""
        _complain(self._prog, record.getMessage(), 0)


def _let_go() -> None:
    """Nobody takes the output: what is left of it must not fail again when Python ends."""
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)


# --- what may be said --------------------------------------------------------------------------------------------


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise `InvalidInput` rather than print the usage."""
        raise InvalidInput(f"{message} (see {self.prog} --help)")


def _parsed(argv: Sequence[str], prog: str) -> Namespace:
    given = _parser(prog).parse_args(argv)
    for name, value in vars(given).items():
        if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise InvalidInput(f"{name} is not text in {sys.getfilesystemencoding()}: rather refused than kept wrong")
    return given


def _parser(prog: str) -> ArgumentParser:
    parser = _Parser(
        prog=prog, description="Episodic memory for conversations: store turns, recall what matters.",
        epilog=f"The memory is kept in {SEEMConfig().folder} (SEEM_DATA_DIR names another folder). No key and no "
        "network are needed; with LLM_API_KEY a language model makes the memories, and facts.",
        allow_abbrev=False,
    )  # fmt: skip
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (help_, options, run, show) in _COMMANDS.items():
        command = commands.add_parser(name, help=help_, description=help_, allow_abbrev=False)
        for flag, said in options.items():
            command.add_argument(flag, **said)
        command.add_argument("--json", action="store_true", help="Print the result as JSON.")
        command.set_defaults(run=run, show=show)
    return parser


# --- what is done ------------------------------------------------------------------------------------------------


def _store(skill: SEEMSkill, given: Namespace) -> Shape:
    names = ("text", "speaker", "dialogue_id", "timestamp", "image_path", "image_caption")
    said = {name: getattr(given, name) for name in names}
    return {"memory_id": skill.store({name: value for name, value in said.items() if value is not None})}


def _recall(skill: SEEMSkill, given: Namespace) -> dict[str, list[Shape]]:
    asked = {"text": given.query, "image_path": given.image_path}
    query = {name: value for name, value in asked.items() if value is not None}
    if not any(value.strip() for value in query.values()):
        raise InvalidInput("recall needs a --query that is not blank, or an --image-path")
    strategy = given.strategy and RetrieveStrategy(given.strategy)
    return skill.recall(query, given.top_k, given.top_k_facts, RecallMode(given.mode), strategy)


def _facts(skill: SEEMSkill, given: Namespace) -> list[Shape]:
    return skill.facts(given.entity)


def _display(skill: SEEMSkill, given: Namespace) -> list[Shape]:
    return skill.display(given.dialogue_id)


def _view(skill: SEEMSkill, _: Namespace) -> list[Shape]:
    return skill.view()


def _stats(skill: SEEMSkill, _: Namespace) -> Shape:
    return skill.stats()


def _reextract(skill: SEEMSkill, _: Namespace) -> Shape:
    return skill.reextract()


def _clear(skill: SEEMSkill, given: Namespace) -> Shape:
    skill.clear(confirm=given.yes)
    return {"cleared": True}


# --- how it looks ------------------------------------------------------------------------------------------------


def _say(lines: Iterable[str]) -> None:
    for one in lines:
        print(one)  # noqa: T201
    print(end="", flush=True)  # noqa: T201 - a full disk or a closed pipe has to show here


def _complain(prog: str, remark: str, code: int) -> int:
    print(f"{prog}: {line(remark)}", file=sys.stderr)  # noqa: T201
    return code


def _json(result: Any) -> str:
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    return json.dumps(result, ensure_ascii=not encoding.startswith("utf"), indent=2)


def _stored(result: Shape) -> Iterator[str]:
    yield f"stored {result['memory_id']}"


def _recalled(result: dict[str, list[Shape]]) -> Iterator[str]:
    yield from _memories(result["memories"])
    yield from (["Facts", *_listed(result["facts"])] if result["facts"] else [])
    if not any(result.values()):
        yield "nothing is remembered about it"


def _memories(memories: Sequence[Shape]) -> Iterator[str]:
    for memory in memories:
        score = [] if memory["score"] is None else [f"score {memory['score']:.2f}"]
        ids = ", ".join(map(line, memory["dialogue_ids"]))
        yield " | ".join(filter(None, [f"Memory {memory['memory_id']}", ids, memory["timestamp"], *score]))
        yield from map(line, memory["text"].splitlines())
        yield ""


def _displayed(result: Sequence[Shape]) -> Iterator[str]:
    yield from _memories(result) if result else ["there are no such memories"]


def _listed(result: Sequence[Shape]) -> Iterator[str]:
    for fact in result:
        said = " | ".join(line(fact[name]) for name in ("subject", "predicate", "object") if fact[name])
        yield f"- {said}" + (f" ({fact['time']})" if fact["time"] else "")
    if not result:
        yield "there are no such facts (rules draw none; a language model does: see LLM_API_KEY and reextract)"


def _viewed(result: Sequence[Shape]) -> Iterator[str]:
    for event in result:
        said = {name: event[name] for name in ("where", "why", "how")}
        more = "; ".join(f"{name}: {line(value)}" for name, value in said.items() if value)
        who = ", ".join(map(line, event["who"]))
        yield f"{event['when'] or 'some day'} | {who} | {line(event['what'])}" + (f" ({more})" if more else "")
    if not result:
        yield "there are no memories"


def _counted(result: Shape) -> Iterator[str]:
    yield from (f"{name}: {value}" for name, value in result.items())


def _made_anew(result: Shape) -> Iterator[str]:
    yield f"left to do {result['pending']}, failed {result['failed']}"
    yield from map(line, result["errors"])


def _cleared(_: Shape) -> Iterator[str]:
    yield "all memories are erased"


_COMMANDS: Final[dict[str, tuple[str, dict[str, dict[str, Any]], Any, Any]]] = {
    "store": ("Keep one turn of a conversation.", {
        "--text": {"help": "What was said."},
        "--speaker": {"default": "user", "help": "Who said it (default: user)."},
        "--dialogue-id": {"help": "Your own id of the turn; the same id twice is one turn."},
        "--timestamp": {"help": "When it was said, in ISO 8601 (default: now)."},
        "--image-path": {"help": "A picture that came with it."},
        "--image-caption": {"help": "What the picture shows: that is what it is found by."},
    }, _store, _stored),
    "recall": ("Bring back what matters for a question.", {
        "--query": {"help": "The question, or what it is about."},
        "--image-path": {"help": "A stored picture to ask about."},
        "--mode": {"choices": [mode.value for mode in RecallMode], "default": "lite",
                   "help": "lite: memories and facts; pro: also what was said; max: also what else was said of the "
                   "same."},
        "--strategy": {"choices": [*(strategy.value for strategy in RetrieveStrategy), "hybrid"],
                       "help": "dpr: meaning; hybrid_rrf or hybrid: keywords and meaning (default); ppr: everything, "
                       "over the graph."},
        "--top-k": {"type": int, "metavar": "N", "help": "How many chunks to find (default: 3)."},
        "--top-k-facts": {"type": int, "metavar": "N", "help": "How many facts to find (default: 5)."},
    }, _recall, _recalled),
    "facts": ("List facts, those that are over too.", {
        "--entity": {"help": "Only those of who or what is called that."},
    }, _facts, _listed),
    "display": ("Show every memory with all that was said.", {
        "--dialogue-id": {"help": "Only the memories of this turn."},
    }, _display, _displayed),
    "view": ("List what happened: when, who, what, where, why, how.", {}, _view, _viewed),
    "stats": ("Count memories and pending work.", {}, _stats, _counted),
    "reextract": ("Have a language model that came later read what was stored (see LLM_API_KEY).", {},
                  _reextract, _made_anew),
    "clear": ("Erase every memory for good.", {
        "--yes": {"action": "store_true", "required": True, "help": "Yes, I mean it."},
    }, _clear, _cleared),
}  # fmt: skip
"""Each command: what it does, its options, how it is done and how its result looks."""


if __name__ == "__main__":
    sys.exit(main())

"""`python -m bench NAME …`: runs one measurement; `python -m bench` lists them."""

from __future__ import annotations

import importlib
import sys

NAMES = {
    "locomo": "evidence recall on LoCoMo conversations",
    "lifebench": "evidence recall on LifeBench phone records, Chinese and English",
    "probe": "top-1 on question-passage pairs in and across Chinese and English",
    "train": "fit the weight table on some conversations, judge it on others",
    "time": "time expressions in English and Chinese, beside public test suites",
    "latency": "time and space, beside numpy and the bare drivers",
    "writers": "durable writes a second, of one process and of several at once",
    "keywords": "our keyword search beside PostgreSQL's own full text search",
    "nearest": "an approximate index of a scope's own beside one for all scopes",
    "graph": "personalised PageRank and building its graph, beside networkx",
    "fusion": "making frames one: at once, gathered, and where a fact was overturned",
    "calibrate": "quantiles of unrelated and related texts, for Embedder.similarity",
    "budget": "how much of the evidence is in a prompt of so many tokens, with and without provenance",
    "confidence": "how well Recollection.confidence tells the known from the unknown",
    "changed": "whether the newest word on something comes first, without a language model",
    "emotion": "how well feelings are estimated from vectors, without a language model",
}


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
        print("python -m bench NAME …")
        for name, what in NAMES.items():
            print(f"  {name:<12}{what}")
        raise SystemExit(0 if len(sys.argv) < 2 else 2)
    importlib.import_module(f"bench.{sys.argv[1]}").main(sys.argv[2:])


if __name__ == "__main__":
    main()

"""Ranks texts by static word embeddings: for each query, the places of the texts that are nearest.

It runs in an environment of its own, which `bench/search.py` makes; JSON comes in and goes out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import wordllama
from wordllama import WordLlama


def main() -> None:
    """Read texts and queries, write rankings."""
    asked = json.load(sys.stdin)
    # Its weights come inside the package: nothing is to be fetched.
    model = WordLlama.load(dim=256, cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    texts, queries = (_unit(np.asarray(model.embed(asked[name]))) for name in ("texts", "queries"))
    ranked = np.argsort(-(queries @ texts.T), axis=1, kind="stable")[:, : asked["number"]]
    json.dump(ranked.tolist(), sys.stdout)


def _unit(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length == 0, 1, length)


if __name__ == "__main__":
    main()

"""How much words speak for documents, held against the formula written out."""

import math
from collections import defaultdict

import pytest

from proctor.catalog.postings import Postings, Vocabulary

NAMES = [["tide"], ["wind", "wind"], []]
TEXTS = [["high", "tide", "port"], ["wind", "port", "port"], ["rain"]]


def by_hand(word: str, weights: dict[str, float], saturation: float, length: float) -> dict[int, float]:
    fields = {"name": NAMES, "text": TEXTS}
    together: defaultdict[int, float] = defaultdict(float)
    for name, documents in fields.items():
        usual = sum(map(len, documents)) / len(documents)
        for row, document in enumerate(documents):
            if count := document.count(word):
                together[row] += weights[name] * count / (1 - length + length * len(document) / usual)
    rarity = math.log(1 + (3 - len(together) + 0.5) / (len(together) + 0.5))
    return {row: value / (value + saturation) * rarity for row, value in together.items()}


@pytest.mark.parametrize("word", ["tide", "wind", "port", "rain"])
@pytest.mark.parametrize(("saturation", "length"), [(1.2, 0.75), (0.5, 0.0)])
def test_a_word_counts_by_field_length_and_rarity(word: str, saturation: float, length: float) -> None:
    vocabulary = Vocabulary()
    fields = {"name": vocabulary.field(NAMES), "text": vocabulary.field(TEXTS)}
    weights = {"name": 3.0, "text": 0.5}
    postings = Postings.weighed(fields, weights, saturation, length)
    for these in (postings, Postings.unpacked(postings.packed())):
        rows, values = these.of(vocabulary[word])
        assert dict(zip(rows.tolist(), values.tolist(), strict=True)) == pytest.approx(
            by_hand(word, weights, saturation, length)
        )


def test_a_field_without_weight_and_an_unknown_word_say_nothing() -> None:
    vocabulary = Vocabulary()
    fields = {"name": vocabulary.field(NAMES), "text": vocabulary.field(TEXTS)}
    postings = Postings.weighed(fields, {"name": 1.0, "text": 0.0}, 1.2, 0.75)
    assert [len(postings.of(vocabulary[word])[0]) for word in ("tide", "rain", "nobody")] == [1, 0, 0]


def test_documents_that_are_gathered_count_as_one() -> None:
    import numpy as np

    vocabulary = Vocabulary()
    groups = np.array([0, 0, 1], dtype=np.int32)
    gathered = Postings.weighed({"text": vocabulary.field(TEXTS).gathered(groups, 2)}, {"text": 1.0}, 1.2, 0.75)
    joined = Vocabulary()
    as_one = Postings.weighed({"text": joined.field([TEXTS[0] + TEXTS[1], TEXTS[2]])}, {"text": 1.0}, 1.2, 0.75)
    for word in ("port", "rain"):
        assert gathered.of(vocabulary[word])[1].tolist() == pytest.approx(as_one.of(joined[word])[1].tolist())


def test_there_may_be_nothing_at_all() -> None:
    postings = Postings.weighed({"text": Vocabulary().field([])}, {"text": 1.0}, 1.2, 0.75)
    assert postings.size == 0
    assert len(postings.of(0)[0]) == 0

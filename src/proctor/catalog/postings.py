"""How much each word speaks for each document: BM25 over several fields, as arrays.

Taking texts apart is slow and depends on the documents alone; weighing their words is fast and depends on the weights.
So the two are apart, and other weights can be tried without reading the texts again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]
    Floats = NDArray[np.float32]


class Field:
    """The words of one field of each document, one after the other, and how long the field is in each."""

    def __init__(self, terms: Integers, lengths: Integers) -> None:
        import numpy as np

        self.terms = terms
        self.lengths = lengths
        self.rows: Integers = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def gathered(self, groups: Integers, number: int) -> Field:
        """The same field of documents that are several of these together: row i belongs to group `groups[i]`."""
        import numpy as np

        together = Field.__new__(Field)
        together.terms, together.rows = self.terms, groups[self.rows]
        together.lengths = np.bincount(groups, weights=self.lengths, minlength=number).astype(np.int32)
        return together

    def by_length(self, length: float) -> Any:
        """What each word counts: less in a document where the field is longer than usual."""
        usual = max(float(self.lengths.mean()), 1e-9) if len(self.lengths) else 1.0
        return (1 / (1 - length + length * self.lengths / usual + 1e-9))[self.rows]


class Vocabulary(dict[str, int]):
    """Words by number; a word that is looked up and not there gets the next."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number

    def field(self, documents: Sequence[Sequence[str]]) -> Field:
        """A field of documents that have been taken apart into words."""
        import numpy as np

        lengths = np.array([len(document) for document in documents], dtype=np.int32)
        terms = np.fromiter((self[word] for document in documents for word in document), np.int32, int(lengths.sum()))
        return Field(terms, lengths)


class Packed(msgspec.Struct, frozen=True):
    """Postings as bytes, to be kept in a file."""

    size: int
    starts: bytes
    rows: bytes
    values: bytes


class Postings:
    """For each word, the documents that hold it and how much it speaks for each."""

    def __init__(self, size: int, starts: Integers, rows: Integers, values: Floats) -> None:
        self.size = size
        self._starts = starts
        self._rows = rows
        self._values = values

    @classmethod
    def weighed(
        cls, fields: Mapping[str, Field], weights: Mapping[str, float], saturation: float, length: float
    ) -> Postings:
        """Put the fields together: a word counts by its field's weight, less and less the more often it is there."""
        import numpy as np

        size = max((len(field.lengths) for field in fields.values()), default=0)
        used: Sequence[tuple[Field, float]] = [
            (field, weights[name]) for name, field in fields.items() if weights[name] > 0
        ]
        nothing = np.zeros(0, dtype=np.int64)
        keys = np.concatenate([nothing, *(field.terms.astype(np.int64) * size + field.rows for field, _ in used)])
        counts = np.concatenate([nothing, *(weight * field.by_length(length) for field, weight in used)])
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        together = np.add.reduceat(counts, first) if len(first) else counts
        terms, rows = np.divmod(keys[first], max(size, 1))
        documents = np.bincount(terms)
        rarity = np.log(1 + (size - documents + 0.5) / (documents + 0.5))
        values = together / (together + saturation) * rarity[terms]
        starts = np.concatenate([[0], np.cumsum(documents)])
        return cls(size, starts.astype(np.int64), rows.astype(np.int32), values.astype(np.float32))

    def of(self, term: int) -> tuple[Integers, Floats]:
        """The documents that hold a word, in order, and how much it speaks for each."""
        here = slice(*self._starts[term : term + 2]) if term + 1 < len(self._starts) else slice(0)
        return self._rows[here], self._values[here]

    def packed(self) -> Packed:
        """The postings as bytes; `unpacked` reads them."""
        return Packed(self.size, self._starts.tobytes(), self._rows.tobytes(), self._values.tobytes())

    @classmethod
    def unpacked(cls, packed: Packed) -> Postings:
        """The postings that were packed."""
        import numpy as np

        starts = np.frombuffer(packed.starts, dtype=np.int64)
        rows = np.frombuffer(packed.rows, dtype=np.int32)
        return cls(packed.size, starts, rows, np.frombuffer(packed.values, dtype=np.float32))

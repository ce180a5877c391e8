"""Samples from the lines of a JSONL file: fast where a line is in order, and a sentence where it is not."""

from __future__ import annotations

import msgspec

from proctor import json_text
from proctor.dataset_schema.samples import MultiTurnSample, Sample, SingleTurnSample, free_values, read_sample
from proctor.errors import FileError, InputError

_decode_multi = msgspec.json.Decoder(MultiTurnSample).decode
_decode_single = msgspec.json.Decoder(SingleTurnSample).decode
_encode = msgspec.json.Encoder().encode

_FIELD = b'"user_input":'


def read_sample_line(data: bytes, *, path: str, line: int) -> Sample:
    """The sample that one line of JSON holds.

    Dictionaries of messages may be in Proctor's shape or in OpenAI's. FileError, with the file, the line and one
    sentence, for a line that is no sample, or that could be read in two ways (a key twice, NaN).
    """
    # A guess at the kind, right for all but odd lines; a wrong one costs time and nothing else.
    after = data.find(_FIELD) + len(_FIELD)
    decode = _decode_multi if b"[" in data[after : after + 2] else _decode_single
    try:
        try:
            sample = decode(data)
        except json_text.UNREADABLE:
            return _read_any_shape(data)
        if decode is _decode_multi and json_text.may_be_deep(data):
            for value, depth in free_values(sample):
                json_text.refuse_depth(value, depth)
        encoded = _encode(sample)
        if not data.startswith(encoded):
            json_text.refuse_duplicates(data, encoded)
    except InputError as error:
        raise FileError(str(error), path=path, line=line) from None
    return sample


def _read_any_shape(data: bytes) -> Sample:
    return read_sample(json_text.decode(data))

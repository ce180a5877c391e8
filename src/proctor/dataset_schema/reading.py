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
_CONVERSATION = b'{"user_input":['
"""How nearly all lines that hold a conversation begin."""


def read_sample_line(data: bytes, *, path: str, line: int) -> Sample:
    """The sample that one line of JSON holds.

    Dictionaries of messages may be in Proctor's shape or in OpenAI's. FileError, with the file, the line and one
    sentence, for a line that is no sample, or that could be read in two ways (a key twice, NaN).
    """
    try:
        if data.startswith(_CONVERSATION) or _has_conversation(data):
            sample: Sample = _decode_multi(data)
            if json_text.may_be_deep(data):
                _refuse_depth(sample)
        else:
            sample = _decode_single(data)
        encoded = _encode(sample)
        # Most lines are written as we would write them; then no key was lost in reading.
        if not data.startswith(encoded):
            json_text.refuse_duplicates(data, encoded)
    except json_text.UNREADABLE:
        return _read_any_shape(data, path, line)
    except InputError as error:
        raise FileError(str(error), path=path, line=line) from None
    return sample


def _has_conversation(data: bytes) -> bool:
    """A guess, right for all but odd lines; a wrong one costs time and nothing else."""
    after = data.find(_FIELD) + len(_FIELD)
    return b"[" in data[after : after + 2]


def _refuse_depth(sample: Sample) -> None:
    for value, depth in free_values(sample):
        json_text.refuse_depth(value, depth)


def _read_any_shape(data: bytes, path: str, line: int) -> Sample:
    try:
        return read_sample(json_text.decode(data))
    except InputError as error:
        raise FileError(str(error), path=path, line=line) from None

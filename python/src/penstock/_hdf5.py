# SPDX-License-Identifier: Apache-2.0
"""Reads HDF5 files by h5py: arrays of one length, and files with a group for each episode, such as
those of Minari and robomimic; files of D4RL get the number of the episode of each step."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _array_batches, _batches, _reading
from ._array_batches import Part
from ._batches import Batches
from ._dtypes import Field
from ._ragged import Ragged

# The groups of episodes in the root, or in the group `data`.
_EPISODE = re.compile(r"(?:episode|demo|traj|trajectory|run)_?(\d+)")

# Arrays that end an episode, in files with all steps one after another.
_ENDS = ("terminals", "timeouts", "terminations", "truncations")

# A group of D4RL that describes how the data was made.
_METADATA = "metadata"

# The field with the number of the episode.
EPISODE = "episode"


def read(path: str, names: list[str] | None = None) -> Batches:
    """The records of a file, or of the group or array that the path names behind the file."""
    file, inside = _divided(path)
    h5py = _reading.package("h5py", "hdf5", path)
    try:
        opened = h5py.File(file, "r")
    except OSError as e:
        if e.errno is not None:
            raise
        raise _reading.UnreadableError(f"{file} could not be read as HDF5: {e}") from None
    if inside not in opened:
        raise LookupError(f"{file} has no array or group {inside}; it has {_listed(opened)}")
    mark = _reading.fingerprint(file, options=(inside, names))
    return batches_of(opened[inside], names, name=path, fingerprint=mark)


def _divided(path: str) -> tuple[str, str]:
    """The file, and the name behind it."""
    file = path
    while file and not os.path.isfile(file):
        parent = os.path.dirname(file)
        if parent == file:
            raise FileNotFoundError(2, os.strerror(2), path)
        file = parent
    return file, path[len(file) :].strip("/") or "/"


def _listed(file: Any) -> str:
    names = [name for name, _ in zip(file, range(20), strict=False)]
    return ", ".join(names) or "none"


def batches_of(
    item: Any,
    names: list[str] | None = None,
    *,
    name: str | None = None,
    fingerprint: str | None = None,
) -> Batches:
    """The records of an open file, group or array."""
    h5py = _reading.package("h5py", "hdf5", "an HDF5 file")
    what = f"{item.file.filename}{item.name.rstrip('/')}" if name is None else name
    if isinstance(item, h5py.Dataset):
        parts = _parts("value", item)
        return _array_batches.batches_of(what, parts, fingerprint=fingerprint)
    episodes = _episodes(item)
    if episodes:
        return _of_episodes(what, episodes, names, fingerprint)
    parts = _ended(item, _group_parts(item))
    if names is not None:
        parts = [part for part in parts if part.field.name in names]
    return _array_batches.batches_of(what, parts, fingerprint=fingerprint)


def _group_parts(group: Any, prefix: str = "") -> list[Part]:
    """The arrays in a group and the groups below it; single values are no fields."""
    parts: list[Part] = []
    for key, item in group.items():
        name = f"{prefix}{key}"
        if hasattr(item, "dtype"):
            parts += _parts(name, item) if item.shape else []
        elif prefix or key != _METADATA:
            parts += _group_parts(item, f"{name}.")
    return parts


def _parts(name: str, array: Any) -> list[Part]:
    h5py = _reading.package("h5py", "hdf5", name)
    if not array.shape:
        raise LookupError(f"{name} is a single value, and records need an array")
    count, shape, dtype = array.shape[0], array.shape[1:], array.dtype
    chunk = array.chunks[0] if array.chunks else 1
    text = h5py.check_string_dtype(dtype)
    items = h5py.check_vlen_dtype(dtype)
    if text is not None and text.length is None:
        _require_flat(name, shape)
        field = Field(name, np.dtype("S1"), (), True)
        return [Part(field, count, lambda a, b: _texts(array[a:b]), chunk)]
    if items is not None:
        _require_flat(name, shape)
        return [_ragged_part(name, array, np.dtype(items), chunk)]
    if dtype.hasobject:
        raise _reading.UnreadableError(
            f"the array {name} holds references or texts in records, which records cannot have; "
            "choose other fields"
        )
    field = Field(name, dtype, tuple(shape), False)
    part = Part(_array_batches.plain(field), count, lambda a, b: array[a:b], chunk)
    return _array_batches.split(field, part)


def _require_flat(name: str, shape: tuple[int, ...]) -> None:
    if shape:
        raise _reading.UnreadableError(
            f"the array {name} has several values of any length in each record; choose other fields"
        )


def _texts(values: Any) -> list[bytes]:
    return [one.encode() if isinstance(one, str) else bytes(one) for one in values]


def _ragged_part(name: str, array: Any, items: np.dtype[Any], chunk: int) -> Part:
    # Arrays of bytes are values of bytes, such as encoded images.
    is_bytes = items == np.uint8
    native = items.newbyteorder("=")
    field = Field(name, np.dtype("V1") if is_bytes else native, (), True)

    def values(start: int, stop: int) -> Ragged:
        rows = array[start:stop]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        joined = np.concatenate(list(rows)) if len(rows) else np.empty(0, native)
        return Ragged(joined.astype(native, copy=False), offsets)

    return Part(field, array.shape[0], values, chunk)


# Files with all steps one after another.


def _ended(group: Any, parts: list[Part]) -> list[Part]:
    """Adds the number of the episode, if arrays say which steps end one."""
    by_name = {part.field.name: part for part in parts}
    ends = [by_name[name] for name in _ENDS if name in by_name and not by_name[name].field.shape]
    is_ended = len(ends) > 1 and len({part.count for part in parts}) == 1
    if not is_ended or EPISODE in by_name:
        return parts
    # The numbers of finished episodes before a step. Steps are read in order.
    state = {"next": 0, "episodes": 0}

    def episodes(start: int, stop: int) -> Any:
        if start != state["next"]:
            raise _reading.UnreadableError(f"the steps of {group.file.filename} are read in order")
        is_last = np.zeros(stop - start, bool)
        for part in ends:
            is_last |= np.asarray(part.read(start, stop)).astype(bool)
        finished = state["episodes"] + np.cumsum(is_last)
        state["next"], state["episodes"] = stop, int(finished[-1]) if len(finished) else 0
        return np.concatenate([[finished[0] - is_last[0]], finished[:-1]]).astype(np.int64)

    field = Field(EPISODE, np.dtype(np.int64), (), False)
    return [Part(field, ends[0].count, episodes), *parts]


# Files with a group for each episode.


def _episodes(group: Any) -> list[tuple[int, Any]]:
    """The groups of episodes by their numbers; none if the groups are something else."""
    for parent in (group, group.get("data")):
        if parent is None or not hasattr(parent, "keys"):
            continue
        matches = [(_EPISODE.fullmatch(key), key) for key in parent]
        found = [(int(match[1]), key) for match, key in matches if match is not None]
        # A file may hold other groups beside them, such as masks.
        if found and all(not hasattr(parent[key], "dtype") for _, key in found):
            return [(number, parent[key]) for number, key in sorted(found)]
    return []


def _of_episodes(
    name: str, episodes: list[tuple[int, Any]], names: list[str] | None, fingerprint: str | None
) -> Batches:
    """Steps of episodes, one after another. An array with one more row than there are steps, such
    as the observations of Minari, becomes two fields: `NAME` and `next_NAME`."""
    template = _episode_parts(*episodes[0])
    if names is not None:
        template = [part for part in template if part.field.name in names]
    fields = [part.field for part in template]

    def batches() -> Iterator[list[Any]]:
        for number, group in episodes:
            parts = {part.field.name: part for part in _episode_parts(number, group)}
            chosen = [_alike(name, number, field, parts) for field in fields]
            count = _array_batches.require_one_length(f"{name}/{group.name}", chosen)
            step = _array_batches.rows_at_once(chosen)
            for start in range(0, count, step):
                yield [part.read(start, min(count, start + step)) for part in chosen]

    return Batches(name, fields, _joined(batches(), fields), fingerprint=fingerprint)


def _joined(small: Iterator[list[Any]], fields: list[Field]) -> Iterator[list[Any]]:
    """Batches of many short episodes together."""
    if any(field.variable for field in fields):
        yield from small
        return
    pending: list[list[Any]] = []
    size = 0
    for columns in small:
        columns = [np.asarray(column) for column in columns]
        pending.append(columns)
        size += sum(column.nbytes for column in columns)
        if size >= _batches.BATCH_BYTES:
            yield [np.concatenate(parts) for parts in zip(*pending, strict=True)]
            pending, size = [], 0
    if pending:
        yield [np.concatenate(parts) for parts in zip(*pending, strict=True)]


def _episode_parts(number: int, group: Any) -> list[Part]:
    parts = _group_parts(group)
    counts = [part.count for part in parts]
    # Actions are one for each step; states are those before and after.
    usual = [part.count for part in parts if part.field.name in ("actions", "rewards", "action")]
    steps = usual[0] if usual else min(counts, default=0)
    found: list[Part] = [_constant(number, steps)]
    for part in parts:
        if part.count == steps:
            found.append(part)
        elif part.count == steps + 1:
            found.append(dataclasses.replace(part, count=steps))
            found.append(_next(part, steps))
    return found


def _constant(number: int, count: int) -> Part:
    field = Field(EPISODE, np.dtype(np.int64), (), False)
    return Part(field, count, lambda start, stop: np.full(stop - start, number, np.int64))


def _next(part: Part, steps: int) -> Part:
    """The values one step later."""
    field = part.field._replace(name=f"next_{part.field.name}")
    return Part(field, steps, lambda start, stop: part.read(start + 1, stop + 1), part.chunk)


def _alike(name: str, number: int, field: Field, parts: dict[str, Part]) -> Part:
    part = parts.get(field.name)
    if part is None:
        raise _reading.UnreadableError(
            f"episode {number} of {name} has no array {field.name}, and the first episode has one;"
            " choose the fields that all episodes have"
        )
    if part.field != field:
        raise _reading.UnreadableError(
            f"{field.name} is {field} in the first episode of {name} and {part.field} in episode "
            f"{number}; choose other fields"
        )
    return part

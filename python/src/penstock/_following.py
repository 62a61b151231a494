# SPDX-License-Identifier: Apache-2.0
"""Datasets whose files grow or become more, for loaders that follow them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _arguments, _several
from ._dataset import Dataset
from ._dataset import open as open_dataset
from ._paths import absolute, is_remote
from .samplers import Block, Permutation, Sampler, Sequential, Share

Gather = Callable[[Any], Sequence[Any]]
"""Collects an object of every rank, on all ranks: `allgather` of MPI, for instance."""

_Entry = tuple[str, int]
_RESIZABLE = (Sequential, Permutation, Block, Share)


class Following:
    """The files of a pattern, a list or a path, in the order in which they were first seen.

    Files that appear later come behind those that are known, in the order of their names. Ranks
    agree about the longest list that all of them see, so that all of them begin an epoch with the
    same records.
    """

    dataset: Dataset

    def __init__(self, path: Any, gather: Gather | None, world_size: int) -> None:
        self._path = path
        self._gather = gather
        self._world_size = world_size
        self._files: list[str] = []
        # The files of the dataset, in its order.
        self._open: list[str] = []
        self._signature: Any = None
        agreed = self._agreed(self._listed())
        if agreed is None:
            raise ValueError(
                "the ranks see different files, and not one that is the same on all of them; this "
                f"rank sees {', '.join(self._listed())}"
            )
        self.dataset = agreed

    def _listed(self) -> list[str]:
        """The files that are there now, known ones first."""
        several = _several.paths(self._path)
        found = [absolute(one) for one in ([self._path] if several is None else several)]
        missing = [one for one in self._files if one not in found]
        if missing:
            raise FileNotFoundError(
                f"{missing[0]} is gone, and the loader has begun to read it; files that a loader "
                "follows may only be added"
            )
        return [*self._files, *(one for one in found if one not in self._files)]

    def grown(self) -> Dataset | None:
        """Returns the dataset with what was added since the last call; None if nothing was."""
        files = self._listed()
        signature = [_stat(one) for one in files]
        if self._gather is None and (files, signature) == self._signature:
            return None
        return self._agreed(files)

    def restored(self, files: Sequence[str]) -> Dataset | None:
        """Returns the dataset whose first files are those of a checkpoint, in their order; None if
        the order is the present one."""
        wanted = _found(files, self._listed())
        if wanted == self._files[: len(wanted)]:
            return self.grown()
        self._files = wanted
        return self._agreed(self._listed())

    def _agreed(self, files: list[str]) -> Dataset | None:
        """Opens the files that all ranks see, with the same number of records; None if these are
        no more records than before."""
        signature = [_stat(one) for one in files]
        is_alone = _several.paths(self._path) is None
        opened = _opened(files, is_alone)
        entries = _entries(files, opened)
        if self._gather is not None:
            common = _common([[(str(a), int(b)) for a, b in one] for one in self._gather(entries)])
            if common < len(files):
                opened.close()
                if common <= len(self._files):
                    return None
                files = files[:common]
                opened = _opened(files, is_alone)
                if _entries(files, opened) != entries[:common]:
                    opened.close()
                    return None
        known = getattr(self, "dataset", None)
        if known is not None and files == self._open and len(opened) == len(known):
            opened.close()
            self._signature = (files, signature)
            return None
        self._files, self._open, self._signature = files, files, (files, signature)
        self.dataset = opened
        return opened


def _found(files: Sequence[str], present: list[str]) -> list[str]:
    """The files of a checkpoint among those that are there, which may be in another folder now."""
    if all(one in present for one in files):
        return list(files)
    by_name = {os.path.basename(one): one for one in present}
    missing = [one for one in files if os.path.basename(one) not in by_name]
    if missing:
        raise ValueError(f"the checkpoint has a file {missing[0]}, which is not there any more")
    return [by_name[os.path.basename(one)] for one in files]


def _opened(files: list[str], is_alone: bool) -> Dataset:
    """Opens the files as one dataset. A single file of a pattern is the first of several."""
    opened = open_dataset(files[0] if is_alone else files)
    if not isinstance(opened, Dataset):
        raise TypeError(f"{files[0]} has no records")
    return opened


def _entries(files: list[str], opened: Dataset) -> list[_Entry]:
    """The name and the number of records of each file. A corpus of several files has its number
    with the last one."""
    parts = opened._parts if len(opened._parts) == len(files) else ()
    counts = [len(one) for one in parts] or [0] * (len(files) - 1) + [len(opened)]
    return [(os.path.basename(one), count) for one, count in zip(files, counts, strict=True)]


def _common(lists: list[list[_Entry]]) -> int:
    """How many entries all lists begin with."""
    count = 0
    for same in zip(*lists, strict=False):
        if any(one != same[0] for one in same):
            break
        count += 1
    return count


def _stat(path: str) -> tuple[int, ...]:
    """What changes when a file, or the files of a folder, are replaced."""
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size, found.st_ino


def following(data: Any, follow: bool | Gather, world_size: int) -> Following | None:
    """Returns what a loader follows: files that are named by a path, a list or a pattern. None for
    a store, whose commits Java follows, and for other data.

    Raises:
        ValueError: when several ranks cannot agree
    """
    is_path = isinstance(data, (str, bytes, os.PathLike))
    is_list = not is_path and isinstance(data, Iterable) and not hasattr(data, "__array__")
    if not follow or not (is_path or is_list) or isinstance(data, (dict, Dataset)):
        return None
    several = _several.paths(data) if is_path or all(map(_is_path, data)) else None
    first = several[0] if several else data
    if not _is_path(first) or is_remote(os.fsdecode(first)) or _is_store(first):
        return None
    return Following(data, _gather(follow, world_size), world_size)


def _is_path(one: Any) -> bool:
    return isinstance(one, (str, bytes, os.PathLike))


def _is_store(path: Any) -> bool:
    with open_dataset(path) as opened:
        return opened.format == "store"


def _gather(follow: bool | Gather, world_size: int) -> Gather | None:
    if world_size == 1:
        return None
    if callable(follow):
        return follow
    torch = sys.modules.get("torch")
    together: Any = getattr(torch, "distributed", None)
    is_ready = together is not None and together.is_available() and together.is_initialized()
    if is_ready and together.get_world_size() == world_size:
        return _gathered_by_torch
    raise ValueError(
        f"{world_size} ranks that follow files have to agree about the files of an epoch: "
        "initialise torch.distributed before the loader is made, or give follow= a function that "
        "gathers an object of all ranks, such as allgather of mpi4py"
    )


def _gathered_by_torch(entries: Any) -> Sequence[Any]:
    import torch

    gathered: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(gathered, entries)
    return gathered


def resized(sampler: Sampler, count: int) -> Sampler:
    """The same sampler for another number of records.

    Raises:
        ValueError: when it is bound to its number of records
    """
    if type(sampler) not in _RESIZABLE:
        raise ValueError(
            f"follow needs a sampler that works for any number of records, and "
            f"{_arguments.shown(sampler)} does not; use Permutation, Sequential, Block or Share"
        )
    _, named = sampler._made_of
    kind: Any = type(sampler)
    made: Sampler = kind(count, **named)
    made._told_epoch, made._told_count = sampler._told_epoch, sampler._told_count
    return made


def files_of(state: Any) -> list[str]:
    """The files of a checkpoint, in order."""

    def leaves(source: Any) -> list[str]:
        if not isinstance(source, dict):
            return []
        if "of" in source:
            return [path for one in source["of"] for path in leaves(one)]
        return [str(source["path"])] if "path" in source else []

    return leaves(state.get("source"))

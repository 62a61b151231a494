# SPDX-License-Identifier: Apache-2.0
"""Finds this process's rank and the number of ranks when a loader is made."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple


class Ranks(NamedTuple):
    """The rank of this process among the processes that share an epoch.

    Attributes:
        rank: the rank, from 0
        world_size: the number of processes
        local_world_size: the number of processes on this machine
        source: the source of the numbers, such as `torch.distributed`
    """

    rank: int
    world_size: int
    local_world_size: int
    source: str


# Variables that a launcher sets for each process that it starts: rank, world size, and the number
# of processes on the same machine. Slurm's variables are not among them: they describe the
# allocation, and one plain `python` inside it sees them as well.
_TORCHRUN = ("RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")
_LAUNCHERS = (
    _TORCHRUN,
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("PMI_RANK", "PMI_SIZE", ""),
)


def resolve(rank: int | None, world_size: int | None, local_world_size: int | None) -> Ranks:
    """Returns the given ranks, or the ranks of `torch.distributed`, the environment or JAX, in this
    order. Without any of them, the process is rank 0 of 1.

    Raises:
        ValueError: when the rank is out of range, or when the variables of the environment
            contradict each other
    """
    if rank is not None and world_size is not None:
        found = Ranks(rank, world_size, _local(world_size), "arguments")
    else:
        found = _from_torch() or _from_environment() or _from_jax() or Ranks(0, 1, 1, "default")
    if not 0 <= found.rank < found.world_size:
        raise ValueError(
            f"rank must be from 0 to world_size - 1, got rank {found.rank} and world_size "
            f"{found.world_size} (from {found.source})"
        )
    if local_world_size is None:
        return found
    if not 1 <= local_world_size <= found.world_size:
        raise ValueError(
            f"local_world_size must be 1 to the world size of {found.world_size}, "
            f"got {local_world_size}"
        )
    return found._replace(local_world_size=local_world_size)


def _from_torch() -> Ranks | None:
    """Returns the ranks of `torch.distributed`, if it is loaded and initialised."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    world_size = distributed.get_world_size()
    return Ranks(distributed.get_rank(), world_size, _local(world_size), "torch.distributed")


def _from_jax() -> Ranks | None:
    """Returns the ranks of JAX, if it is loaded and its distributed service is initialised. Asking
    JAX before that would make it look for devices."""
    jax: Any = sys.modules.get("jax")
    is_initialized = getattr(getattr(jax, "distributed", None), "is_initialized", None)
    if is_initialized is None or not is_initialized():
        return None
    world_size = jax.process_count()
    return Ranks(jax.process_index(), world_size, _local(world_size), "jax")


def _from_environment() -> Ranks | None:
    for rank_name, world_name, local_name in _LAUNCHERS:
        rank, world_size = _number(rank_name), _number(world_name)
        if rank is None and world_size is None:
            continue
        if world_size is None and rank:
            raise ValueError(
                f"{rank_name} is {rank}, but the number of ranks is missing: set {world_name}"
            )
        world_size = 1 if world_size is None else world_size
        if rank is None and rank_name == "RANK":
            rank = _rank_on_one_machine(world_size)
        if rank is None and world_size > 1:
            raise ValueError(
                f"{world_name} is {world_size}, but the rank of this process is missing: "
                f"set {rank_name}"
            )
        source = f"{rank_name} and {world_name}"
        return Ranks(rank or 0, world_size, _local(world_size, local_name), source)
    return None


def _rank_on_one_machine(world_size: int) -> int | None:
    """Returns the rank among the processes of this machine, if all processes are on it."""
    return _number("LOCAL_RANK") if _number("LOCAL_WORLD_SIZE") in (None, world_size) else None


def _local(world_size: int, name: str = _TORCHRUN[2]) -> int:
    """Returns the number of ranks on this machine according to the environment."""
    return max(1, min(world_size, _number(name) or 1))


def _number(name: str) -> int | None:
    text = os.environ.get(name, "").strip()
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{name} is {text!r}, which is not an integer") from None

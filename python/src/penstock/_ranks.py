# SPDX-License-Identifier: Apache-2.0
"""Which of several processes this one is, looked up whenever a loader is made."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple


class Ranks(NamedTuple):
    """The place of this process among those that share an epoch.

    Attributes:
        rank: from 0
        world_size: how many processes there are
        local_world_size: how many of them share this machine
        source: where the numbers came from, such as `torch.distributed`
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
    """The ranks that were given, or those of `torch.distributed`, the environment or JAX, in this
    order; a process that none of them knows is alone.

    Raises:
        ValueError: when the environment contradicts itself
    """
    if rank is not None and world_size is not None:
        found = Ranks(rank, world_size, _local(world_size), "arguments")
    else:
        found = _from_torch() or _from_environment() or _from_jax() or Ranks(0, 1, 1, "default")
    if local_world_size is None:
        return found
    if not 1 <= local_world_size <= found.world_size:
        raise ValueError(
            f"local_world_size must be 1 to the world size of {found.world_size}, "
            f"got {local_world_size}"
        )
    return found._replace(local_world_size=local_world_size)


def _from_torch() -> Ranks | None:
    """What `torch.distributed` says, without importing it."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    world_size = distributed.get_world_size()
    return Ranks(distributed.get_rank(), world_size, _local(world_size), "torch.distributed")


def _from_jax() -> Ranks | None:
    """What JAX says, if it is loaded and its processes know each other. Asking earlier would make
    JAX look for devices."""
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
                f"{rank_name} says that this is rank {rank}, and not how many ranks there are: "
                f"set {world_name}"
            )
        world_size = 1 if world_size is None else world_size
        if rank is None and rank_name == "RANK":
            rank = _rank_on_one_machine(world_size)
        if rank is None and world_size > 1:
            raise ValueError(
                f"{world_name} says that there are {world_size} ranks, and not which one this is: "
                f"set {rank_name}"
            )
        source = f"{rank_name} and {world_name}"
        return Ranks(rank or 0, world_size, _local(world_size, local_name), source)
    return None


def _rank_on_one_machine(world_size: int) -> int | None:
    """The rank among the processes of this machine, if all of them are on it."""
    return _number("LOCAL_RANK") if _number("LOCAL_WORLD_SIZE") in (None, world_size) else None


def _local(world_size: int, name: str = _TORCHRUN[2]) -> int:
    """How many ranks share this machine, as far as the environment says."""
    return max(1, min(world_size, _number(name) or 1))


def _number(name: str) -> int | None:
    text = os.environ.get(name, "").strip()
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{name} is {text!r}, which is not a whole number") from None

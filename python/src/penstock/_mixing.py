# SPDX-License-Identifier: Apache-2.0
"""Mixtures of datasets: `mix`, and `mix_from` for those that a file declares."""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _arguments, _jvm
from ._dataset import Dataset
from ._dataset import open as open_dataset
from ._errors import DatasetError
from ._paths import PathLike
from ._views import Mixture, flat, joined, joined_in_java, require_dataset
from .samplers import (
    Block,
    Permutation,
    Sampler,
    Sequential,
    Stages,
    Uniform,
    Weighted,
    seed_bits,
)
from .samplers import Mixture as MixtureSampler

Weights = Sequence[float] | Mapping[str, float]


@dataclass(frozen=True)
class Stage:
    """The weights of a mixture from a place of the run on.

    Attributes:
        start: the first sample of the stage, counted from the beginning of the run over all epochs
            and ranks, or the first step if `mix` is told a `step_size`
        weights: the weight of each source, in order or by name; sources without a weight are not
            drawn. Without any the weights come from the sizes, for which `mix` has `temperature`
        ramp: over how many samples, or steps, the weights move there in a line from those before
        where: conditions that narrow sources in this stage, by name. A source that is narrowed has
            an order of its own
    """

    start: int = 0
    weights: Weights | None = None
    ramp: int = field(default=0, kw_only=True)
    where: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def _declared(self, unit: str) -> dict[str, Any]:
        weights = None if self.weights is None else _plain(self.weights)
        return {unit: self.start, "ramp": self.ramp, "weights": weights, "where": dict(self.where)}


def _plain(weights: Weights) -> Any:
    if isinstance(weights, Mapping):
        return {str(name): _arguments.finite("weights", one) for name, one in weights.items()}
    return [_arguments.finite("weights", one) for one in weights]


def mix(
    *datasets: Dataset | Sequence[Dataset] | Mapping[str, Dataset],
    weights: Weights | Sequence[Stage | tuple[Any, ...]] | None = None,
    length: int | None = None,
    seed: int = 0,
    max_epochs: Mapping[str, float] | Sequence[float | None] | None = None,
    samplers: Mapping[str, Any] | Sequence[Any] | None = None,
    temperature: float | None = None,
    step_size: int | None = None,
) -> Mixture:
    """Mixes several datasets. A `Loader` draws from each in proportion to its weight.

    Weights that change during the run are a list of stages. Which source a sample of the run comes
    from is a function of its position alone, so a run resumes exactly with another number of ranks
    and another batch size, and no record of a source is skipped or repeated when weights change.
    Stages and sources may be added behind the position of a checkpoint. Give `length` then, because
    its default depends on the sources.

    Args:
        datasets: the sources, or a dictionary of them by name. Without names they are called "0",
            "1" and so on
        weights: the weight of each dataset, in order or by name; or a list of `Stage`, or of
            tuples of a first sample, weights and optionally the length of a ramp
        length: the number of samples in an epoch; by default the number of records, or all samples
            if every source has a largest number of epochs. With 0, epochs are empty
        seed: the seed of the shuffle inside each dataset, and of the mixture
        max_epochs: how many times the records of each source come at most, in order or by name;
            a source that has no more samples is left out from there on
        samplers: the sampler of each source, in order or by name; or a function that makes it of
            the dataset. By default each source is shuffled
        temperature: weights by size, where there are no weights: the number of records to the power
            of 1 / temperature. With 1 sources come as often as they have records, and large
            temperatures even them out
        step_size: if given, stages and ramps count steps of this many samples, over all ranks

    >>> import numpy as np, penstock
    >>> web, books = penstock.from_memory(np.arange(100)), penstock.from_memory(np.arange(100, 150))
    >>> stages = [(0, [1, 0]), (60, [1, 1])]
    >>> mixture = penstock.mix(web, books, weights=stages, length=100)
    >>> with penstock.Loader(mixture, batch_size=20) as loader:
    ...     [int((batch >= 100).sum()) for batch in loader]
    [0, 0, 0, 10, 10]
    """
    named = _by_name(datasets)
    is_constant = _is_constant(weights)
    is_plain = is_constant and not isinstance(weights, Mapping) and not _has_names(datasets)
    if is_plain and max_epochs is None and samplers is None and temperature is None:
        return _constant(tuple(named.values()), weights, length, seed)
    declared: dict[str, Any] = {
        "sources": [
            {"name": name, "max_epochs": limit}
            for name, limit in builtins.zip(
                named, _each("max_epochs", max_epochs, list(named)), strict=True
            )
        ],
        "length": length,
        "seed": seed_bits(seed),
        "temperature": None
        if temperature is None
        else _arguments.finite("temperature", temperature),
        "step_size": _arguments.integer_or_none("step_size", step_size, minimum=1),
    }
    if is_constant:
        declared["weights"] = None if weights is None else _plain(weights)  # type: ignore[arg-type]
    else:
        unit = "sample" if step_size is None else "step"
        declared["stages"] = [_stage(one)._declared(unit) for one in weights]  # type: ignore[union-attr]
    orders = [
        _order_of(name, given)
        for name, given in builtins.zip(
            named, _each("samplers", samplers, list(named)), strict=True
        )
    ]
    return _staged(named, declared, orders)


def _is_constant(weights: Any) -> bool:
    """Whether the weights are numbers, in order or by name, and no stages."""
    if weights is None or isinstance(weights, Mapping):
        return True
    return not any(isinstance(one, (Stage, tuple, list)) for one in weights)


def _has_names(datasets: Sequence[Any]) -> bool:
    return any(isinstance(one, Mapping) for one in datasets)


def _by_name(datasets: Sequence[Any]) -> dict[str, Dataset]:
    if not _has_names(datasets):
        return {str(i): one for i, one in enumerate(flat(datasets))}
    if len(datasets) > 1:
        raise TypeError("mix takes either datasets or one dictionary of datasets by name")
    return {str(name): require_dataset(one) for name, one in datasets[0].items()}


def _each(what: str, given: Any, names: list[str]) -> list[Any]:
    """Returns a value for each source, from values in order or by name."""
    if given is None:
        return [None] * len(names)
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(
                f"{what} has no source {unknown[0]!r}; the sources are {', '.join(names)}"
            )
        return [given.get(name) for name in names]
    values = list(given)
    if len(values) != len(names):
        raise ValueError(f"{what} has {len(values)} values for {len(names)} sources")
    return values


def _stage(one: Any) -> Stage:
    if isinstance(one, Stage):
        return one
    if not isinstance(one, (tuple, list)) or not 2 <= len(one) <= 3:
        raise TypeError(
            "a stage is a penstock.Stage, or a tuple such as (100_000, [3, 1]) of the first sample "
            f"and weights, got {_arguments.shown(one)}"
        )
    return Stage(one[0], one[1], ramp=one[2] if len(one) == 3 else 0)


Order = Callable[[Dataset, int], Sampler]
"""Makes the sampler of a part from its dataset and its seed."""


def _order_of(name: str, given: Any) -> Order:
    def order(part: Dataset, seed: int) -> Sampler:
        made = given(part) if callable(given) else given
        if made is None:
            return Permutation(len(part), seed=seed)
        if not isinstance(made, Sampler):
            raise TypeError(
                f"the sampler of source {name} must be one of penstock.samplers, or a function "
                f"that returns one, got {_arguments.shown(made)}"
            )
        if made.record_count != len(part):
            raise ValueError(
                f"the sampler of source {name} draws from {made.record_count} records, but the "
                f"source has {len(part)}; for a source that a stage narrows, give a function of "
                "the dataset"
            )
        return made

    return order


def _seed(seed: int, number: int) -> int:
    """The seed of a part, again of 64 bits."""
    return seed_bits((seed_bits(seed) + number) % (1 << 64))


def _constant(parts: tuple[Dataset, ...], weights: Any, length: int | None, seed: int) -> Mixture:
    if weights is None:
        raise TypeError("mix needs weights, or a temperature for weights by size")
    mixture = Mixture(*joined_in_java("concat", parts), ("mix",))
    joined(mixture, parts)
    orders = [Permutation(len(part), seed=_seed(seed, i)) for i, part in enumerate(parts)]
    mixture.sampler = MixtureSampler(
        orders, weights, len(mixture) if length is None else length, seed=seed
    )
    return mixture


def _staged(
    sources: Mapping[str, Dataset], declared: dict[str, Any], orders: Sequence[Order]
) -> Mixture:
    """Returns the mixture that a declaration in the words of mixture files describes."""
    datasets = list(sources.values())
    text = json.dumps(declared)
    parts: list[Dataset] = []
    samplers: list[Sampler] = []
    for source, condition in _jvm.call("mixtureParts", spec=text):
        part = datasets[source]
        part = part if condition is None else part.where(condition)
        samplers.append(orders[source](part, _seed(declared["seed"], len(parts))))
        parts.append(part)
    mixture = Mixture(*joined_in_java("concat", parts), ("mix",))
    joined(mixture, tuple(parts))
    mixture.sampler = Stages(samplers, declared)
    return mixture


def mix_from(path: PathLike) -> Mixture:
    """Opens the mixture that a file declares, in JSON or YAML: sources with their paths, and
    weights or stages. Paths are relative to the file. `penstock plan --mixture` shows what it
    draws.

    >>> import numpy as np, penstock
    >>> from pathlib import Path
    >>> penstock.write("web.npy", np.arange(100))
    >>> penstock.write("books.npy", np.arange(100, 150))
    >>> text = '''
    ... sources: {web: web.npy, books: {path: books.npy, max_epochs: 2}}
    ... stages:
    ...   - weights: {web: 1}
    ...   - {sample: 60, ramp: 20, weights: {web: 1, books: 1}}
    ... length: 100
    ... '''
    >>> _ = Path("mix.yaml").write_text(text)
    >>> with penstock.Loader(penstock.mix_from("mix.yaml"), batch_size=20) as loader:
    ...     [int((batch >= 100).sum()) for batch in loader]
    [0, 0, 0, 5, 10]
    """
    file = os.path.abspath(os.fsdecode(path))
    try:
        return _of_file(file)
    except ValueError as e:
        if file in str(e) or isinstance(e, DatasetError):
            raise
        raise ValueError(f"{file}: {e}") from e


def _of_file(file: str) -> Mixture:
    declared: dict[str, Any] = json.loads(_jvm.call("mixtureFile", path=file))
    folder = os.path.dirname(file)
    _jvm.call("mixtureParts", spec=json.dumps(declared))  # Refuses what is wrong before opening.
    given = declared["sources"]
    by_name: dict[str, Any] = (
        given
        if isinstance(given, dict)
        else {str(one.get("name", i)): one for i, one in enumerate(given)}
    )
    sources: dict[str, Dataset] = {}
    owned: list[Dataset] = []
    orders: list[Order] = []
    try:
        for name, one in by_name.items():
            source = {"path": one} if isinstance(one, str) else one
            dataset = _opened(name, source, folder)
            owned.append(dataset)
            condition = source.get("where")
            sources[str(name)] = dataset if condition is None else dataset.where(condition)
            orders.append(_order_in_file(str(name), source))
        mixture = _staged(sources, {**declared, "seed": declared.get("seed", 0)}, orders)
    except BaseException:
        for dataset in owned:
            dataset.close()
        raise
    mixture._owned = tuple(owned)
    return mixture


def _opened(name: str, source: Mapping[str, Any], folder: str) -> Dataset:
    if not source.get("path"):
        raise ValueError(f"source {name} of the mixture has no path")
    given = source["path"]
    paths = [
        one if "://" in one else os.path.join(folder, one)
        for one in ([given] if isinstance(given, str) else given)
    ]
    return open_dataset(paths[0] if len(paths) == 1 else paths)


def _order_in_file(name: str, source: Mapping[str, Any]) -> Order:
    kind = source.get("sampler") or ("weighted" if "weights" in source else "permutation")

    def order(part: Dataset, part_seed: int) -> Sampler:
        seed = source.get("seed", part_seed)
        if kind == "sequential":
            return Sequential(len(part))
        if kind == "block":
            return Block(
                len(part),
                block_size=source.get("block_size", 1024),
                window_blocks=source.get("window_blocks", 64),
                seed=seed,
            )
        if kind == "uniform":
            return Uniform(len(part), length=source.get("length", len(part)), seed=seed)
        if kind == "weighted":
            if "weights" not in source:
                raise ValueError(f"source {name} of the mixture needs weights, the name of a field")
            weights = np.asarray(part[source["weights"]][:], np.float64)
            return Weighted(weights, length=source.get("length"), seed=seed)
        if kind != "permutation":
            raise ValueError(
                f"source {name} of the mixture has a sampler {kind}; the samplers are permutation, "
                "sequential, block, uniform and weighted"
            )
        return Permutation(len(part), seed=seed)

    return order

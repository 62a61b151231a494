# SPDX-License-Identifier: Apache-2.0
"""Map-style datasets of PyTorch and Hugging Face: batches equal those of `default_collate`."""

from __future__ import annotations

from collections import OrderedDict, UserDict, UserList, namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from conftest import NEEDS_TORCH, Later
from sample_datasets import Rows, Squares

import penstock
from penstock._collation import torch_batch

torch: Any = Later("torch")

pytestmark = [NEEDS_TORCH, pytest.mark.xdist_group("torch")]

Pair = namedtuple("Pair", "left right")


@pytest.fixture(autouse=True)
def imported() -> None:
    """Samples become tensors if the program has imported PyTorch."""
    torch.manual_seed(1)


class Attributes(dict[str, Any]):
    """A mapping with more than its items."""


@dataclass
class Point:
    x: int


# Functions that make sample `i`, because PyTorch is imported when the tests run.
SAMPLES: dict[str, Callable[[int], Any]] = {
    "tensor": lambda i: torch.arange(6).reshape(2, 3) + i,
    "tensor without dimensions": lambda i: torch.tensor(i * 0.5),
    "tensor of bfloat16": lambda i: torch.full((3,), i, dtype=torch.bfloat16),
    "tensor that is a view": lambda i: (torch.arange(20).reshape(4, 5) + i).T[1:3],
    "tensor that needs gradients": lambda i: torch.ones(3, requires_grad=True) * i,
    "empty tensor": lambda i: torch.zeros(0, 3),
    "array of f4": lambda i: np.arange(6, dtype="f4").reshape(3, 2) + i,
    "array of u1": lambda i: np.full(5, i, "u1"),
    "array of u2": lambda i: np.full(5, i, "u2"),
    "array of bool": lambda i: np.array([True, False]),
    "array of complex numbers": lambda i: np.full(2, i * 1j),
    "array without dimensions": lambda i: np.array(i * 0.25),
    "array that is a view": lambda i: np.arange(20).reshape(4, 5)[::2, ::3] + i,
    "empty array": lambda i: np.zeros((0, 3)),
    "array of Fortran": lambda i: np.asfortranarray(np.arange(6.0).reshape(2, 3) + i),
    "arrays of two types": lambda i: np.ones(3, "f4" if i else "f8"),
    "memmap": lambda i: np.asarray([i]).view(np.memmap),
    "numpy scalar": lambda i: np.float32(i),
    "numpy integer": lambda i: np.int16(i),
    "numpy bool": lambda i: np.bool_(i % 2),
    "int": lambda i: i,
    "large int": lambda i: i + (1 << 62),
    "bool": lambda i: i % 2 == 0,
    "float": lambda i: i * 0.1,
    "int and float": lambda i: i if i == 0 else i * 0.5,
    "float and int": lambda i: i if i else 0.5,
    "nan": lambda i: float("nan") if i else 0.0,
    "str": lambda i: f"text {i}",
    "bytes": lambda i: b"x" * i,
    "tuple": lambda i: (i, f"{i}", np.ones(2) * i),
    "list": lambda i: [i, [i, "a"], b"c"],
    "tuple of one": lambda i: (i,),
    "empty tuple": lambda i: (),
    "named tuple": lambda i: Pair(i, Pair(torch.ones(2) * i, str(i))),
    "dict": lambda i: {"a": i, "b": {"c": (i, np.ones(3) * i)}, 3: "x"},
    "ordered dict": lambda i: OrderedDict(z=i, a=0.5),
    "dict of a class": lambda i: Attributes(a=i, b=[i]),
    "user dict": lambda i: UserDict(a=i, b=torch.ones(1) * i),
    "user list": lambda i: UserList([i, i * 0.5]),
    "range": lambda i: range(i, i + 3),
    "nested": lambda i: [{"p": Pair([i, (i, {"q": np.int8(i)})], "s")}, (torch.eye(2) * i,)],
}

REFUSED: dict[str, Callable[[int], Any]] = {
    "none": lambda i: None,
    "data class": lambda i: Point(i),
    "array of texts": lambda i: np.array(["a"]),
    "array of objects": lambda i: np.array([None, {}], object),
    "lists of two sizes": lambda i: list(range(i)),
    "tensors of two shapes": lambda i: torch.zeros(i),
    "arrays of two shapes": lambda i: np.zeros(i),
    "arrays that would fit one after another": lambda i: np.zeros([3, 5, 4, 4][i]),
    "number and text": lambda i: "1" if i else 1.0,
    "number and none": lambda i: None if i else 1,
    "too large": lambda i: 1 << 70,
    "sparse tensor": lambda i: torch.eye(3).to_sparse(),
}


def require_same(found: Any, wanted: Any) -> None:
    assert type(found) is type(wanted)
    if isinstance(wanted, torch.Tensor):
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        assert found.requires_grad == wanted.requires_grad
        equal = torch.equal(torch.nan_to_num(found.float()), torch.nan_to_num(wanted.float()))
        assert equal if not wanted.is_complex() else torch.equal(found, wanted)
    elif isinstance(wanted, (dict, UserDict)):
        assert list(found) == list(wanted)
        for key in wanted:
            require_same(found[key], wanted[key])
    elif isinstance(wanted, (str, bytes)):
        assert found == wanted
    else:
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            require_same(one, other)


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("name", SAMPLES)
def test_a_batch_is_that_of_default_collate(name: str) -> None:
    for count in (1, 2, 5):
        samples = [SAMPLES[name](i) for i in range(count)]
        require_same(torch_batch(samples), torch.utils.data.default_collate(samples))


@pytest.mark.parametrize("name", REFUSED)
def test_samples_that_default_collate_refuses_are_refused(name: str) -> None:
    samples = [REFUSED[name](i) for i in range(4)]
    with pytest.raises(Exception) as wanted:
        torch.utils.data.default_collate(samples)
    with pytest.raises(wanted.type):
        torch_batch(samples)


class Made:
    """Sample `i` as a function makes it."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        self.make = make

    def __len__(self) -> int:
        return 11

    def __getitem__(self, index: int) -> Any:
        return self.make(index)


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("name", SAMPLES)
def test_a_loader_gives_the_batches_of_data_loader(name: str) -> None:
    dataset = Made(SAMPLES[name])
    loader = penstock.Loader(dataset, 4, shuffle=False)
    for found, wanted in zip(loader, torch.utils.data.DataLoader(dataset, 4), strict=True):
        require_same(found, wanted)


def test_a_type_that_the_program_taught_default_collate_is_collated() -> None:
    known = torch.utils.data._utils.collate.default_collate_fn_map
    known[Point] = lambda batch, *, collate_fn_map=None: [one.x for one in batch]
    try:
        loader = penstock.Loader(Made(lambda i: {"p": Point(i)}), 4, shuffle=False)
        assert next(iter(loader))["p"] == [0, 1, 2, 3]
    finally:
        del known[Point]


def test_tensors_of_a_tensor_dataset_are_read_as_columns() -> None:
    data = torch.utils.data
    dataset = data.TensorDataset(torch.arange(60).reshape(20, 3), torch.rand(20))
    part = data.Subset(dataset, [3, 5, 7, 9, 2])
    for source in (dataset, part, data.ConcatDataset([dataset, part])):
        loader = penstock.Loader(source, 4, shuffle=False)
        for found, wanted in zip(loader, data.DataLoader(source, 4), strict=True):
            require_same(found, wanted)


def test_images_become_tensors_of_their_pixels() -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow; python/extra.sh images")
    loader = penstock.Loader(Made(lambda i: (image.new("RGB", (6, 4), (i, 0, 0)), i)), 4, seed=1)
    pixels, numbers = next(iter(loader))
    assert pixels.shape == (4, 4, 6, 3) and pixels.dtype == torch.uint8
    assert pixels[:, 0, 0, 0].tolist() == numbers.tolist()
    uneven = penstock.Loader(Made(lambda i: image.new("L", (i + 1, 4))), 4)
    with pytest.raises(ValueError, match="resize them"):
        next(iter(uneven))


@pytest.mark.parametrize("format_name", [None, "numpy", "torch"])
def test_a_hugging_face_dataset_is_read_by_columns(format_name: str | None) -> None:
    datasets = pytest.importorskip("datasets", reason="needs datasets; python/extra.sh readers")
    columns = {
        "id": list(range(50)),
        "score": [i * 0.5 for i in range(50)],
        "even": [i % 2 == 0 for i in range(50)],
        "text": [f"text {i}" for i in range(50)],
        "pair": [[i, -i] for i in range(50)],
    }
    arrow: Any = __import__("pyarrow")
    types = {"id": "int16", "score": "float32", "even": "bool", "text": "string"}
    table = arrow.table(columns)
    for number, (name, kind) in enumerate(types.items()):
        table = table.set_column(number, name, table[name].cast(kind))
    # Its fingerprint is given, because not every version of dill can pickle pyarrow's types.
    made = datasets.Dataset(datasets.table.InMemoryTable(table), fingerprint="columns")
    dataset = made.with_format(format_name)
    for source in (dataset, dataset.select([4, 3, 40, 7])):
        loader = penstock.Loader(source, 16, shuffle=False)
        for found, wanted in zip(loader, torch.utils.data.DataLoader(source, 16), strict=True):
            require_same(found, wanted)
    assert len(penstock.from_memory(dataset)) == 50
    with pytest.raises(TypeError, match=r"penstock\.write"):
        penstock.Loader(dataset.to_iterable_dataset(), 4)


def test_datasets_that_can_only_be_iterated_over_are_refused_with_advice() -> None:
    class Endless(torch.utils.data.IterableDataset):  # type: ignore[misc]
        def __iter__(self) -> Iterator[int]:
            return iter(range(10))

    class Counted(Endless):
        def __len__(self) -> int:
            return 10

    class Unknown(torch.utils.data.Dataset):  # type: ignore[misc]
        def __getitem__(self, index: int) -> int:
            return index

    class Plain:
        def __iter__(self) -> Iterator[int]:
            return iter(range(10))

    for source in (Endless(), Counted(), Unknown(), Plain()):
        for make in (penstock.from_memory, lambda one: penstock.Loader(one, 4)):
            with pytest.raises(TypeError, match=r"penstock\.write"):
                make(source)


def test_arguments_of_data_loader_mean_the_same() -> None:
    given: dict[str, Any] = {"shuffle": False, "drop_last": True, "collate_fn": list}
    dataset = Squares(11)
    found = list(penstock.Loader(dataset, 4, num_workers=0, pin_memory=True, **given))
    assert found == list(torch.utils.data.DataLoader(dataset, 4, num_workers=0, **given))


def test_samples_become_arrays_on_request() -> None:
    loader = penstock.Loader(Rows(np.arange(12).reshape(4, 3)), 4, to="numpy")
    assert isinstance(next(iter(loader))["row"], np.ndarray)
    tensors = penstock.Loader(Made(SAMPLES["tensor"]), 4, to="numpy")
    assert isinstance(next(iter(tensors)), torch.Tensor)

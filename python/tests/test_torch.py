# SPDX-License-Identifier: Apache-2.0
"""PyTorch: tensors over the same memory, and PyTorch's own DataLoader over our datasets."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NEEDS_TORCH, Later
from test_processes import EXERCISE

import penstock
from penstock import samplers, shards
from penstock._torch import to_torch

torch: Any = Later("torch")

# One process imports PyTorch for all these tests and their scripts.
pytestmark = [NEEDS_TORCH, pytest.mark.xdist_group("torch")]

RunTorch = Callable[[str], str]

IS_LONG = bool(os.environ.get("PENSTOCK_LONG"))

TYPES = {
    "?": "bool", "i1": "int8", "<i2": "int16", "<i4": "int32", "<i8": "int64",
    "u1": "uint8", "<u2": "uint16", "<u4": "uint32", "<u8": "uint64",
    "<f2": "float16", "<f4": "float32", "<f8": "float64", ">f4": "float32",
    "<c8": "complex64", "<c16": "complex128",
}  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_of_number_is_a_tensor_over_the_same_memory(dtype: str, tmp_path: Path) -> None:
    values = np.arange(12).reshape(4, 3).astype(dtype)
    np.save(tmp_path / "x.npy", values)
    ds = penstock.open(tmp_path / "x.npy")
    with penstock.Loader(ds, batch_size=4, shuffle=False, to="torch") as loader:
        tensor = next(iter(loader))
    assert tensor.dtype == getattr(torch, TYPES[dtype]) and tensor.shape == (4, 3)
    assert (tensor.numpy() == values).all()
    batch = ds[:]
    shared = penstock.collate(batch)
    shared[2, 1] = 1
    assert batch[2, 1] == 1 and shared.data_ptr() == batch.ctypes.data


def test_fields_stay_what_they_are_when_they_are_no_numbers(tmp_path: Path) -> None:
    rows = np.zeros(3, [("x", "<f4", 2), ("when", "<M8[s]"), ("name", "S4"), ("text", "<U3")])
    rows["name"], rows["text"] = b"ab", "cde"
    np.save(tmp_path / "x.npy", rows)
    ds = penstock.open(tmp_path / "x.npy")
    with penstock.Loader(ds, batch_size=3, to="torch") as loader:
        batch = next(iter(loader))
        kept = {name: type(values) for name, values in batch.items()}
    assert kept == dict.fromkeys(("when", "name", "text"), np.ndarray) | {"x": torch.Tensor}
    record = penstock.collate(ds[1])
    assert record["x"].shape == (2,) and record["name"] == b"ab" and record["text"] == "cde"


def test_tensors_outlive_their_loader(steps: Path) -> None:
    with penstock.open(steps) as ds, penstock.Loader(ds, 10, shuffle=False, to="torch") as loader:
        kept = list(loader)
    del loader
    with penstock.open(steps) as other:
        for _ in range(200):
            other[:10]["board"][:] = 77
    assert torch.cat([batch["board"] for batch in kept]).tolist() == list(range(1000))
    # Their memory is their own to write to.
    kept[0]["values"] *= 2
    assert kept[0]["values"][1].tolist() == [6, 8, 10]


def test_bfloat16(tmp_path: Path) -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    rows = np.zeros(5, [("x", bfloat16, 2), ("y", "<f4")])
    rows["x"] = np.arange(10).reshape(5, 2)
    penstock.write(tmp_path / "rows.npy", rows)
    penstock.write(tmp_path / "x.npy", np.arange(5).astype(bfloat16))
    plain = penstock.open(tmp_path / "x.npy")
    assert plain[:].dtype == bfloat16
    with penstock.Loader(plain, 5, shuffle=False, to="torch") as loader:
        tensor = next(iter(loader))
    assert tensor.dtype == torch.bfloat16 and tensor.tolist() == list(range(5))
    tensor = penstock.collate(plain[:])
    assert tensor.dtype == torch.bfloat16 and penstock.collate(plain[3]).item() == 3


def test_bfloat16_tensors_come_from_shards_and_go(tmp_path: Path) -> None:
    rows = torch.randn(100, 8).to(torch.bfloat16)
    with shards.Writer(tmp_path / "c", 8, dtype=torch.bfloat16) as writer:
        writer.append(rows)
    ds = penstock.open(tmp_path / "c")
    with penstock.Loader(ds, batch_size=100, shuffle=False, to="torch") as loader:
        read = next(iter(loader))
    assert read.dtype == torch.bfloat16 and torch.equal(read, rows)


def test_bfloat16_without_ml_dtypes(run_torch: RunTorch, tmp_path: Path) -> None:
    pytest.importorskip("ml_dtypes")
    import ml_dtypes

    penstock.write(tmp_path / "x.npy", np.arange(5).astype(ml_dtypes.bfloat16))
    run_torch(f"""
        import sys, warnings
        sys.modules["ml_dtypes"] = None
        warnings.filterwarnings("ignore", message="bfloat16 values come as uint16")
        import numpy as np, torch, penstock
        ds = penstock.open({str(tmp_path / "x.npy")!r})
        assert ds[:].dtype == np.uint16
        tensor = next(iter(penstock.Loader(ds, 5, shuffle=False, to="torch")))
        assert tensor.dtype == torch.bfloat16 and tensor.tolist() == [0, 1, 2, 3, 4]
    """)


def test_ragged_fields(pack: Path) -> None:
    with penstock.Loader(
        penstock.open(pack), 100, shuffle=False, to="torch", ragged=True
    ) as loader:
        batch = next(iter(loader))
    assert batch.values.dtype == torch.uint8 and batch.offsets.dtype == torch.int64
    assert len(batch) == 100 and batch[7].tolist() == [7] * 7 and batch[5:8][1].tolist() == [6] * 6
    assert batch.tolist()[3] == b"\3\3\3" and list(batch.lengths) == list(range(100))
    jagged = torch.nested.nested_tensor_from_jagged(batch.values, batch.offsets)
    assert jagged[9].tolist() == [9] * 9
    with penstock.Loader(penstock.open(pack), 100, shuffle=False, to="torch") as loader:
        assert next(iter(loader))[3] == b"\3\3\3"


def test_pinned_memory_is_asked_for_where_there_is_a_gpu(
    steps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ds = penstock.open(steps)
    with penstock.Loader(ds, 10, shuffle=False, to="torch", pin_memory=True) as loader:
        if not torch.cuda.is_available():
            assert next(iter(loader))["board"].tolist() == list(range(10))
            monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
            monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: ("pinned", tensor))
            assert {value[0] for value in next(iter(loader)).values()} == {"pinned"}
        else:
            assert all(value.is_pinned() for value in next(iter(loader)).values())


def test_a_type_that_an_old_pytorch_has_not_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(array: Any) -> Any:
        raise TypeError(f"can't convert np.ndarray of type numpy.{array.dtype}")

    monkeypatch.setattr("torch.from_numpy", refuse)
    with pytest.raises(TypeError, match=r"has no uint64; use PyTorch 2\.3 or newer"):
        to_torch({"x": np.zeros(3, np.uint64)})


def test_dlpack(steps: Path, tmp_path: Path) -> None:
    ds = penstock.open(steps)
    batch = ds[10:13]["values"]
    tensor = torch.from_dlpack(batch)
    assert tensor.data_ptr() == batch.ctypes.data and tensor[0].tolist() == [30, 31, 32]
    column = ds["values"]
    assert (torch.from_dlpack(column).numpy() == np.asarray(column)).all()
    assert (np.from_dlpack(column) == np.asarray(column)).all()
    np.save(tmp_path / "x.npy", np.arange(6).reshape(3, 2))
    plain = penstock.open(tmp_path / "x.npy")
    assert torch.from_dlpack(plain).tolist() == np.from_dlpack(plain).tolist() == plain[:].tolist()
    for without_copies in (column, plain):
        with pytest.raises(BufferError, match=r"view\(\)"):
            without_copies.__dlpack__(copy=False)
    with pytest.raises(BufferError):
        torch.from_dlpack(ds)


# PyTorch's own DataLoader.


def data_loader(*arguments: Any, **options: Any) -> Any:
    return torch.utils.data.DataLoader(*arguments, **options)


def boards(loader: Any) -> list[int]:
    seen: list[int] = []
    for batch in loader:
        assert set(batch) == {"board", "move", "values"}
        assert all(isinstance(values, torch.Tensor) for values in batch.values())
        assert (batch["values"][:, 0] == batch["board"].to(torch.float32) * 3).all()
        seen += batch["board"].tolist()
    return seen


def test_data_loader_in_order_and_shuffled(steps: Path) -> None:
    ds = penstock.open(steps)
    assert boards(data_loader(ds, batch_size=64, collate_fn=penstock.collate)) == list(range(1000))
    shuffled = boards(data_loader(ds, 64, shuffle=True, collate_fn=penstock.collate))
    assert sorted(shuffled) == list(range(1000)) and shuffled != sorted(shuffled)
    left = boards(data_loader(ds, 64, drop_last=True, collate_fn=penstock.collate))
    assert left == list(range(960))
    single = list(data_loader(ds, batch_size=None, collate_fn=penstock.collate))
    assert single[7]["values"].tolist() == [21, 22, 23] and single[7]["board"].item() == 7
    train, test = torch.utils.data.random_split(ds, [0.9, 0.1])
    assert len(boards(data_loader(train, 64, collate_fn=penstock.collate))) == 900
    assert len(boards(data_loader(test, 64, collate_fn=penstock.collate))) == 100


def test_data_loader_with_views_columns_and_packs(steps: Path, pack: Path) -> None:
    ds = penstock.open(steps)
    view = penstock.concat(ds.where("move == 2"), ds.select([5, 4]))
    assert boards(data_loader(view, 64, collate_fn=penstock.collate))[-3:] == [998, 5, 4]
    column = list(data_loader(ds["values"], 300, collate_fn=penstock.collate))
    assert torch.cat(column).tolist() == np.arange(3000).reshape(1000, 3).tolist()
    records = data_loader(penstock.open(pack), batch_size=30, collate_fn=penstock.collate)
    assert [record for batch in records for record in batch] == penstock.open(pack)[:]


def test_a_forgotten_collate_is_said(steps: Path) -> None:
    with pytest.raises(TypeError, match=r"collate_fn=penstock\.collate"):
        next(iter(data_loader(penstock.open(steps), batch_size=10)))
    batch = penstock.open(steps).__getitems__([1, 2])
    with pytest.raises(KeyError, match="nothing"):
        batch["nothing"]


# A spawned process imports PyTorch again, which takes seconds, so there is only one.
STARTS = [("spawn", 1), ("forkserver", 2)]


@pytest.mark.parametrize(("method", "count"), STARTS)
def test_worker_processes(method: str, count: int, steps: Path) -> None:
    ds = penstock.open(steps)
    order = samplers.Permutation(len(ds), seed=3)
    expected = [order.draw(0, 1000, epoch=epoch).tolist() for epoch in range(2)]
    loader = data_loader(
        ds,
        batch_size=64,
        sampler=order,
        num_workers=count,
        multiprocessing_context=method,
        persistent_workers=True,
        collate_fn=penstock.collate,
    )
    assert [boards(loader), boards(loader)] == expected


def test_errors_of_workers_arrive_as_what_they_are(steps: Path) -> None:
    wrong = data_loader(
        penstock.open(steps),
        sampler=[5000],
        num_workers=1,
        multiprocessing_context="forkserver",
        collate_fn=penstock.collate,
    )
    with pytest.raises(IndexError, match="5000"):
        next(iter(wrong))


def test_handlers_of_worker_processes_leave_the_runtime_its_own(
    run_torch: RunTorch, steps: Path
) -> None:
    """PyTorch sets them before the worker starts the runtime. A forked process need not import
    PyTorch again."""
    method = "spawn" if IS_LONG else "fork"
    output = run_torch(f"""
import penstock, torch
{EXERCISE}

class Faulty(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        global ds
        ds = penstock.open({str(steps)!r})
        exercise()
        return index

if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(Faulty(), num_workers=1,
                                         multiprocessing_context={method!r})
    print([int(batch) for batch in loader])
    """)
    assert output == "[0, 1, 2, 3]\n"


def test_workers_that_are_forked_after_the_runtime_started_read_tables(
    run_torch: RunTorch, steps: Path
) -> None:
    output = run_torch(f"""
        import penstock, torch
        ds = penstock.open({str(steps)!r})
        ds[:10]
        loader = torch.utils.data.DataLoader(ds, 64, num_workers=2, collate_fn=penstock.collate,
                                             multiprocessing_context="fork")
        for _ in range(2):
            print(torch.cat([batch["board"] for batch in loader]).tolist() == [*range(1000)])
        assert ds[5]["board"] == 5
    """)
    assert output == "True\nTrue\n"


def test_forked_workers_read_packs_and_stores_through_their_parent(
    run_torch: RunTorch, pack: Path, tmp_path: Path
) -> None:
    output = run_torch(f"""
        import penstock, torch
        pack = penstock.open({str(pack)!r})
        with penstock.Store({str(tmp_path / "store")!r}, "w", fields={{"x": {{}}}}) as store:
            store.extend({{"x": pack[:]}})
        store = penstock.Store({str(tmp_path / "store")!r})
        for ds, field in ((pack, None), (store._committed, "x")):
            loader = torch.utils.data.DataLoader(ds, 10, num_workers=2, collate_fn=penstock.collate,
                                                 multiprocessing_context="fork")
            for _ in range(2):
                records = [r for batch in loader for r in (batch[field] if field else batch)]
                print(records == pack[:])
    """)
    assert output == "True\n" * 4


def test_workers_that_are_forked_before_the_runtime_started_work(
    run_torch: RunTorch, steps: Path
) -> None:
    output = run_torch(f"""
        import penstock, torch

        class Lazy(torch.utils.data.Dataset):
            ds = None

            def __len__(self):
                return 1000

            def __getitems__(self, indices):
                self.ds = self.ds or penstock.open({str(steps)!r})
                return self.ds.__getitems__(indices)

        loader = torch.utils.data.DataLoader(Lazy(), 64, num_workers=2, collate_fn=penstock.collate,
                                             multiprocessing_context="fork")
        print(sorted(int(board) for batch in loader for board in batch["board"]) == [*range(1000)])
        assert penstock._jvm._functions is None
    """)
    assert output == "True\n"


# Our orders in PyTorch's DataLoader, and PyTorch's words for ours.


def test_the_sampler_of_a_loader_is_told_the_epoch(steps: Path) -> None:
    ds = penstock.open(steps)
    order = samplers.Permutation(1000, seed=2)
    epochs = [order.draw(0, 1000, epoch=epoch).tolist() for epoch in range(6)]
    order.set_epoch(1)
    loader = penstock.Loader(ds, batch_size=64, sampler=order, to="torch")
    for epoch in (1, 2, 5, 0):
        if epoch != 2:
            loader.sampler.set_epoch(epoch)
        assert boards(loader) == epochs[epoch]
    # Also when a pass has begun but given nothing yet.
    batches = iter(loader)
    loader.sampler.set_epoch(3)
    assert boards(batches) == epochs[3]
    # A pass that was left is begun again when its epoch is told again.
    next(iter(loader))
    loader.sampler.set_epoch(4)
    assert boards(loader) == epochs[4]
    # A state in that epoch is resumed, and earlier batches of the iterator are discarded.
    loader.set_epoch(2)
    batches = iter(loader)
    next(batches)
    state = loader.state_dict()
    loader.sampler.set_epoch(0)
    loader.load_state_dict(state)
    batches = iter(loader)
    loader.sampler.set_epoch(2)
    assert boards(batches) == epochs[2][64:]
    loader.sampler.set_epoch(0)
    loader.set_epoch(5)
    assert boards(loader) == epochs[5]


ORDERS: list[Callable[[], samplers.Sampler]] = [
    lambda: samplers.Sequential(1000),
    lambda: samplers.Permutation(1000, seed=5),
    lambda: samplers.Block(1000, block_size=10, window_blocks=3, seed=5),
    lambda: samplers.Share(1000, block_size=10, shares=2, seed=5),
    lambda: samplers.Window(1000, size=4, stride=2),
    lambda: samplers.Uniform(1000, length=300, seed=5),
    lambda: samplers.Weighted(np.arange(1000), length=500, seed=5),
    lambda: samplers.Subset(1000, np.arange(0, 1000, 2), samplers.Permutation(500)),
    lambda: samplers.Bucket(np.arange(1000) % 7, run_size=5, pool_size=50),
    lambda: samplers.Mixture([samplers.Permutation(600), samplers.Sequential(400)], [9, 1], 80),
]


@pytest.mark.parametrize("make", ORDERS)
def test_orders_in_a_data_loader(make: Callable[[], samplers.Sampler], steps: Path) -> None:
    order, ds = make(), penstock.open(steps)
    epochs = [order.draw(0, len(order), epoch=epoch).tolist() for epoch in range(3)]
    loader = data_loader(ds, batch_size=64, sampler=order, collate_fn=penstock.collate)
    assert len(loader) == -(-len(order) // 64)
    assert [boards(loader), boards(loader)] == epochs[:2] and order.epoch == 2
    order.set_epoch(0)
    by_hand = torch.utils.data.BatchSampler(order, 64, drop_last=True)
    loader = data_loader(ds, batch_sampler=by_hand, collate_fn=penstock.collate)
    whole = len(order) // 64 * 64
    assert boards(loader) == epochs[0][:whole] and boards(loader) == epochs[1][:whole]
    assert order.epoch == 2 and boards(loader) == epochs[2][:whole]


@pytest.mark.parametrize("taken", [0, 1, 7, 15, 16])
def test_a_data_loader_resumes_by_its_order(taken: int, steps: Path) -> None:
    ds, order = penstock.open(steps), samplers.Permutation(1000, seed=1)
    loader = data_loader(ds, batch_size=64, sampler=order, collate_fn=penstock.collate)
    batches = iter(loader)
    for _ in range(taken):
        next(batches)
    state = order.state_dict()
    # For the smaller batch at the end PyTorch has asked whether there is more.
    is_over = taken == 16
    assert (state["epoch"], state["delivered"]) == ((1, 0) if is_over else (0, taken * 64))
    again = samplers.Permutation(1000, seed=1)
    again.load_state_dict(state)
    loader = data_loader(ds, batch_size=64, sampler=again, collate_fn=penstock.collate)
    if not is_over:
        assert boards(loader) == order.draw(0, 1000, epoch=0).tolist()[taken * 64 :]
    assert boards(loader) == order.draw(0, 1000, epoch=1).tolist()


def test_a_tensor_of_bfloat16_is_a_dataset() -> None:
    tensor = torch.arange(6, dtype=torch.bfloat16).reshape(3, 2)
    ds = penstock.from_memory(tensor)
    assert ds.shape == (3, 2)
    batch = next(iter(penstock.Loader(tensor, 3, shuffle=False, to="torch")))
    assert batch.dtype == torch.bfloat16 and torch.equal(batch, tensor)

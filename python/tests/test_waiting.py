# SPDX-License-Identifier: Apache-2.0
"""Waiting for batches, the ends of epochs, errors that are met again, and memory of the process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import wait_until

import penstock

pytestmark = pytest.mark.full

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_control_c_arrives_while_a_slow_batch_is_awaited(run: Run) -> None:
    script = """
    import os, signal, tempfile, threading
    import numpy as np
    import penstock

    folder = tempfile.TemporaryDirectory()
    os.chdir(folder.name)
    penstock.write("one.a2pack", [b"some tokens", b"more"])
    # Half a million documents take the loader's thread a while to pack.
    many = penstock.open("one.a2pack").select(np.arange(500_000) % 2)
    slow = penstock.transforms.PackTokens(length=64)
    loader = penstock.Loader(many, 500_000, shuffle=False, transform=slow, threads=1)
    batches = iter(loader)
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        next(batches)
        print("too early")
    except KeyboardInterrupt:
        # The batch is not there yet: the interrupt did not wait for it.
        print(loader.stats()["queued"])
    # The same iterator goes on with the same batch.
    print(next(batches)["value_mask"].sum() == 500_000 * 15 // 2)
    print(next(batches, None), loader.stats()["wait_seconds"] > 0.2)
    """
    lines = run(script).stdout.split("\n")
    assert lines[:3] == ["0", "True", "None True"]


def test_epochs_are_the_same_when_batches_are_made_ahead_across_their_ends(tmp_path: Path) -> None:
    penstock.write(tmp_path / "n.npy", np.arange(100))
    ds = penstock.open(tmp_path / "n.npy")
    with penstock.Loader(ds, 10, seed=1) as loader:
        epochs = [[batch.tolist() for batch in loader] for _ in range(6)]
        for epoch, batches in enumerate(epochs):
            with penstock.Loader(ds, 10, seed=1) as alone:
                alone.set_epoch(epoch)
                assert [batch.tolist() for batch in alone] == batches
        # Prefetched batches are not counted as delivered, and appear nowhere else.
        assert loader.epoch == 6
        assert loader.state_dict()["epoch"] == 6
        assert loader.state_dict()["delivered"] == 0
        loader.set_epoch(2)
        assert [batch.tolist() for batch in loader] == epochs[2]
        state = loader.state_dict()
        loader.set_epoch(3)
        assert [batch.tolist() for batch in loader] == epochs[3]
        loader.load_state_dict(state)
        assert [batch.tolist() for batch in loader] == epochs[3]
        # A pass that is left early is not gone on with: the next one is the next epoch.
        for batch in loader:
            assert batch.tolist() == epochs[4][0]
            break
        assert loader.epoch == 4
        assert [batch.tolist() for batch in loader] == epochs[5]
        assert loader.epoch == 6
        # To go on with it, take the state and load it.
        batches = iter(loader)
        first = next(batches).tolist()
        loader.load_state_dict(loader.state_dict())
        rest = [batch.tolist() for batch in loader]
        assert len(rest) == 9
        assert first not in rest


def test_after_an_error_the_iterator_stays_or_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "r.a2pack"
    penstock.write(file, [bytes([65 + i]) * 100 for i in range(12)])
    data = bytearray(file.read_bytes())
    data[data.index(b"F" * 100) + 50] ^= 1
    file.write_bytes(data)
    ds = penstock.open(file)
    with penstock.Loader(ds, 4, shuffle=False) as loader:
        batches = iter(loader)
        assert next(batches)[0][:1] == b"A"
        for turn in range(2):
            with pytest.raises(penstock.CorruptDataError, match="record 5") as raised:
                next(batches)
            assert loader.state_dict()["delivered"] == 4
            if sys.version_info >= (3, 11):
                said = "the iterator stays at this batch" in str(
                    getattr(raised.value, "__notes__", "")
                )
                assert said == (turn == 0)
    with penstock.Loader(ds, 4, shuffle=False, on_error="skip") as loader:
        assert [len(batch) for batch in loader] == [4, 3, 4]


def test_idle_memory_of_the_process_has_one_limit(tmp_path: Path) -> None:
    penstock.write(tmp_path / "n.npy", np.zeros((64, 1 << 18), np.uint8))
    before = penstock.memory()["idle_limit_bytes"]
    try:
        penstock.memory(idle_limit=8 << 20)
        many = [penstock.open(tmp_path / "n.npy") for _ in range(4)]
        for ds in many:
            for count in (8, 12, 16):
                batch = ds[np.arange(count)]
                assert penstock.memory()["used_bytes"] >= batch.nbytes
                del batch
                assert penstock.memory()["idle_bytes"] <= 8 << 20
        assert penstock.memory()["idle_bytes"] > 0
        penstock.memory(idle_limit=0)
        assert penstock.memory()["idle_bytes"] == 0
        with pytest.raises(ValueError, match="idle_limit must be 0 or more, got -1"):
            penstock.memory(idle_limit=-1)
        with pytest.raises(TypeError, match=r"idle_limit must be an integer, got 1\.5"):
            penstock.memory(idle_limit=1.5)  # type: ignore[arg-type]
        with penstock.Loader(many[0], 8) as loader:
            batches = iter(loader)
            next(batches)
            wait_until(lambda: penstock.memory()["ahead_bytes"] > 0)
    finally:
        penstock.memory(idle_limit=before)


def test_parts_of_different_releases_say_reinstall(run: Run) -> None:
    script = """
    from penstock import _jvm
    import penstock

    _jvm.BRIDGE_VERSION += 1
    for _ in range(2):
        try:
            penstock.memory()
        except RuntimeError as e:
            print("reinstall" in str(e), "different releases" in str(e))
    """
    assert run(script).stdout == "True True\nTrue True\n"

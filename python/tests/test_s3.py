# SPDX-License-Identifier: Apache-2.0
"""Datasets in a bucket of an S3 server, in processes with its settings in their environment."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import command_line
from s3proxy import JAR, S3Proxy

Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = [
    pytest.mark.full,
    pytest.mark.xdist_group("s3"),
    pytest.mark.skipif(not JAR.exists(), reason="needs s3proxy, which the Java tests copy"),
]


def _npy(rows: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, rows)
    return file.getvalue()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Proxy]:
    server = S3Proxy(tmp_path_factory.mktemp("s3proxy"))
    server.put("/corpus")
    for number in range(3):
        rows = np.arange(100 * number, 100 * number + 100, dtype=np.int32)
        server.put(f"/corpus/folder/part-0000{number}.npy", _npy(rows))
    yield server
    server.close()


def test_a_bucket_is_opened_and_loaded(run: Run, server: S3Proxy) -> None:
    script = """
        import numpy as np
        import penstock
        with penstock.open("s3://corpus/folder") as dataset:
            assert dataset.path == "s3://corpus/folder"
            assert dataset.take([3, 299, 150]).tolist() == [3, 299, 150]
            assert dataset.verify().ok
            with penstock.Loader(dataset, batch_size=7, shuffle=True, seed=1) as loader:
                seen = np.concatenate(list(loader))
            assert sorted(seen.tolist()) == list(range(300))
    """
    run(script, **server.environment)


def test_an_absent_object_and_a_wrong_secret_are_told_apart(run: Run, server: S3Proxy) -> None:
    script = """
        import penstock
        try:
            penstock.open("s3://corpus/absent")
        except OSError as e:
            print(type(e).__name__, e)
    """
    absent = run(script, **server.environment).stdout
    assert absent.startswith("FileNotFoundError") and "s3://corpus/absent" in absent
    refused = run(script, **server.environment | {"AWS_SECRET_ACCESS_KEY": "wrong"}).stdout
    assert refused.startswith("PermissionError") and "SignatureDoesNotMatch" in refused


def test_a_store_is_copied_to_a_bucket_and_back(run: Run, server: S3Proxy, tmp_path: Path) -> None:
    script = f"""
        import os, pickle
        import numpy as np
        import penstock
        os.chdir({str(tmp_path)!r})
        texts = [f"text {{i}}" for i in range(3000)]
        penstock.convert({{"id": np.arange(3000), "text": texts}}, "store", to="store")
        up = penstock.copy("store", "s3://corpus/store")
        with penstock.open("s3://corpus/store") as dataset:
            assert dataset.format == "store" and dataset.fingerprint == up["fingerprint"]
            assert dataset[17]["text"] == "text 17", dataset[17]
            with penstock.Loader(dataset, batch_size=100, shuffle=True, seed=1) as loader:
                batches = iter(loader)
                remote = [next(batches)["id"].tolist() for _ in range(3)]
                state = str(loader.state_dict())
            seen = state + repr(dataset)
        with penstock.open("s3://corpus/folder") as dataset:
            seen += repr(pickle.dumps(dataset))
        with penstock.open("store") as dataset:
            with penstock.Loader(dataset, batch_size=100, shuffle=True, seed=1) as loader:
                batches = iter(loader)
                assert remote == [next(batches)["id"].tolist() for _ in range(3)]
        assert "test-secret" not in seen and "test-identity" not in seen
        down = penstock.copy("s3://corpus/store", "back")
        assert down["fingerprint"] == up["fingerprint"]
        try:
            penstock.Store("s3://corpus/store", "a")
        except ValueError as e:
            print(e)
    """
    assert "penstock.copy" in run(script, **server.environment).stdout


def test_a_conversion_to_a_bucket_is_made_here_and_copied(server: S3Proxy, tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "stage").mkdir()

    def result(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command_line(*words),
            env=os.environ | server.environment,
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )

    words = ("convert", "words.csv", "s3://corpus/words.npy", "--stage", "stage", "--json")
    made = result(*words)
    assert made.returncode == 0, made.stderr
    assert '"records":2' in made.stdout.replace(" ", "")
    assert list((tmp_path / "stage").iterdir()) == []
    assert "already exists" in result(*words).stderr
    assert "a=1" in result("head", "s3://corpus/words.npy").stdout
    copied = result("copy", "s3://corpus/words.npy", "copy.npy", "--json")
    assert '"keptBytes":0' in copied.stdout.replace(" ", ""), copied.stderr
    assert "test-secret" not in made.stdout + made.stderr + copied.stdout + copied.stderr


def test_commands_take_the_address_of_an_object(server: S3Proxy, tmp_path: Path) -> None:
    def output(*words: str) -> str:
        environment = os.environ | server.environment
        done = subprocess.run(
            command_line(*words), env=environment, capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "records          300" in output("info", "s3://corpus/folder")
    assert "value=0" in output("head", "s3://corpus/folder")
    assert output("verify", "s3://corpus/folder").startswith("OK: s3://corpus/folder")
    assert len(output("fingerprint", "s3://corpus/folder/part-00001.npy").strip()) == 32


def test_a_cache_holds_what_is_read(run: Run, server: S3Proxy, tmp_path: Path) -> None:
    server.put("/corpus/large.npy", _npy(np.arange(600_000, dtype=np.int64).reshape(-1, 4)))
    script = """
        import sys
        import numpy as np
        import penstock
        cache = sys.argv[1] if len(sys.argv) > 1 else None
        with penstock.open("s3://corpus/large.npy", cache=cache) as dataset:
            order = penstock.samplers.Block(len(dataset), block_size=500, window_blocks=8, seed=1)
            with penstock.Loader(dataset, batch_size=500, sampler=order) as loader:
                rows = np.concatenate(list(loader))
                stats = loader.stats()
            assert np.array_equal(np.sort(rows[:, 0]), np.arange(0, 600_000, 4))
            print(stats["requests"], stats["received_bytes"], stats["cache_hit_bytes"])
    """
    folder = tmp_path / "cache"
    environment = server.environment | {"PENSTOCK_CACHE": f"{folder}:1GB"}
    first = [int(word) for word in run(script, **environment).stdout.split()]
    # Blocks are fetched in the background beside the records that are needed at once.
    assert first[0] > 0 and 4_800_000 <= first[1] + first[2] <= 10_000_000
    done = subprocess.run(
        command_line("cache", "info", "--json"),
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    info = json.loads(done.stdout)
    assert {one["uri"] for one in info["objects"]} <= {"s3://corpus/large.npy"}
    cleared = subprocess.run(
        command_line("cache", "clear"), env=os.environ | environment, capture_output=True, text=True
    )
    assert cleared.returncode == 0 and not list(folder.rglob("*.block"))
    warmed = subprocess.run(
        command_line("cache", "warm", "s3://corpus/large.npy", "--json"),
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(warmed.stdout)["heldBytes"] >= 4_800_000
    second = [int(word) for word in run(script, **environment).stdout.split()]
    assert second[0] == 0 and second[2] >= 4_800_000
    wrong = run(
        """
        import penstock
        try:
            penstock.open("s3://corpus/large.npy", cache="much")
        except ValueError as e:
            print(e)
        """,
        **server.environment,
    )
    assert "'much' is not a cache" in wrong.stdout

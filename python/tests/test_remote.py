# SPDX-License-Identifier: Apache-2.0
"""Datasets of a web server on the loopback interface."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import penstock


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_a_table_of_a_web_server_is_opened(tmp_path: Path, address: str) -> None:
    rows = np.arange(60, dtype=np.int32).reshape(20, 3)
    np.save(tmp_path / "x.npy", rows)
    with penstock.open(f"{address}/x.npy") as dataset:
        assert dataset.path == f"{address}/x.npy"
        assert np.array_equal(dataset.take([3, 19, 0]), rows[[3, 19, 0]])
        assert dataset.verify().ok


def test_a_folder_of_a_web_server_is_opened_by_its_index_page(tmp_path: Path, address: str) -> None:
    for number in range(2):
        np.save(tmp_path / f"part-0000{number}.npy", np.full(5, number, np.int32))
    with penstock.open(address + "/") as dataset:
        assert len(dataset) == 10


def test_an_absent_file_is_not_found(address: str) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        penstock.open(f"{address}/absent.npy")


def test_a_remote_dataset_is_read_only(address: str) -> None:
    with pytest.raises(ValueError, match="is remote; write to a local path"):
        penstock.TableWriter(f"{address}/y.npy", "<i4")

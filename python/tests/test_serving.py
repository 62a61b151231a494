# SPDX-License-Identifier: Apache-2.0
"""The explorer, started from Python."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock


def _json(url: str) -> Any:
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


def test_the_explorer_shows_an_open_dataset(tmp_path: Path) -> None:
    penstock.write(tmp_path / "t.npy", np.arange(100, dtype=np.int64))
    with penstock.open(tmp_path / "t.npy") as ds, penstock.serve(ds) as explorer:
        page = _json(f"{explorer.url}overview?format=json")
        assert page["info"]["records"] == 100
        assert page["info"]["fingerprint"] == ds.fingerprint
        rows = _json(f"{explorer.url}records?dataset={page['dataset']}&start=7&count=1&format=json")
        assert rows["rows"][0]["cells"][0]["text"] == "7"


def test_a_notebook_shows_a_frame_which_the_server_allows(tmp_path: Path) -> None:
    penstock.write(tmp_path / "t.npy", np.arange(3))
    with penstock.open(tmp_path / "t.npy") as ds, penstock.serve(ds) as explorer:
        assert f'<iframe src="{explorer.url}"' in explorer._repr_html_()
        with urllib.request.urlopen(explorer.url) as answer:
            policy = answer.headers["Content-Security-Policy"]
        assert policy.endswith("frame-ancestors http://localhost:* http://127.0.0.1:*")


def test_a_closed_explorer_answers_nothing_and_leaves_the_dataset_open(tmp_path: Path) -> None:
    penstock.write(tmp_path / "t.npy", np.arange(3))
    with penstock.open(tmp_path / "t.npy") as ds:
        explorer = penstock.serve(ds)
        explorer.close()
        explorer.close()
        assert repr(explorer) == "<Explorer closed>"
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(explorer.url)
        assert ds[2] == 2


def test_a_taken_port_is_an_os_error(tmp_path: Path) -> None:
    penstock.write(tmp_path / "t.npy", np.arange(3))
    with penstock.open(tmp_path / "t.npy") as ds, penstock.serve(ds) as explorer:
        port = int(explorer.url.split(":")[2].split("/")[0])
        with pytest.raises(OSError, match="in use"):
            penstock.serve(ds, port=port)


@pytest.mark.parametrize("read_only", [True, False])
def test_flags_are_written_on_request_only(tmp_path: Path, read_only: bool) -> None:
    penstock.write(tmp_path / "t.npy", np.arange(9))
    with (
        penstock.open(tmp_path / "t.npy") as ds,
        penstock.serve(ds, read_only=read_only) as explorer,
    ):
        name = _json(f"{explorer.url}overview?format=json")["dataset"]
        request = urllib.request.Request(
            f"{explorer.url}flags?dataset={name}", data=b'{"indices": [3, 5]}', method="POST"
        )
        if read_only:
            with pytest.raises(urllib.error.HTTPError, match="400"):
                urllib.request.urlopen(request)
            assert not (tmp_path / "t.npy.flags.npy").exists()
        else:
            urllib.request.urlopen(request).close()
            assert np.load(tmp_path / "t.npy.flags.npy").tolist() == [3, 5]

# SPDX-License-Identifier: Apache-2.0
"""The explorer: a dataset in the browser, or in a frame of a notebook."""

from __future__ import annotations

import html
import webbrowser
from typing import Any

from . import _jvm
from ._dataset import Dataset

_FRAME = '<iframe src="{}" width="100%" height="{}" style="border: 1px solid #8888"></iframe>'


class Explorer:
    """A running explorer. A notebook shows it in a frame below the cell; everywhere else `url` is
    its address, with a secret token in it. It runs until `close` is called, or the process ends."""

    def __init__(
        self, dataset: Dataset, host: str, port: int, height: int, read_only: bool
    ) -> None:
        answer = _jvm.call(
            "explorer.serve",
            handle=dataset._java().number,
            host=host,
            port=int(port),
            readOnly=bool(read_only),
        )
        # The handle in Java stays open as long as the dataset is referred to.
        self._dataset = dataset
        self._server: int | None = answer["server"]
        self._height = height
        self.url: str = answer["url"]

    def open(self) -> None:
        """Opens the address in the browser."""
        webbrowser.open(self.url)

    def close(self) -> None:
        """Stops the server. The dataset stays open."""
        if self._server is not None:
            _jvm.call("explorer.stop", server=self._server)
            self._server = None

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Explorer {self.url if self._server is not None else 'closed'}>"

    def _repr_html_(self) -> str:
        return _FRAME.format(html.escape(self.url), self._height)


def serve(
    dataset: Dataset,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    height: int = 640,
    read_only: bool = True,
) -> Explorer:
    """Shows a dataset in the browser: its facts, records and fields, and the order of training.

    A notebook shows the result in a frame; elsewhere open its `url`, or call `open()`. Only
    somebody who knows the address, which has a secret token in it, can read the data.

    Args:
        dataset: An open dataset. It must stay open.
        host: The address to listen on. Only this machine reaches the default.
        port: The port to listen on, or 0 for any free one.
        height: The height of the frame in a notebook, in pixels.
        read_only: Whether nothing is written. With False, a button on the page writes the flagged
            records to `NAME.flags.npy` beside the dataset.

    Raises:
        OSError: The port is taken, or the host is not an address of this machine.
    """
    return Explorer(dataset, host, port, height, read_only)

# SPDX-License-Identifier: Apache-2.0
"""The program that decodes images for `penstock doctor`: reads images from its standard input, and
writes a line of JSON for each one that does not decode."""

from __future__ import annotations

import io
import json
import os
import struct
import sys
import warnings
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, BinaryIO

# The number of a field, the index of a record, and the size of an image.
_HEAD = struct.Struct(">IQI")

# Images that are decoded ahead of the oldest one.
_AHEAD_BYTES = 64 << 20


def main() -> int:
    try:
        from PIL import Image
    except ImportError:
        _answer(
            problem=f"{sys.executable} has no Pillow; "
            "install it with `pip install penstock[images]`"
        )
        return 1
    # Only decoding matters here. Very large images are decoded as well.
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None

    def decode(data: bytes) -> str | None:
        try:
            with Image.open(io.BytesIO(data)) as image:
                image.load()
            return None
        except Exception as e:
            return f"{type(e).__name__}: {e}".replace("<_io.BytesIO object", "<the image")

    count = 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        waiting: deque[tuple[int, int, int, Future[str | None]]] = deque()
        waiting_bytes = 0
        for field, index, data in _images(sys.stdin.buffer):
            count += 1
            waiting.append((field, index, len(data), pool.submit(decode, data)))
            waiting_bytes += len(data)
            while waiting and (waiting_bytes > _AHEAD_BYTES or waiting[0][3].done()):
                waiting_bytes -= waiting[0][2]
                _report(*waiting.popleft())
        for one in waiting:
            _report(*one)
    _answer(done=count)
    return 0


def _images(source: BinaryIO) -> Any:
    while head := source.read(_HEAD.size):
        field, index, size = _HEAD.unpack(head)
        yield field, index, source.read(size)


def _report(field: int, index: int, size: int, result: Future[str | None]) -> None:
    error = result.result()
    if error is not None:
        _answer(field=field, index=index, error=error[:200])


def _answer(**values: Any) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

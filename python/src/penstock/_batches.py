# SPDX-License-Identifier: Apache-2.0
"""Records in batches, and how they go to Java: through a pipe, in the layout that
`dev.penstock.convert.StreamedRecords` describes."""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np

from . import _dtypes, _jvm, _store_values
from ._dtypes import Field
from ._store_values import Packed

MAGIC = b"PENSTOCK RECORDS 1\n"

# Batches of sources that can choose their size have about this many bytes.
BATCH_BYTES = 8 << 20

# Ctrl-C is handled between writes.
_PIECE_BYTES = 16 << 20


class Batches:
    """Records of a source, batch after batch.

    Args:
        name: what the records come from, for messages
        fields: the fields of a record
        batches: the columns of each batch, in the order of the fields: arrays, lists of bytes,
            `Ragged`, or `Packed`. Each batch is used before the next one is asked for
        count: the number of records, or -1 if it is not known
        fingerprint: a text that stays the same as long as the source gives the same records.
            Without it, an interrupted conversion starts again
    """

    def __init__(
        self,
        name: str,
        fields: Sequence[Field],
        batches: Iterator[Sequence[Any]],
        *,
        count: int = -1,
        fingerprint: str | None = None,
    ) -> None:
        self.name = name
        self.fields = tuple(fields)
        self.count = count
        self.fingerprint = uuid.uuid4().hex if fingerprint is None else fingerprint
        self._batches = batches
        require_names(self.fields, name)

    def write(self, sink: Sink | BinaryIO) -> None:
        """Writes all records. An exception of the source is written as well, and raised."""
        sink.write(MAGIC)
        _message(
            sink,
            {
                "name": self.name,
                "fingerprint": self.fingerprint,
                "count": self.count,
                "fields": [_described(field) for field in self.fields],
            },
        )
        total = 0
        for columns in self._batches:
            packed = [_packed(*one) for one in zip(self.fields, columns, strict=True)]
            counts = {count for _, count in packed}
            if len(counts) > 1:
                raise ValueError(f"{self.name}: the columns of a batch have different lengths")
            rows = counts.pop() if counts else 0
            if rows:
                _batch(sink, [one for one, _ in packed], rows)
            total += rows
        _message(sink, {"end": total})


def require_names(fields: Sequence[Field], name: str) -> None:
    """Raises when there are no fields, or two of them have one name."""
    names = [field.name for field in fields]
    if not names:
        raise ValueError(f"{name} has no fields that can be read")
    for one in names:
        if names.count(one) > 1:
            raise ValueError(f"{name} has two fields called {one!r}; rename one of them")


def _described(field: Field) -> dict[str, Any]:
    dtype = field.dtype
    if dtype.kind == "S":
        kind, size = "utf8", dtype.itemsize
    elif dtype.kind == "U":
        kind, size = "utf32", dtype.itemsize
    elif dtype.kind == "V" and not _dtypes.is_bfloat16(dtype):
        kind, size = "bytes", dtype.itemsize
    else:
        kind, size = _dtypes.java_name(dtype), dtype.itemsize
    return {
        "name": field.name,
        "type": kind,
        "elementSize": size,
        "shape": list(field.shape),
        "variable": field.variable,
    }


def _packed(field: Field, values: Any) -> tuple[Packed, int]:
    if isinstance(values, Packed):
        if values.offsets is not None:
            return values, len(values.offsets) - 1
        return values, len(values.values) // max(1, field.item_size)
    column, count = _store_values.column(field, values)
    if isinstance(column, Packed):
        return column, count
    return _store_values.packed(field, column.values), count


def _message(sink: Sink | BinaryIO, values: dict[str, Any]) -> None:
    text = json.dumps(values).encode("ascii")
    sink.write(len(text).to_bytes(4, "little") + text)


def _batch(sink: Sink | BinaryIO, columns: list[Packed], rows: int) -> None:
    sizes = [
        [
            one.values.nbytes,
            0 if one.offsets is None else one.offsets.nbytes,
            0 if one.missing is None else one.missing.nbytes,
        ]
        for one in columns
    ]
    _message(sink, {"rows": rows, "columns": sizes})
    for one in columns:
        for part in (one.values, one.offsets, one.missing):
            if part is not None and part.nbytes:
                _memory(sink, part)


def _memory(sink: Sink | BinaryIO, array: np.ndarray[Any, Any]) -> None:
    sink.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def failure(sink: Sink | BinaryIO, kind: str, message: str) -> None:
    """Writes the failure of a source: `caller`, `data`, `disk` or `ended`."""
    _message(sink, {"failure": kind, "message": message})


class Sink:
    """The writing end of a pipe, without a buffer: closing it never writes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, data: Any) -> None:
        view = memoryview(data).cast("B")
        while len(view):
            # Fewer bytes are written when a signal arrives.
            view = view[os.write(self._descriptor, view[:_PIECE_BYTES]) :]

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def request(verb: str, sources: dict[str, Batches], **arguments: Any) -> Any:
    """Makes a request of Java that reads records of Python, and returns its answer.

    Another thread waits for Java. This one asks the sources for batches, so that their exceptions
    and Ctrl-C come here.

    Args:
        verb: the verb of the request
        sources: the records by the names of the arguments, in the order in which Java reads them
    """
    if not sources:
        return _jvm.call_patiently(verb, **arguments)
    handles: dict[str, _jvm.Handle] = {}
    sinks: dict[str, Sink] = {}
    try:
        for name in sources:
            source, sink = os.pipe()
            sinks[name] = Sink(sink)
            try:
                handles[name], _ = _jvm.create("the pipe", "pipe", descriptor=source)
            finally:
                # Java has its own now. Writing fails when Java closes that.
                os.close(source)
        return _request(verb, sources, handles, sinks, arguments)
    finally:
        for one in sinks.values():
            one.close()
        for handle in handles.values():
            handle.close()


def _request(
    verb: str,
    sources: dict[str, Batches],
    handles: dict[str, _jvm.Handle],
    sinks: dict[str, Sink],
    arguments: dict[str, Any],
) -> Any:
    answer: list[Any] = []
    error: list[BaseException] = []
    numbers = {name: handle.number for name, handle in handles.items()}

    def work() -> None:
        try:
            answer.append(_jvm.call(verb, **arguments, **numbers))
        except BaseException as e:
            error.append(e)
        finally:
            # A write of the other thread would wait for ever otherwise.
            for handle in handles.values():
                handle.close()

    thread = threading.Thread(target=work, name=f"penstock-{verb}", daemon=True)
    thread.start()
    try:
        # Java has an error, or needs no more records, when a pipe is broken.
        with suppress(BrokenPipeError):
            for name, batches in sources.items():
                _write(batches, sinks[name])
                sinks[name].close()
    finally:
        for sink in sinks.values():
            sink.close()
        thread.join()
    if error:
        raise error[0]
    return answer[0]


def _write(batches: Batches, sink: Sink) -> None:
    try:
        batches.write(sink)
    except BrokenPipeError:
        raise
    except BaseException as e:
        # Java must not keep what is there for a later attempt: the data may be gone by then.
        with suppress(BrokenPipeError):
            failure(sink, "ended", f"{batches.name} could not be read: {e!r}")
        raise

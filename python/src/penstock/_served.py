# SPDX-License-Identifier: Apache-2.0
"""Reads for forked processes, which the process that was forked carries out.

A Java runtime does not survive a fork. So before each fork this module makes a socket that the
child inherits, and the process that runs Java answers what the child asks: records by their
indices, and a few questions about a dataset. A child opens a connection for each of its threads, by
sending one end of a new pair of sockets. So no other process can connect, and a connection ends
with the process at its other end.
"""

from __future__ import annotations

import os
import pickle
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _index, _jvm
from ._dtypes import Field

if TYPE_CHECKING:
    from ._dataset import Dataset

# Questions that a child may ask, as requests to Java. None of them makes or changes an object.
VERBS = frozenset(("name", "find", "fingerprint", "fullFingerprint", "hasFingerprint"))

_ENDED = (
    "the process that opened the dataset has ended, and this process, which was forked from it, "
    "reads through it; start workers with spawn or forkserver where they outlive it"
)

# The ends of the socket by which children open connections.
_asking: socket.socket | None = None
_answering: socket.socket | None = None
# The connections of this process: those that it answers, and its own, one for each thread.
_answered: set[Connection[Any, Any]] = set()
_own = threading.local()


def _before_fork() -> None:
    global _asking, _answering
    if _asking is not None or _jvm.is_forked() or not _jvm.is_started():
        return
    _asking, _answering = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    threading.Thread(target=_accept, args=(_answering,), name="penstock-forks", daemon=True).start()


def _after_fork() -> None:
    """Closes what only the other process needs, so that a connection ends with that process."""
    global _answering, _own
    _own = threading.local()
    if _answering is not None:
        _answering.close()
        _answering = None
    while _answered:
        with suppress(OSError, KeyError):
            _answered.pop().close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)


def _accept(answering: socket.socket) -> None:
    while True:
        try:
            _, ends, _, _ = socket.recv_fds(answering, 1, 1)
        except OSError:
            return
        for end in ends:
            connection: Connection[Any, Any] = Connection(end)
            _answered.add(connection)
            threading.Thread(
                target=_Answers(connection).run, name="penstock-forked", daemon=True
            ).start()


class _Answers:
    """Answers the requests of one thread of a child."""

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self._connection = connection
        # Views of single fields, and datasets that came to the child as a pickle.
        self._columns: dict[tuple[int, str], _jvm.Handle] = {}
        self._opened: dict[bytes, Dataset] = {}

    def run(self) -> None:
        try:
            while True:
                self._connection.send_bytes(self._answer(self._connection.recv_bytes()))
        except (EOFError, OSError):
            pass
        finally:
            _answered.discard(self._connection)
            self._connection.close()
            for dataset in self._opened.values():
                dataset.close()

    def _answer(self, request: bytes) -> bytes:
        try:
            method, *arguments = pickle.loads(request)
            answer = True, getattr(self, method)(*arguments)
        except BaseException as e:
            answer = False, e
        try:
            return pickle.dumps(answer, protocol=5)
        except Exception:
            return pickle.dumps((False, RuntimeError(f"{type(answer[1]).__name__}: {answer[1]}")))

    def gather(
        self,
        number: int,
        column: str | None,
        fields: tuple[Field, ...],
        indices: _index.Indices,
        as_ragged: bool,
    ) -> dict[str, Any]:
        from ._dataset import gather

        handle: _jvm.Handle = _Known(number)
        if column is not None:
            handle = self._columns.get((number, column)) or self._column(number, column)
        return gather(handle, fields, indices, as_ragged)

    def _column(self, number: int, name: str) -> _jvm.Handle:
        handle, _ = _jvm.create(f"the column {name}", "choose", handle=number, fields=[name])
        self._columns[number, name] = handle
        return handle

    def open(self, recipe: bytes) -> int:
        from ._dataset import _reopen

        if recipe not in self._opened:
            self._opened[recipe] = _reopen(pickle.loads(recipe))
        return self._opened[recipe]._java().number

    def call(self, verb: str, arguments: dict[str, Any]) -> Any:
        if verb not in VERBS:
            raise _jvm.ForkedError(f"{verb} is not answered for forked processes")
        return _jvm.call(verb, **arguments)


class _Known(_jvm.Handle):
    """The number of an object that another handle keeps."""

    __slots__ = ()

    def __init__(self, number: int) -> None:
        self._number = number
        self._what = "the dataset"


def _ask(*request: Any) -> Any:
    connection = getattr(_own, "connection", None)
    if connection is None:
        connection = _own.connection = _connected()
    try:
        connection.send_bytes(pickle.dumps(request, protocol=5))
        is_fine, answer = pickle.loads(connection.recv_bytes())
    except (EOFError, OSError) as e:
        connection.close()
        _own.connection = None
        raise _jvm.ForkedError(_ENDED) from e
    except BaseException:
        # An interrupt: the answer would be taken for that of the next request.
        connection.close()
        _own.connection = None
        raise
    if not is_fine:
        raise answer
    return answer


def _connected() -> Connection[Any, Any]:
    if _asking is None:
        raise _jvm.ForkedError(_jvm.FORKED)
    mine, other = socket.socketpair()
    try:
        socket.send_fds(_asking, [b"."], [other.fileno()])
    except OSError as e:
        mine.close()
        raise _jvm.ForkedError(_ENDED) from e
    finally:
        other.close()
    return Connection(mine.detach())


class ServedRecords:
    """The records of a dataset, read by the process that was forked."""

    def __init__(self, handle: _jvm.Handle, portable: Callable[[], tuple[Any, ...]]) -> None:
        self._handle = handle
        self._portable = portable

    def _number(self) -> int:
        """The number of the dataset in the other process. A dataset that came as a pickle is opened
        there on first use."""
        try:
            return self._handle.number
        except _jvm.ForkedError:
            number: int = _ask("open", pickle.dumps(self._portable()))
            return number

    def gather(
        self,
        fields: tuple[Field, ...],
        column: str | None,
        indices: _index.Indices,
        as_ragged: bool,
    ) -> dict[str, Any]:
        wanted = np.ascontiguousarray(indices)
        answer: dict[str, Any] = _ask("gather", self._number(), column, fields, wanted, as_ragged)
        return answer


def call(verb: str, arguments: dict[str, Any]) -> Any:
    """`_jvm.call` in a forked process, for the questions of `VERBS`."""
    return _ask("call", verb, arguments)

# SPDX-License-Identifier: Apache-2.0
"""Changes of a store on their way to Java."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from . import _jvm, _store_values
from ._dtypes import Field
from ._errors import StoreLostError
from ._losses import Losses

PENDING_COUNT = 10_000
PENDING_BYTES = 4 << 20

Row = tuple[bytes | None, ...] | bytes | None
"""The values of a record in the order of the fields. With one field it is the value itself: the
garbage collector looks at tuples and not at `bytes`."""

# Stands for the index of a record that may have moved.
_ANY_INDEX = 1 << 63


class _Author(NamedTuple):
    """What a thread has done since the last commit: the last record it appended, and the numbers of
    its last update or delete and of its last change."""

    record: int
    edit: int
    change: int


_NOBODY = _Author(-1, 0, 0)
_new_author = tuple.__new__


def size_of(row: Row) -> int:
    """The number of bytes of a record."""
    if type(row) is tuple:
        return sum([len(value) for value in row if value])
    return len(row) if row else 0


class Changes:
    """The changes of all threads since the last commit.

    Records that are appended one by one are collected, and passed to Java together. An interrupt
    may come at any moment, such as Ctrl-C when Java has the records and Python does not know it
    yet. Therefore each call of Java has a ticket, and after an exception the next call asks Java
    what has happened.

    **Threads.** Guarded by the lock of the store, except where a method says otherwise.
    """

    def __init__(
        self,
        lock: Any,
        handle: _jvm.Handle,
        fields: tuple[Field, ...],
        path: str,
        count: int,
    ) -> None:
        self._lock = lock
        self._handle = handle
        self._fields = fields
        # The number of Java's records, and the records that Java does not have.
        self._count = count
        self._rows: list[Row] = []
        self._size = 0
        self._ticket = 0
        # Whether a call of Java has begun whose result is not noted, and whether to ask Java.
        self._is_handing_over = False
        self._is_doubtful = False
        self._discard_count = 0
        self._loss_count = 0
        self._path = path
        self._losses = Losses()
        # The thread that rolls back.
        self._discarder: threading.Thread | None = None
        # The number of changes, and how many of them are committed.
        self._made = 0
        self._committed = 0
        self._authors: dict[threading.Thread, _Author] = {}
        # The thread whose records may be added by `add`, and the thread that has added the last
        # records, whose last index is not noted yet.
        self.quick_thread: threading.Thread | None = None
        self._adder: threading.Thread | None = None

    @property
    def count(self) -> int:
        """The number of records. Needs no lock unless a call was interrupted."""
        if self._is_doubtful or self._is_handing_over:
            with self._lock:
                self._settle()
        return self._count + len(self._rows)

    @property
    def is_uncommitted(self) -> bool:
        """Whether there are changes that are not committed."""
        return self._made > self._committed

    @property
    def is_author(self) -> bool:
        """Whether the current thread has made some of them."""
        author = self._authors.get(threading.current_thread())
        return author is not None and author.change > self._committed

    def add(self, row: Row, size: int) -> int:
        """Appends a record of the thread `quick_thread`: one that did nothing but append records
        since `append`. Nothing has to be checked or noted for it then."""
        rows = self._rows
        rows.append(row)
        self._size += size
        index = self._count + len(rows) - 1
        if len(rows) >= PENDING_COUNT or self._size >= PENDING_BYTES:
            self._flush_with(row)
        return index

    def _end_adding(self) -> None:
        """Notes the records of `add`. All other changes and commits begin with it."""
        self.quick_thread = None
        if self._adder is not None:
            record, edit, change = self._authors.get(self._adder, _NOBODY)
            last = self._count + len(self._rows) - 1
            self._authors[self._adder] = _Author(max(last, record), edit, change)
            self._adder = None

    def _doubt(self) -> None:
        """Has the next call ask Java what has happened. Needs no lock."""
        self._is_doubtful = True
        self.quick_thread = None

    def begin(self) -> None:
        """Begins a change.

        Raises:
            StoreLostError: when earlier changes of this thread were given up
        """
        self._end_adding()
        self._settle()
        self._losses.require_none()

    def append(self, row: Row) -> int:
        """Appends a record and returns its index. If this raises an error, the record is not there
        and the call can be repeated; after an interrupt `count` tells."""
        self.begin()
        index = self._count + len(self._rows)
        self._note(index=index)
        self._rows.append(row)
        self._size += size_of(row)
        # One call for many small records.
        if len(self._rows) >= PENDING_COUNT or self._size >= PENDING_BYTES:
            self._flush_with(row)
        elif not self._is_handing_over and not self._is_doubtful:
            self._adder = self.quick_thread = threading.current_thread()
        return index

    def _flush_with(self, row: Row) -> None:
        """Passes the collected records to Java. If that fails, the last one is not there."""
        try:
            self.flush()
        except Exception:
            self._take_back(row)
            raise

    def _take_back(self, row: Row) -> None:
        with suppress(Exception):
            self._settle()
            if self._rows and self._rows[-1] is row:
                self._rows.pop()

    def _note(self, *, index: int = -1, is_edit: bool = False) -> None:
        me = threading.current_thread()
        record, edit, _ = self._authors.get(me, _NOBODY)
        self._made = made = self._made + 1
        latest = (index if index > record else record, made if is_edit else edit, made)
        # A named tuple would call a function of Python for each record.
        self._authors[me] = _new_author(_Author, latest)

    def flush(self) -> None:
        """Passes the collected records to Java."""
        self._end_adding()
        self._settle()
        if self._rows:
            rows: Any = self._rows
            values = [rows] if len(self._fields) == 1 else list(zip(*rows, strict=True))
            columns = [_store_values.packed(*one) for one in zip(self._fields, values, strict=True)]
            self._hand_over(columns, len(self._rows))

    def extend(self, columns: list[_store_values.Packed], count: int) -> None:
        """Appends records, all of them or none. There must be no collected ones."""
        self._note(index=self._count + count - 1)
        self._hand_over(columns, count)

    def _hand_over(self, columns: list[_store_values.Packed], count: int) -> None:
        requests = [column.request() for column in columns]
        answer = self._java("storeAppend", columns=requests, count=count)
        # No interrupt comes between these.
        self._count, self._rows, self._size, self._is_handing_over = answer, [], 0, False

    def edit(self, verb: str, **arguments: Any) -> Any:
        """Updates or deletes records. There must be no collected ones."""
        self._note(is_edit=True)
        try:
            return self._java(verb, **arguments)
        finally:
            self._settle()

    def read(self, call: Callable[[], Any]) -> Any:
        """Reads from Java's writer, which passes on the collected records and writes all values
        before. So this may fail like a change."""
        self.flush()
        try:
            return call()
        except StoreLostError as error:
            self._doubt()
            self._hear(error)
            raise
        except BaseException:
            self._doubt()
            raise

    def _hear(self, error: StoreLostError) -> None:
        """Notes a loss of which the current thread gets this exception."""
        self._settle()
        error.first_lost_index = self._losses.tell(threading.current_thread())

    def _java(self, verb: str, **arguments: Any) -> Any:
        """Calls Java. Until its result is noted, nobody knows whether the call has happened."""
        number = self._handle.number
        self._ticket, self._is_handing_over = self._ticket + 1, True
        arguments["seenCount"] = self._discard_count
        try:
            return _jvm.call(verb, handle=number, ticket=self._ticket, **arguments)
        except StoreLostError as error:
            self._hear(error)
            raise

    def _settle(self) -> None:
        """Asks Java what has become of a call that was interrupted or has failed. It may itself be
        interrupted, and repeated."""
        if not self._is_handing_over and not self._is_doubtful:
            return
        self._end_adding()
        self._is_doubtful = False
        try:
            found = _jvm.call("storeOutcome", handle=self._handle.number, ticket=self._ticket)
            is_discarded = found["discardCount"] > self._discard_count
            is_taken = self._is_handing_over and found["isTaken"]
            rows, size = ([], 0) if is_discarded or is_taken else (self._rows, self._size)
            authors = {} if is_discarded else self._authors
            committed = self._made if is_discarded else self._committed
            if is_discarded:
                self._note_loss(found)
            elif found["count"] < self._count:
                # A delete has moved a record.
                authors = {one: old._replace(record=_ANY_INDEX) for one, old in authors.items()}
            self._count, self._rows, self._size = found["count"], rows, size
            self._authors, self._committed = authors, committed
            self._discard_count, self._loss_count = found["discardCount"], found["lossCount"]
            self._is_handing_over, self._discarder = False, None
        except BaseException:
            self._doubt()
            raise

    def _note_loss(self, found: dict[str, Any]) -> None:
        """Notes who must hear that the changes are discarded."""
        count, is_failure = found["count"], found["lossCount"] > self._loss_count
        reason = (
            found["reason"]
            if is_failure
            else f"{self._path}: another thread has rolled back, and the changes since the last "
            "commit are given up; make them again"
        )
        self._losses.note(self._threads_of_lost_rows(count), count, reason, is_failure=is_failure)
        if self._discarder is not None:
            self._losses.tell(self._discarder)

    def _threads_of_lost_rows(self, count: int) -> list[threading.Thread]:
        """The threads with changes that are not among the committed records."""
        return [
            thread
            for thread, author in self._authors.items()
            if (author.record >= count or author.edit > self._committed) and thread.is_alive()
        ]

    def commit(self, is_publishing: bool, on_commit: Callable[[], None]) -> dict[str, Any]:
        """Commits the changes of all threads. The calling thread does not hold the lock, so that
        others can go on meanwhile.

        Args:
            is_publishing: whether programs that know only the published layout are to see it
            on_commit: called with the lock, when there is a new commit

        Returns:
            the sequence of the commit, and perhaps a warning, or why it is unpublished

        Raises:
            OSError: when it failed, or changes were given up earlier
        """
        with self._lock:
            self._settle()
            self._require_committable()
            self.flush()
            made, end, number = self._made, self._count, self._handle.number
        answer = self._commit(number, is_publishing)
        with self._lock:
            if answer["discardCount"] != self._discard_count:
                self._doubt()
            self._settle()
            # Another thread may have lost these changes before they were committed.
            self._losses.require_kept(end)
            self._note_commit(made, on_commit)
            return answer

    def _require_committable(self) -> None:
        """Raises when the current thread must hear of a loss. When other threads have lost changes
        and it does not know, the changes since are given up as well, so that all have to be made
        again."""
        self._losses.require_none()
        if self._losses.is_unknown:
            self._java("storeRollback")
            self._settle()
            self._losses.report()

    def _note_commit(self, made: int, on_commit: Callable[[], None]) -> None:
        if made > self._committed:
            on_commit()
            self._committed = made
        if made == self._made:
            self._authors.clear()
        self._losses.committed()

    def _commit(self, number: int, is_publishing: bool) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = _jvm.call(
                "storeCommit", handle=number, isPublishing=is_publishing
            )
            return answer
        except StoreLostError as error:
            self._doubt()
            with self._lock:
                self._hear(error)
            raise
        except BaseException:
            self._doubt()
            raise

    def rollback(self) -> None:
        """Discards the changes of all threads since the last commit. The others are told."""
        self._end_adding()
        self._settle()
        self._discarder = threading.current_thread()
        self._java("storeRollback")
        self._settle()
        self._losses.forget()

    def discard(self) -> None:
        """Forgets the collected records of a store that is closed."""
        self._adder = self.quick_thread = None
        self._rows, self._size = [], 0

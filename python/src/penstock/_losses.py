# SPDX-License-Identifier: Apache-2.0
"""Who must hear that changes of a store were given up."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from ._errors import StoreLostError, store_error


class Losses:
    """Changes that were given up because a write failed, or another thread has rolled back.

    Each thread whose changes are lost hears of it once, by the next call that would change or
    commit something. After a failed write so does the first commit by a thread that does not know
    of it.

    **Threads.** Guarded by the lock of the store.
    """

    def __init__(self) -> None:
        self._reason = ""
        # The first index that was given up last.
        self._first = 0
        # The threads whose changes were given up, with the first index, if they do not know.
        self._untold: dict[threading.Thread, int] = {}
        # The threads that know of the last failed write, and whether no commit has reported it.
        self._told: frozenset[threading.Thread] = frozenset()
        self._is_open = False

    def note(
        self, authors: Iterable[threading.Thread], first: int, reason: str, *, is_failure: bool
    ) -> None:
        """Notes a loss of changes of these threads, which do not know of it yet. It may be
        repeated."""
        self._untold = {**dict.fromkeys(authors, first), **self._untold}
        self._first = first
        if is_failure or not self._is_open:
            self._reason = reason
        if is_failure:
            self._told, self._is_open = frozenset(), True

    def tell(self, thread: threading.Thread) -> int:
        """Notes that a thread gets an exception, or discards its changes itself. Returns the first
        index that it has lost."""
        first = self._untold.get(thread, self._first)
        self._told, self._untold = self._told | {thread}, self._without(thread)
        return first

    def _without(self, thread: threading.Thread) -> dict[threading.Thread, int]:
        return {one: first for one, first in self._untold.items() if one is not thread}

    def forget(self) -> None:
        """Notes that the current thread has discarded the changes of all threads."""
        self.tell(threading.current_thread())
        self._is_open = False

    @property
    def is_unknown(self) -> bool:
        """Whether a write failed, and neither the current thread nor a commit has heard of it."""
        return self._is_open and threading.current_thread() not in self._told

    def require_none(self) -> None:
        """Raises when changes of the current thread were given up and it does not know.

        Raises:
            StoreLostError: when it must hear of it
        """
        if self._untold and threading.current_thread() in self._untold:
            self._fail(self._is_open)

    def require_kept(self, end: int) -> None:
        """Raises when records before an index, which the current thread has just committed, were
        given up before that.

        Raises:
            StoreLostError: when it must hear of it
        """
        self.require_none()
        if self.is_unknown and self._first < end:
            self._fail(False)

    def report(self) -> None:
        """Raises, because a commit of the current thread reports a failed write.

        Raises:
            StoreLostError: always
        """
        self._fail(False)

    def _fail(self, is_open: bool) -> None:
        me = threading.current_thread()
        first = self._untold.get(me, self._first)
        error = store_error(StoreLostError, self._reason, first)
        told, untold = self._told | {me}, self._without(me)
        # No interrupt comes between these: nobody knows of it before the exception is there.
        self._told, self._untold, self._is_open = told, untold, is_open
        raise error

    def committed(self) -> None:
        """Notes a commit of the current thread. If it and all others concerned know what was given
        up, it is settled."""
        if self._is_open and threading.current_thread() in self._told:
            self._is_open = any(thread.is_alive() for thread in self._untold)

# SPDX-License-Identifier: Apache-2.0
"""Work on batches in several threads, whose results come out in order."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

# The number of batches for each thread that are in progress or wait for the consumer.
_AHEAD = 2


class EndedError(RuntimeError):
    """Another thread has ended the threads before the result came."""

    def __init__(self) -> None:
        super().__init__(
            "this iteration is over: another one began, or the loader was moved or closed"
        )


class Ordered:
    """Fetches items one by one, works on them in threads, and returns the results in the order in
    which the items were fetched.

    If an item fails, the call that would have returned it raises the error. `close` drops the items
    that were fetched after it. The threads end when this object is collected, so `fetch` and `work`
    must not refer to it.

    Args:
        fetch: returns the next item; raises StopIteration when there is none. Called by one thread
            at a time
        work: makes the result of an item. Called by several threads at once
        count: the number of threads
    """

    def __init__(self, fetch: Callable[[], Any], work: Callable[[Any], Any], count: int) -> None:
        self._line = _Line(fetch, work, count * _AHEAD)
        self._unstarted = count
        weakref.finalize(self, self._line.end)

    def start(self) -> None:
        """Starts the threads that do not run yet. The first call of `next` does it as well: threads
        that started before an interrupt such as Ctrl-C must have an owner who ends them."""
        while self._unstarted > 0:
            name = f"penstock-worker-{self._unstarted - 1}"
            threading.Thread(target=self._line.run, name=name, daemon=True).start()
            self._unstarted -= 1

    def next(self) -> Any:
        """The next result.

        Raises:
            StopIteration: when there are no more items
            EndedError: when another thread calls `end` or `close`
        """
        self.start()
        return self._line.next()

    def end(self) -> None:
        """Ends the threads after their current items."""
        self._line.end()

    def close(self) -> None:
        """Ends the threads; no item is fetched once this has returned."""
        self._line.end()
        self._line.wait_for_fetch()


class _Line:
    """The state that the threads share."""

    def __init__(self, fetch: Callable[[], Any], work: Callable[[Any], Any], limit: int) -> None:
        self._fetch = fetch
        self._work = work
        # Held while an item is fetched, so that items are numbered in their order.
        self._fetching = threading.Lock()
        self._changed = threading.Condition()
        self._results: dict[int, tuple[Any, BaseException | None]] = {}
        self._fetched = 0
        self._returned = 0
        self._limit = limit
        # Whether no more items are fetched, and whether nobody is to get the results.
        self._is_closed = False
        self._is_ended = False

    def next(self) -> Any:
        with self._changed:
            while self._returned not in self._results and not self._is_ended:
                self._changed.wait()
            if self._is_ended:
                raise EndedError
            # An exception refers to its stack frames, so it must not be kept here.
            result, error = self._results.pop(self._returned)
            self._returned += 1
            self._changed.notify_all()
        if error is not None:
            try:
                raise error
            finally:
                del error
        return result

    def end(self) -> None:
        with self._changed:
            self._is_closed = self._is_ended = True
            self._results.clear()
            self._changed.notify_all()

    def wait_for_fetch(self) -> None:
        with self._fetching:
            pass

    def run(self) -> None:
        while True:
            with self._fetching:
                number = self._wait_for_room()
                if number is None:
                    return
                try:
                    item = self._fetch()
                except BaseException as e:
                    self._end(number, e)
                    return
                self._fetched += 1
            try:
                self._put(number, self._work(item), None)
            except BaseException as e:
                self._put(number, None, e)

    def _wait_for_room(self) -> int | None:
        """The number of the next item, once the consumer has taken enough of the earlier ones."""
        with self._changed:
            while not self._is_closed and self._fetched - self._returned >= self._limit:
                self._changed.wait()
            return None if self._is_closed else self._fetched

    def _put(self, number: int, result: Any, error: BaseException | None) -> None:
        with self._changed:
            self._results[number] = (result, error)
            self._changed.notify_all()

    def _end(self, number: int, error: BaseException) -> None:
        """Stores the error as the last result and ends the threads."""
        with self._changed:
            self._is_closed = True
            self._results[number] = (None, error)
            self._changed.notify_all()

# SPDX-License-Identifier: Apache-2.0
"""The Java runtime inside this process: started by the first call that needs it, then called.

There is no compiled extension. `ctypes` loads the runtime's library, starts it, and asks one Java
method for the addresses of native functions; from then on a call costs less than a microsecond and
runs without the interpreter's lock.
"""

from __future__ import annotations

import atexit
import ctypes
import itertools
import json
import locale
import math
import os
import shlex
import sys
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_int64, c_ubyte, c_void_p
from functools import partial
from typing import Any, NoReturn

from . import _caches, _errors, _paths, _rehearsal, _runtime, _signals

_JNI_VERSION = 0x00150000
# Places in JNI's table of functions, fixed by its specification.
_EXCEPTION_DESCRIBE, _FIND_CLASS, _STATIC_METHOD, _CALL_STATIC_LONG = 16, 6, 113, 134
_DESTROY, _DETACH, _MACHINE_COUNT = 3, 5, 8

_WARNING = b"Using incubator modules: jdk.incubator.vector"
_END_OF_START = b"\0the Java runtime is there\n"

FORKED = (
    "this process was forked from one in which penstock's Java runtime was already running, and a "
    "Java runtime does not survive a fork; start workers with spawn or forkserver, for example "
    "multiprocessing.get_context('forkserver') or "
    "DataLoader(..., multiprocessing_context='forkserver'), or use penstock in the workers only; "
    "datasets that were opened before can be indexed here, and nothing else"
)


class _Option(ctypes.Structure):
    _fields_ = [("text", c_char_p), ("extra", c_void_p)]


class _Arguments(ctypes.Structure):
    _fields_ = [
        ("version", c_int),
        ("count", c_int),
        ("options", POINTER(_Option)),
        ("ignore_unrecognized", c_ubyte),
    ]


class ForkedError(RuntimeError):
    """The process was forked from one in which the Java runtime was running."""


class Functions:
    """The native functions of `dev.penstock.bridge.Bridge`. Every function releases the GIL and
    returns a negative number when it failed."""

    def __init__(self, address: int) -> None:
        def function(number: int, argument_count: int) -> Any:
            invoke = CFUNCTYPE(c_int64, *[c_int64] * (1 + argument_count))(address)
            return partial(invoke, number)

        self.call = function(0, 3)
        self.failure = function(1, 2)
        self.take = function(2, 5)
        self.take_rows = function(3, 5)
        self.next = function(4, 4)
        self.release = function(5, 1)
        self.fill = function(6, 3)
        self.version = function(7, 0)
        self.begin = function(8, 1)
        self.size_text = function(9, 4)


# The expected value of `dev.penstock.bridge.Bridge.VERSION`.
BRIDGE_VERSION = 5

_lock = threading.Lock()
_functions: Functions | None = None
# The error message when the runtime has started but its jar has another version.
_mismatch: str | None = None
_starter: _Starter | None = None
# The virtual machine, and the function table that a forked child gets.
_machine: c_void_p | None = None
_table_of_child: ctypes.Array[c_void_p] | None = None
_is_starting = False
_is_forked = False
_is_ended = False


def _after_fork() -> None:
    global _is_forked, _lock
    _lock = threading.Lock()
    if is_started():
        _is_forked = True
    if _machine is not None and _table_of_child is not None:
        # A thread that ends detaches from the runtime. In the child this would wait for ever for
        # threads that the fork did not copy.
        ctypes.cast(_machine, POINTER(c_void_p))[0] = ctypes.addressof(_table_of_child)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def is_forked() -> bool:
    """Whether this process was forked from one in which the runtime was running."""
    return _is_forked


def is_started() -> bool:
    """Whether the runtime was started, or is being started."""
    return _functions is not None or _is_starting


def is_usable() -> bool:
    """Whether handles of this process can be released: not in a forked child, and not while the
    interpreter shuts down."""
    return _functions is not None and not _is_forked and not _is_ended and not sys.is_finalizing()


def functions() -> Functions:
    """Returns Java's functions. The first call starts the runtime."""
    java = _usable_functions()
    if _gone:
        _sweep()
    return java


def next_batch(batch: int, loader: int, info: int) -> int:
    """Calls `next` of Java's functions, and releases an object whose handle was collected in the
    same call: in a loop that is the batch before the last one."""
    java = _usable_functions()
    try:
        ticket = _gone[0]
    except IndexError:
        return int(java.next(batch, loader, info, 0))
    status = int(java.next(batch, loader, info, ticket.number))
    _forget(ticket)
    if _gone:
        _sweep()
    return status


def _usable_functions() -> Functions:
    if _is_forked:
        raise ForkedError(FORKED)
    if _is_ended:
        return _after_end()
    if _functions is None:
        return _start()
    if _signals.is_disturbed():
        _signals.put_back()
    return _functions


def _after_end() -> NoReturn:
    if threading.current_thread().daemon:
        # A daemon thread ends silently with the process, so it only waits here.
        while True:
            time.sleep(3600)
    raise RuntimeError("the interpreter is shutting down, and the Java runtime has ended")


def _options(runtime: _runtime.Runtime, cache: str | None) -> list[str]:
    options = [
        f"-Djava.class.path={_runtime.class_path(runtime)}",
        # Programs of this package that Java starts.
        f"-Dpenstock.python={sys.executable}",
        f"-Dpenstock.python.sources={os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}",
        # Python handles Ctrl-C.
        "-Xrs",
        "-XX:+UseSerialGC",
        # A small heap at first, which may grow for selections of many records.
        "-Xms16m",
        "-XX:MaxRAMPercentage=25",
        runtime.native_access,
        runtime.memory_access,
        # A crash writes no files into the working folder.
        "-XX:-CreateCoredumpOnCrash",
        "-XX:+ErrorFileToStderr",
        # Without this, warnings of the runtime go to stdout and stderr.
        "-Xlog:disable",
        "-XX:-PrintWarnings",
    ]
    if cache is not None:
        # A runtime that cannot use the cache ignores it.
        options.append(f"-XX:AOTCache={cache}")
    if runtime.jar_inside:
        # The modules to start with. It also keeps Java from taking an empty class path for the
        # working folder.
        options.append("-Djdk.module.main=dev.penstock.app")
    # Without vectors the runtime also spends no time on compiling loops of them, which short
    # programs never use.
    if not _has_vectors():
        options.append("-Dpenstock.vectors=off")
    elif not runtime.jar_inside:
        if runtime.has_vectors:
            options.append("--add-modules=jdk.incubator.vector")
        else:
            _warn_of_vectors(runtime)
    # Later options override earlier ones, so the user's come last.
    return options + shlex.split(os.environ.get("PENSTOCK_JAVA_OPTIONS", ""))


def _has_vectors() -> bool:
    return os.environ.get("PENSTOCK_VECTORS") != "off"


def _warn_of_vectors(runtime: _runtime.Runtime) -> None:
    """Warns once in a process that the vector module is missing."""
    warnings.warn(
        f"the Java runtime in {runtime.home} has no module jdk.incubator.vector, so gathering "
        "small records and converting numbers is slower; a complete JDK 25 has it. "
        "PENSTOCK_VECTORS=off in the environment silences this warning",
        RuntimeWarning,
        stacklevel=2,
    )


def _start() -> Functions:
    """Starts the runtime in a thread of its own. After a Ctrl-C the start continues, and the next
    call finds the runtime. The calling thread has no special role in it."""
    global _starter
    if _mismatch is not None:
        raise RuntimeError(_mismatch)
    with _lock:
        if _functions is None and (_starter is None or not _starter.is_alive()):
            _starter = _Starter()
            _starter.start()
        starter = _starter
    if starter is not None:
        starter.join()
        if starter.error is not None:
            raise starter.error
    return functions()


class _Starter(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="penstock-start", daemon=True)
        self.error: BaseException | None = None

    def run(self) -> None:
        global _is_starting
        _is_starting = True
        try:
            runtime = _runtime.find_runtime()
            _signals.before_start()
            # Java uses only part of a cache that was made with other modules.
            cache = _runtime.cache(runtime, "runtime" if _has_vectors() else "scalar")
            has_cache = cache is not None and os.path.exists(cache)
            options = _options(runtime, cache if has_cache else None)
            with _without_warning(), _in_utf8():
                _create(runtime, options)
            if cache is not None and not runtime.jar_inside:
                if has_cache and call("isSharing"):
                    _caches.sweep_daily(cache)
                else:
                    _rehearsal.start(cache)
        except BaseException as e:
            self.error = e
        finally:
            _is_starting = False


def _create(runtime: _runtime.Runtime, options: list[str]) -> None:
    global _functions, _machine, _sweeper, _table_of_child, _mismatch
    library = ctypes.CDLL(runtime.library, mode=ctypes.RTLD_GLOBAL)
    texts = (_Option * len(options))(*[_Option(os.fsencode(text), None) for text in options])
    arguments = _Arguments(_JNI_VERSION, len(options), texts, 0)
    machine, environment = c_void_p(), c_void_p()
    status = library.JNI_CreateJavaVM(byref(machine), byref(environment), byref(arguments))
    if status == -5:
        raise RuntimeError(
            "this process has a Java runtime already, started by another package; penstock needs "
            "its own: use it in a process of its own"
        )
    if status != 0:
        raise RuntimeError(
            f"the Java runtime in {runtime.home} did not start (status {status}); its messages are "
            "on stderr, and its options were " + " ".join(options)
        )
    address = _function(environment)
    # Without this, destroying the runtime would wait for the thread that started it.
    _of_machine(machine, _DETACH)
    table = ctypes.cast(machine, POINTER(POINTER(c_void_p * _MACHINE_COUNT)))[0].contents
    _table_of_child = (c_void_p * _MACHINE_COUNT)(*table)
    # getpid replaces the detach function: it ignores its arguments and has no effect.
    _table_of_child[_DETACH] = ctypes.cast(ctypes.CDLL(None).getpid, c_void_p).value
    _machine = machine
    atexit.register(_end, machine)
    _signals.after_start()
    made = Functions(address)
    if made.version() != BRIDGE_VERSION:
        _mismatch = (
            f"the Python part of penstock and its Java part, {_runtime.jar()}, are of different "
            "releases; reinstall penstock with "
            "`pip install --force-reinstall penstock` and restart the program"
        )
        raise RuntimeError(_mismatch)
    _functions = made
    _sweeper = threading.Thread(target=_keep_sweeping, name="penstock-sweep", daemon=True)
    _sweeper.start()


def _of_machine(machine: c_void_p, place: int) -> None:
    """Calls a function of JNI's invocation interface."""
    table = ctypes.cast(ctypes.cast(machine, POINTER(c_void_p))[0], POINTER(c_void_p))
    CFUNCTYPE(c_int, c_void_p)(table[place])(machine)


def _end(machine: c_void_p) -> None:
    """Ends the runtime before the process ends. Threads of the runtime that still run, for example
    after a Ctrl-C, would crash when the process unloads its library."""
    global _is_ended
    if _is_forked:
        return
    with _sweeping:
        # Handles that are collected after this must not call the runtime.
        _is_ended = True
    # The runtime would wait a third of a second for an attached thread that does not end.
    _sweeps_end.set()
    if _sweeper is not None:
        _sweeper.join()
    _of_machine(machine, _DESTROY)


def _function(environment: c_void_p) -> int:
    jni = ctypes.cast(ctypes.cast(environment, POINTER(c_void_p))[0], POINTER(c_void_p))
    find = CFUNCTYPE(c_void_p, c_void_p, c_char_p)(jni[_FIND_CLASS])
    method = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_char_p, c_char_p)(jni[_STATIC_METHOD])
    invoke = CFUNCTYPE(c_int64, c_void_p, c_void_p, c_void_p, c_void_p)(jni[_CALL_STATIC_LONG])
    describe = CFUNCTYPE(None, c_void_p)(jni[_EXCEPTION_DESCRIBE])
    bridge = find(environment, b"dev/penstock/bridge/Bridge")
    start = bridge and method(environment, bridge, b"start", b"()J")
    address = start and invoke(environment, bridge, start, None)
    if not address:
        describe(environment)
        raise RuntimeError("the Java part of penstock did not start; its messages are on stderr")
    return int(address)


@contextmanager
def _in_utf8() -> Iterator[None]:
    """Makes Java treat file names as UTF-8 in any locale, as Python does. The locale of the process
    does not change."""
    before = locale.setlocale(locale.LC_ALL)
    chosen = os.environ.get("LC_ALL")
    os.environ["LC_ALL"] = "C.UTF-8"
    try:
        yield
    finally:
        if chosen is None:
            del os.environ["LC_ALL"]
        else:
            os.environ["LC_ALL"] = chosen
        locale.setlocale(locale.LC_ALL, before)


@contextmanager
def _without_warning() -> Iterator[None]:
    """Removes the runtime's warning about the incubator module from stderr.

    A thread passes lines on as they come, so that nothing is lost when the runtime ends the
    process.
    """
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
    try:
        original = os.dup(2)
    except OSError:
        # stderr is closed, and the runtime would write into the next file that gets its number.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != 2:
            os.dup2(nowhere, 2)
            os.close(nowhere)
        yield
        return
    source, sink = os.pipe()
    is_done = threading.Event()

    def pass_on() -> None:
        with open(source, "rb") as lines:
            for line in lines:
                if line.endswith(_END_OF_START):
                    line = line[: -len(_END_OF_START)]
                    if line:
                        os.write(original, line)
                    is_done.set()
                elif _WARNING not in line:
                    os.write(original, line)
        os.close(original)

    threading.Thread(target=pass_on, name="penstock-stderr", daemon=True).start()
    os.dup2(sink, 2)
    try:
        yield
    finally:
        os.dup2(original, 2)
        os.write(sink, _END_OF_START)
        os.close(sink)
        # A process that was started meanwhile may have the pipe as its stderr. So the thread is not
        # joined: it runs as long as such a process does.
        is_done.wait()


def fail(status: int) -> NoReturn:
    """Raises the exception of the last failed call of this thread."""
    where = c_int64()
    size = functions().failure(status, ctypes.addressof(where))
    if size < 0:
        raise MemoryError("the Java runtime is out of memory")
    words = json.loads(ctypes.string_at(where.value, size))
    raise _errors.from_words(_paths.restored(words, _paths.memory_names))


def _plain(value: Any) -> Any:
    """Converts NumPy's numbers for JSON."""
    if hasattr(value, "item") and hasattr(value, "dtype") and value.dtype.kind in "biuf":
        return value.item()
    raise TypeError(f"a number or a text is needed, got {value!r}")


def _require_finite(name: str, value: Any) -> None:
    """Raises for infinities and NaN, which JSON does not have. The message names the argument."""
    if isinstance(value, dict):
        for key, one in value.items():
            _require_finite(str(key), one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _require_finite(name, one)
    elif isinstance(value, float) and not math.isfinite(value):
        words = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
        raise ValueError(f"{words} must be finite, got {value}")


def _request(arguments: dict[str, Any]) -> bytes:
    try:
        # Only ASCII, so that lone surrogates of file names come through as escapes.
        return json.dumps(arguments, default=_plain, allow_nan=False).encode("ascii")
    except ValueError:
        _require_finite("", arguments)
        raise


def call(verb: str, **arguments: Any) -> Any:
    """Calls Java with arguments in JSON. It is slow, and meant for rare calls."""
    if _is_forked:
        from . import _served

        if verb in _served.VERBS:
            return _served.call(verb, arguments)
    arguments["verb"] = verb
    request = _request(arguments)
    where = c_int64()
    java = functions()
    memory = ctypes.create_string_buffer(request, len(request))
    size = java.call(ctypes.addressof(memory), len(request), ctypes.addressof(where))
    if size < 0:
        fail(size)
    return _paths.restored(json.loads(ctypes.string_at(where.value, size)))


def call_patiently(verb: str, **arguments: Any) -> Any:
    """`call` for long requests. Ctrl-C is handled at once; Java then finishes the request in
    another thread, and its result is dropped."""
    return _patiently(lambda: call(verb, **arguments), verb)


def create(what: str, verb: str, **arguments: Any) -> tuple[Handle, Any]:
    """Makes an object in Java and returns its handle and Java's answer. The handle's number is
    chosen before the call, so that an interruption at any moment leaks nothing."""
    handle = Handle(what)
    return handle, call(verb, **arguments, **{"as": handle.number})


def create_patiently(what: str, verb: str, **arguments: Any) -> tuple[Handle, Any]:
    """`create` for long requests, like `call_patiently`."""
    made: tuple[Handle, Any] = _patiently(lambda: create(what, verb, **arguments), verb)
    return made


def _patiently(work: Callable[[], Any], name: str) -> Any:
    if threading.current_thread() is not threading.main_thread():
        return work()
    functions()
    result: list[Any] = []
    error: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            result.append(work())
        except BaseException as e:
            error.append(e)
        finally:
            done.set()

    threading.Thread(target=run, name=f"penstock-{name}", daemon=True).start()
    done.wait()
    if error:
        raise error[0]
    return result[0]


class _Ticket(weakref.ref["Handle"]):
    """A weak reference to a handle, with its number for the release."""

    __slots__ = ("number",)
    number: int


# Tickets of live handles by number, and tickets whose handles were collected. A handle has no
# `__del__`, because a Ctrl-C inside it would be printed and lost. Appending to a deque runs no
# Python code and cannot be interrupted.
_tickets: dict[int, _Ticket] = {}
_gone: deque[_Ticket] = deque()
# Held while handles are released, because calling a runtime that has ended would end the process.
# It is reentrant, because a signal handler may release handles too.
_sweeping = threading.RLock()

# Numbers of objects in Java. A number is never used again.
_numbers = itertools.count(1)

_SWEEP_SECONDS = 0.25
_sweeps_end = threading.Event()
_sweeper: threading.Thread | None = None


# Each object takes about a kilobyte of Java's memory.
_CROWD = 10_000


def is_crowded() -> bool:
    """Whether Java has too many objects, so that small batches should be copied and released."""
    return len(_tickets) > _CROWD


def _sweep() -> None:
    """Releases the Java objects whose handles were collected. It may be interrupted anywhere:
    releasing a number twice is harmless, because numbers are never used again."""
    with _sweeping:
        java = _functions
        while _gone and java is not None and not _is_ended:
            try:
                ticket = _gone[0]
            except IndexError:
                return
            java.release(ticket.number)
            _forget(ticket)


def _forget(ticket: _Ticket) -> None:
    """Removes a ticket whose object was released. Another thread may have done so already."""
    _tickets.pop(ticket.number, None)
    with suppress(ValueError):
        _gone.remove(ticket)


def _keep_sweeping() -> None:
    """Sweeps at intervals, for programs that drop large arrays and make no calls."""
    if _functions is not None:
        # Attaches the thread to Java while there is memory for it.
        _functions.release(0)
    while not _sweeps_end.wait(_SWEEP_SECONDS):
        _sweep()
        _signals.restore()


class Handle:
    """A reference to a Java object by its number. The object is released after the last
    reference."""

    __slots__ = ("__weakref__", "_number", "_what")

    def __init__(self, what: str) -> None:
        number = next(_numbers)
        self._number = number
        self._what = what
        ticket = _Ticket(self, _gone.append)
        ticket.number = number
        _tickets[number] = ticket

    @property
    def number(self) -> int:
        if self._number == 0:
            self.require_open()
        return self._number

    @property
    def is_closed(self) -> bool:
        return self._number == 0

    def require_open(self) -> None:
        """Raises when the handle is closed."""
        if self.is_closed:
            raise ValueError(f"{self._what} is closed")

    def close(self) -> None:
        number = self._number
        if number and is_usable():
            assert _functions is not None
            try:
                _functions.release(number)
            finally:
                # An interrupt comes before `try`, or when the object is released.
                self._number = 0
            _tickets.pop(number, None)
        self._number = 0


class LazyHandle(Handle):
    """A Java object that is made on first use, for example the dataset of a pickle. So unpickling
    never fails: a process pool would lose an error there and wait for ever."""

    __slots__ = ("_handle", "_is_closed", "_lock", "_make")

    def __init__(self, what: str, make: Callable[[], Handle]) -> None:
        # The handle has no number of its own, and nothing to release.
        self._number = 0
        self._what = what
        self._make = make
        self._handle: Handle | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    @property
    def number(self) -> int:
        handle = self._handle
        return (self._made() if handle is None else handle).number

    def _made(self) -> Handle:
        self.require_open()
        # Raises in a forked child, where the lock may be held by a thread that was not copied.
        functions()
        with self._lock:
            if self._handle is None:
                self._handle = self._make()
            return self._handle

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def close(self) -> None:
        self._is_closed = True
        if self._handle is not None:
            self._handle.close()

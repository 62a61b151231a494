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
import os
import shlex
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_int64, c_ubyte, c_void_p
from functools import partial
from typing import Any, NoReturn

from . import _errors, _paths, _rehearsal, _runtime, _signals

_JNI_VERSION = 0x00150000
# Places in JNI's table of functions, fixed by its specification.
_EXCEPTION_DESCRIBE, _FIND_CLASS, _STATIC_METHOD, _CALL_STATIC_LONG = 16, 6, 113, 134
_DESTROY, _DETACH, _MACHINE_COUNT = 3, 5, 8

_WARNING = b"Using incubator modules: jdk.incubator.vector"
_END_OF_START = b"\0the Java runtime is there\n"

_FORKED = (
    "this process was forked from one in which penstock's Java runtime was already running, and a "
    "Java runtime does not survive a fork; start workers with spawn or forkserver, for example "
    "multiprocessing.get_context('forkserver') or "
    "DataLoader(..., multiprocessing_context='forkserver'), or use penstock in the workers only; "
    "only tables that were opened before can be indexed here"
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
    """What Java offers, as `dev.penstock.bridge.Bridge` lists it. Every function releases the
    interpreter's lock and returns a negative number when it failed."""

    def __init__(self, address: int) -> None:
        def function(number: int, argument_count: int) -> Any:
            invoke = CFUNCTYPE(c_int64, *[c_int64] * (1 + argument_count))(address)
            return partial(invoke, number)

        self.call = function(0, 3)
        self.failure = function(1, 2)
        self.take = function(2, 5)
        self.take_rows = function(3, 5)
        self.next = function(4, 3)
        self.release = function(5, 1)
        self.fill = function(6, 3)


_lock = threading.Lock()
_functions: Functions | None = None
_starter: _Starter | None = None
# The runtime itself, and its functions as a forked child is to find them.
_machine: c_void_p | None = None
_table_of_child: ctypes.Array[c_void_p] | None = None
_is_starting = False
_is_forked = False
_is_ended = False


def _after_fork() -> None:
    global _is_forked, _lock
    _lock = threading.Lock()
    if _functions is not None or _is_starting:
        _is_forked = True
    if _machine is not None and _table_of_child is not None:
        # A thread that ends takes leave of the runtime, which would wait for ever for threads that
        # the child does not have.
        ctypes.cast(_machine, POINTER(c_void_p))[0] = ctypes.addressof(_table_of_child)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def is_forked() -> bool:
    """Whether this process was forked from one in which the runtime was running."""
    return _is_forked


def is_usable() -> bool:
    """Whether handles of this process can still be given back: not in a forked child, and not
    while the interpreter shuts down."""
    return _functions is not None and not _is_forked and not _is_ended and not sys.is_finalizing()


def functions() -> Functions:
    """The functions of Java; starts the runtime when this is the first call."""
    if _is_forked:
        raise ForkedError(_FORKED)
    if _is_ended:
        return _after_end()
    if _functions is None:
        return _start()
    if _signals.is_disturbed():
        _signals.put_back()
    if _gone:
        _sweep()
    return _functions


def _after_end() -> NoReturn:
    if threading.current_thread().daemon:
        # It vanishes with the process, in silence, as daemon threads do.
        while True:
            time.sleep(3600)
    raise RuntimeError("the interpreter is shutting down, and the Java runtime has ended")


def _options(runtime: _runtime.Runtime, cache: str | None) -> list[str]:
    options = [
        f"-Djava.class.path={_runtime.jar()}",
        # Ctrl-C stays Python's.
        "-Xrs",
        "-XX:+UseSerialGC",
        # Little at first, and as much as choices among many records take.
        "-Xms16m",
        "-XX:MaxRAMPercentage=25",
        "--enable-native-access=ALL-UNNAMED",
        # No files in the working folder.
        "-XX:-CreateCoredumpOnCrash",
        "-XX:+ErrorFileToStderr",
        # Its warnings would go to stdout and stderr.
        "-Xlog:disable",
        "-XX:-PrintWarnings",
    ]
    if cache is not None:
        # A runtime that cannot use it goes on without it.
        options.append(f"-XX:AOTCache={cache}")
    if runtime.has_vectors:
        options.append("--add-modules=jdk.incubator.vector")
    # What comes later wins.
    return options + shlex.split(os.environ.get("PENSTOCK_JAVA_OPTIONS", ""))


def _start() -> Functions:
    """Starts the runtime in a thread of its own: Ctrl-C in the middle then leaves a runtime that
    the next call finds, and the thread that happens to come first owns nothing."""
    global _starter
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
            cache = _runtime.cache(runtime)
            has_cache = cache is not None and os.path.exists(cache)
            options = _options(runtime, cache if has_cache else None)
            with _without_warning(), _in_utf8():
                _create(runtime, options)
            if cache is not None and not (has_cache and call("isSharing")):
                _rehearsal.start(cache)
        except BaseException as e:
            self.error = e
        finally:
            _is_starting = False


def _create(runtime: _runtime.Runtime, options: list[str]) -> None:
    global _functions, _machine, _sweeper, _table_of_child
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
            f"the Java runtime in {runtime.home} did not start (status {status}); its words are "
            "on stderr, and its options were " + " ".join(options)
        )
    address = _function(environment)
    # The end of the runtime waits for the thread that began it unless that has taken its leave.
    _of_machine(machine, _DETACH)
    table = ctypes.cast(machine, POINTER(POINTER(c_void_p * _MACHINE_COUNT)))[0].contents
    _table_of_child = (c_void_p * _MACHINE_COUNT)(*table)
    # It does nothing, whatever it is called with.
    _table_of_child[_DETACH] = ctypes.cast(ctypes.CDLL(None).getpid, c_void_p).value
    _machine = machine
    atexit.register(_end, machine)
    _signals.after_start()
    _functions = Functions(address)
    _sweeper = threading.Thread(target=_keep_sweeping, name="penstock-sweep", daemon=True)
    _sweeper.start()


def _of_machine(machine: c_void_p, place: int) -> None:
    """Calls a function of the runtime itself."""
    table = ctypes.cast(ctypes.cast(machine, POINTER(c_void_p))[0], POINTER(c_void_p))
    CFUNCTYPE(c_int, c_void_p)(table[place])(machine)


def _end(machine: c_void_p) -> None:
    """Ends the runtime before the process does: one whose threads were still at work, such as
    after a Ctrl-C, would crash when the process takes its library down."""
    global _is_ended
    if _is_forked:
        return
    with _sweeping:
        # Other things may take their time to end after this.
        _is_ended = True
    # The runtime would wait a third of a second for threads that it knows and that do not end.
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
        raise RuntimeError("the Java part of penstock did not start; its words are on stderr")
    return int(address)


@contextmanager
def _in_utf8() -> Iterator[None]:
    """Makes Java take names of files for UTF-8 as Python does, whatever the locale, and keeps the
    locale of the process as it is."""
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
    """Everything on stderr comes through but the runtime's warning about the incubator module.

    A thread passes lines on as they come, so that nothing is lost when the runtime ends the
    process.
    """
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
    try:
        original = os.dup(2)
    except OSError:
        # There is no stderr, and the runtime would write to whatever file gets its number.
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
        # A process that was started meanwhile may keep the pipe as its own stderr, so its end is
        # not waited for: the thread goes on as long as there is such a process.
        is_done.wait()


def fail(status: int) -> NoReturn:
    """Raises what a call of this thread failed with."""
    where = c_int64()
    size = functions().failure(status, ctypes.addressof(where))
    if size < 0:
        raise MemoryError("the Java runtime is out of memory")
    words = json.loads(ctypes.string_at(where.value, size))
    raise _errors.from_words(_paths.restored(words))


def _plain(value: Any) -> Any:
    """NumPy's numbers as JSON's."""
    if hasattr(value, "item") and hasattr(value, "dtype") and value.dtype.kind in "biuf":
        return value.item()
    raise TypeError(f"a number was expected, and not {value!r}")


def call(verb: str, **arguments: Any) -> Any:
    """Asks for something that is rare, in JSON."""
    arguments["verb"] = verb
    # Only ASCII, so that lone surrogates of file names come through as escapes.
    request = json.dumps(arguments, default=_plain).encode("ascii")
    where = c_int64()
    java = functions()
    memory = ctypes.create_string_buffer(request, len(request))
    size = java.call(ctypes.addressof(memory), len(request), ctypes.addressof(where))
    if size < 0:
        fail(size)
    return _paths.restored(json.loads(ctypes.string_at(where.value, size)))


def call_patiently(verb: str, **arguments: Any) -> Any:
    """`call` for what may take long: Ctrl-C is served at once, while Java finishes in a thread of
    its own and nobody looks at the result."""
    return _patiently(lambda: call(verb, **arguments), verb)


def create(what: str, verb: str, **arguments: Any) -> tuple[Handle, Any]:
    """`call` for what makes an object in Java; with what it answers. Its number is known before it
    is made, so that an interruption at any moment leaves nothing behind."""
    handle = Handle(what)
    return handle, call(verb, **arguments, **{"as": handle.number})


def create_patiently(what: str, verb: str, **arguments: Any) -> tuple[Handle, Any]:
    """`create`, as `call_patiently` is `call`."""
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
    """What is left of a handle that nobody closed."""

    __slots__ = ("number",)
    number: int


# Tickets of live handles by their numbers, and those whose handles are gone. A handle has no
# `__del__`: Ctrl-C in the middle of one would be printed and lost. Appending to a deque is done
# without running any Python code, so there is no middle.
_tickets: dict[int, _Ticket] = {}
_gone: deque[_Ticket] = deque()
# Held by who gives back: calling a runtime that has ended would end the process. A signal handler
# may come in between and do the same.
_sweeping = threading.RLock()

# Of the objects in Java; none is used twice.
_numbers = itertools.count(1)

_SWEEP_SECONDS = 0.25
_sweeps_end = threading.Event()
_sweeper: threading.Thread | None = None


# Each object takes about a kilobyte of Java's memory.
_CROWD = 10_000


def is_crowded() -> bool:
    """Whether there are so many objects that small ones should not stay."""
    return len(_tickets) > _CROWD


def _sweep() -> None:
    """Gives back what nobody refers to any more. Giving back twice does no harm: numbers are never
    used again. So nothing is lost when it is interrupted anywhere."""
    with _sweeping:
        java = _functions
        while _gone and java is not None and not _is_ended:
            try:
                ticket = _gone[0]
            except IndexError:
                return
            java.release(ticket.number)
            _tickets.pop(ticket.number, None)
            with suppress(ValueError):
                _gone.remove(ticket)


def _keep_sweeping() -> None:
    """For programs that call nothing for a while and drop large arrays meanwhile."""
    if _functions is not None:
        # Java gets to know the thread while there is memory for it.
        _functions.release(0)
    while not _sweeps_end.wait(_SWEEP_SECONDS):
        _sweep()
        _signals.restore()


class Handle:
    """A Java object by its number; given back when nobody refers to it any more."""

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
        """Raises when it is closed."""
        if self.is_closed:
            raise ValueError(f"{self._what} is closed")

    def close(self) -> None:
        number, self._number = self._number, 0
        if number and is_usable():
            assert _functions is not None
            _functions.release(number)
            _tickets.pop(number, None)


class LazyHandle(Handle):
    """A Java object that is made when its number is first asked for, such as that of a dataset that
    came out of a pickle. So unpickling never fails: in a worker of a process pool an error would be
    lost there, and the pool would wait for ever."""

    __slots__ = ("_handle", "_is_closed", "_lock", "_make")

    def __init__(self, what: str, make: Callable[[], Handle]) -> None:
        # It has no number of its own, and nothing to give back.
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
        # Raises in a forked child, whose lock may be held by a thread that it does not have.
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

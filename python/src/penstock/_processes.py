# SPDX-License-Identifier: Apache-2.0
"""Functions that run in worker processes. Batches go there and back through shared memory.

A worker is a process with a connection and two blocks of memory without a name, one for batches
and one for results. It is forked by a server process, and never by the program, whose Java runtime
does not survive that. The connection carries the structure of a batch, the memory its arrays.
The blocks have no name in a file system, so they are freed even if a process is killed.
"""

from __future__ import annotations

import contextlib
import copyreg
import ctypes
import errno
import io
import mmap
import multiprocessing
import multiprocessing.reduction
import os
import pickle
import queue
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._errors import note
from ._records import MapRecords
from ._samples import Failed, Samples

# The alignment of arrays in a block, in bytes.
_ALIGNMENT = 64
# A thread that waits for a process checks this often whether the loader was closed.
_LOOK_SECONDS = 0.1
_SHARED_FOLDER = "/dev/shm"
# The server process has a socket in the folder for temporary files, with 107 bytes at most.
_SOCKET_FOLDER_MAX = 70
# The libraries that workers share if the program has imported them.
_PRELOADED = (__name__, "PIL.Image", "torch", "torchvision")
# Batches go to a worker in groups as long as a group takes about this time, up to these limits.
_SHORT_SECONDS = 0.004
_GROUP_MAX = 32
_GROUP_BYTES = 4 << 20
# Results of this size are not copied: they stay in a block until the program deletes them. A worker
# has this many blocks for them, and copies results while the program keeps all but one.
_LENT_BYTES = 1 << 18
_TARGET_COUNT = 6


Step = MapRecords | Samples
"""The step that makes a batch of records or of numbers of samples."""


class Done(NamedTuple):
    """A batch after all functions, and the skipped rows with their errors."""

    batch: Any
    failed: Failed


class Failure(NamedTuple):
    """The error of a batch, with its text in the worker."""

    error: Exception
    text: str = ""


Outcome = Done | Failure


class Work(NamedTuple):
    """The work of a worker on each batch: a step, and then functions."""

    step: Step | None
    functions: Sequence[Callable[[Any], Any]]
    is_skipping: bool

    def done_all(self, batches: Sequence[Any]) -> list[Outcome]:
        """Returns the outcome of each batch, up to the first one that fails."""
        outcomes: list[Outcome] = []
        for batch in batches:
            try:
                outcomes.append(self._done(batch))
            except Exception as e:
                outcomes.append(Failure(_portable(e), traceback.format_exc()))
                break
        return outcomes

    def _done(self, batch: Any) -> Done:
        failed: Failed = []
        if self.step is not None:
            batch = self.step.made(batch, failed if self.is_skipping else None)
        for function in self.functions:
            batch = function(batch)
        return Done(batch, [(row, _portable(error)) for row, error in failed])


class _Texts(NamedTuple):
    """A list of `bytes`, some of which may be missing, as two arrays."""

    values: Any
    sizes: Any

    @staticmethod
    def of(texts: list[bytes | None]) -> _Texts:
        sizes = np.array([-1 if text is None else len(text) for text in texts], np.int64)
        joined = b"".join(text for text in texts if text is not None)
        return _Texts(np.frombuffer(joined, np.uint8), sizes)

    def texts(self) -> list[bytes | None]:
        data, start = memoryview(self.values), 0
        found: list[bytes | None] = []
        for size in self.sizes.tolist():
            found.append(None if size < 0 else bytes(data[start : start + size]))
            start += max(0, size)
        return found


def _packed(value: Any) -> Any:
    """A batch with arrays in place of lists of `bytes`."""
    if type(value) is dict:
        return {name: _packed(part) for name, part in value.items()}
    if type(value) is list and value and all(part is None or type(part) is bytes for part in value):
        return _Texts.of(value)
    return value


def _unpacked(value: Any) -> Any:
    if type(value) is dict:
        return {name: _unpacked(part) for name, part in value.items()}
    return value.texts() if isinstance(value, _Texts) else value


class Message(NamedTuple):
    """The message for a batch: its structure, and the positions of its arrays in the block."""

    stream: bytes
    places: list[tuple[int, int]]

    @property
    def size(self) -> int:
        return max((start + size for start, size in self.places), default=0)


def _tensor(array: np.ndarray[Any, Any], kind: str) -> Any:
    """Makes a tensor again. Its type may be one that NumPy does not have."""
    import torch

    return torch.from_numpy(array).view(getattr(torch, kind))


def _reduced_tensor(tensor: Any) -> Any:
    """How a tensor is pickled: as an array over its memory. PyTorch's own way copies it."""
    import torch

    is_plain = tensor.layout is torch.strided and tensor.device.type == "cpu"
    if not is_plain or tensor.requires_grad or tensor.is_conj() or tensor.is_neg():
        return tensor.__reduce_ex__(5)
    kind = str(tensor.dtype).partition(".")[2]
    is_numeric = not kind.startswith(("bfloat", "float8", "float4", "q"))
    dense = tensor.contiguous()
    if not is_numeric:
        dense = dense.view(torch.uint8 if dense.element_size() == 1 else torch.int16)
    return _tensor, (dense.numpy(), kind)


class _Pickler(pickle.Pickler):
    """A pickler that keeps the memory of tensors out of the stream, as it does for arrays."""

    def __init__(self, stream: io.BytesIO, buffers: list[pickle.PickleBuffer]) -> None:
        super().__init__(stream, protocol=5, buffer_callback=buffers.append)
        torch: Any = sys.modules.get("torch")
        if torch is not None:
            self.dispatch_table = {**copyreg.dispatch_table, torch.Tensor: _reduced_tensor}


def _split(value: Any) -> tuple[Message, list[pickle.PickleBuffer]]:
    buffers: list[pickle.PickleBuffer] = []
    target = io.BytesIO()
    _Pickler(target, buffers).dump(_packed(value))
    stream = target.getvalue()
    places, end = [], 0
    for buffer in buffers:
        size = buffer.raw().nbytes
        places.append((end, size))
        end += -(-size // _ALIGNMENT) * _ALIGNMENT
    return Message(stream, places), buffers


def _reserve(file: Any, size: int) -> None:
    """Takes the space of a file. A process that touches mapped memory without space is killed by
    SIGBUS.

    Raises:
        OSError: when there is not enough space
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    piece = bytes(1 << 20)
    for start in range(0, size, len(piece)):
        file.write(piece[: size - start])


class _Block:
    """Memory that is shared between the program and a worker."""

    def __init__(self, file: int, size: int, access: int = mmap.ACCESS_WRITE) -> None:
        self.file = file
        self.size = size
        self._memory = mmap.mmap(file, size, access=access)

    @staticmethod
    def create(size: int) -> _Block:
        """Makes a block in shared memory, or in a file where that is too small."""
        rounded = -(-max(1, size) // mmap.PAGESIZE) * mmap.PAGESIZE
        if not os.path.isdir(_SHARED_FOLDER):
            return _Block._create_in(tempfile.gettempdir(), rounded)
        try:
            return _Block._create_in(_SHARED_FOLDER, rounded)
        except OSError as e:
            if e.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EACCES):
                raise
        return _Block._create_outside(rounded)

    @staticmethod
    def _create_in(folder: str, size: int) -> _Block:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            _reserve(file, size)
            return _Block(os.dup(file.fileno()), size)

    @staticmethod
    def _create_outside(size: int) -> _Block:
        folder = tempfile.gettempdir()
        problem = f"{_SHARED_FOLDER} has no space for the batches of worker processes"
        advice = (
            "give a container more with --shm-size=2g, make the batches smaller, or use "
            "worker_type='thread'"
        )
        try:
            block = _Block._create_in(folder, size)
        except OSError as e:
            words = f"{problem}, and {folder} has none for {size:,} bytes; {advice}"
            raise OSError(e.errno, words) from e
        warnings.warn(
            f"{problem}, so batches go through files in {folder}, which may be slower; {advice}",
            RuntimeWarning,
            stacklevel=2,
        )
        return block

    def write(self, message: Message, buffers: list[pickle.PickleBuffer]) -> None:
        for (start, size), buffer in zip(message.places, buffers, strict=True):
            self._memory[start : start + size] = buffer.raw()

    def lent(self, message: Message, give_back: Callable[[], None]) -> Any:
        """The value, whose arrays are in the block; `give_back` is called after the last of them is
        deleted."""
        holder = (ctypes.c_char * self.size).from_buffer(self._memory)
        weakref.finalize(holder, give_back).atexit = False
        return self._value(message, memoryview(holder).cast("B"), is_copied=False)

    def read(self, message: Message, *, is_copied: bool) -> Any:
        """The value; its arrays are in the block, or copies."""
        return self._value(message, memoryview(self._memory), is_copied=is_copied)

    @staticmethod
    def _value(message: Message, whole: memoryview, *, is_copied: bool) -> Any:
        parts: list[Any] = [whole[start : start + size] for start, size in message.places]
        if is_copied:
            parts = [bytearray(part) for part in parts]
        return _unpacked(pickle.loads(message.stream, buffers=parts))

    def close(self) -> None:
        os.close(self.file)
        # Arrays that a function kept still refer to the memory, which is unmapped with the last
        # one.
        with contextlib.suppress(BufferError):
            self._memory.close()


def _received_work(connection: Any, message: Message, size: int) -> Work | Exception:
    """The work, whose arrays are in memory that all workers share until one of them writes."""
    try:
        file = multiprocessing.reduction.recv_handle(connection)
        block = _Block(file, size, mmap.ACCESS_COPY)
        work: Work = block.read(message, is_copied=False)
        # A forked worker has the random numbers of the server process, as all others have.
        np.random.seed()
        torch: Any = sys.modules.get("torch")
        if torch is not None:
            torch.default_generator.seed()
            # The workers share the cores.
            torch.set_num_threads(1)
        return work
    except Exception as e:
        return e


def _serve(connection: Any, message: Message, work_size: int) -> None:
    """Runs a worker until the other end of its connection is closed."""
    # The program handles Ctrl-C, and ends its workers by closing their connections.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    blocks: dict[str, _Block] = {}

    def receive_block(name: str, size: int) -> None:
        file = multiprocessing.reduction.recv_handle(connection)
        if name in blocks:
            blocks[name].close()
        blocks[name] = _Block(file, size)

    work = _received_work(connection, message, work_size)
    while True:
        try:
            kind, *arguments = connection.recv()
        except (EOFError, OSError):
            return
        if kind == "block":
            receive_block(*arguments)
            continue
        try:
            if isinstance(work, Exception):
                raise work
            before = time.perf_counter()
            batches = blocks["in"].read(arguments[0], is_copied=False)
            message, buffers = _split(work.done_all(batches))
            del batches
            target = arguments[1]
            if target not in blocks or blocks[target].size < message.size:
                connection.send(("grow", message.size))
                receive_block(*connection.recv()[1:])
            blocks[target].write(message, buffers)
            answer: tuple[Any, ...] = ("done", message, time.perf_counter() - before)
        except (EOFError, OSError, KeyboardInterrupt):
            return
        except BaseException as e:
            sent = e if isinstance(e, Exception) else RuntimeError(f"{type(e).__name__}: {e}")
            answer = ("failed", _portable(sent), traceback.format_exc())
        connection.send(answer)


def _portable(error: Exception) -> Exception:
    """Returns the exception, or a RuntimeError with its text if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _context() -> Any:
    """The way to start workers: a server process, which has imported the libraries of the program
    once, forks them. Spawned workers would import PyTorch anew, a second of processor time for
    each."""
    is_there = "forkserver" in multiprocessing.get_all_start_methods()
    if not is_there or len(os.fsencode(tempfile.gettempdir())) > _SOCKET_FOLDER_MAX:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([name for name in _PRELOADED if name in sys.modules])
    return context


class _Worker:
    """One worker process, as the program sees it."""

    def __init__(self, work: _SharedWork) -> None:
        context = _context()
        self._connection, theirs = context.Pipe()
        block = work.block()
        self._process = context.Process(
            target=_serve,
            args=(theirs, work.message, block.size),
            name="penstock-worker",
            daemon=True,
        )
        self._process.start()
        # Only the worker keeps its end open, so that its death closes the connection.
        theirs.close()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            # A worker that has died is noticed with its first batch.
            multiprocessing.reduction.send_handle(self._connection, block.file, self._process.pid)
        self._blocks: dict[str, _Block] = {}
        # The names of the blocks for results whose arrays are all gone.
        self._targets = [f"out {number}" for number in range(_TARGET_COUNT)]
        # Whether the last batches were answered. It is false after an interruption.
        self.is_ready = True
        # The time that the worker took for the last batches, and the size of their arrays.
        self.spent_seconds = 0.0
        self.result_bytes = 0
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            self._poll.register(self._connection, select.POLLIN)

    def _grow(self, name: str, size: int) -> None:
        old = self._blocks.pop(name, None)
        if old is not None:
            old.close()
        block = _Block.create(size + size // 4)
        self._blocks[name] = block
        self._connection.send(("block", name, block.size))
        multiprocessing.reduction.send_handle(self._connection, block.file, self._process.pid)

    def done_all(self, batches: Sequence[Any], is_closed: Callable[[], bool]) -> list[Outcome]:
        message, buffers = _split(batches)
        self.is_ready = False
        target = self._targets.pop()
        try:
            if "in" not in self._blocks or self._blocks["in"].size < message.size:
                self._grow("in", message.size)
            self._blocks["in"].write(message, buffers)
            self._connection.send(("work", message, target))
            answer = self._answer(is_closed)
            if answer[0] == "grow":
                self._grow(target, answer[1])
                answer = self._answer(is_closed)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise RuntimeError(self._how_it_ended()) from None
        self.is_ready = True
        if answer[0] == "failed":
            self._targets.append(target)
            error, text = answer[1:]
            note(error, f"in a worker process:\n{text}")
            raise error
        _, message, self.spent_seconds = answer
        self.result_bytes = message.size
        return self._outcomes(message, target)

    def _outcomes(self, message: Message, target: str) -> list[Outcome]:
        """The outcomes, with arrays in the block if another block is left for the next batches."""
        outcomes: list[Outcome]
        free = self._targets
        if message.size >= _LENT_BYTES and free:
            outcomes = self._blocks[target].lent(message, lambda: free.append(target))
        else:
            outcomes = self._blocks[target].read(message, is_copied=True)
            free.append(target)
        return outcomes

    def _answer(self, is_closed: Callable[[], bool]) -> Any:
        while not self._has_answer():
            if is_closed():
                raise RuntimeError("the loader is closed")
        return self._connection.recv()

    def _has_answer(self) -> bool:
        """Waits a moment for an answer, or for the end of the process."""
        if self._poll is None:
            return bool(self._connection.poll(_LOOK_SECONDS))
        # A poll of multiprocessing makes a selector each time, which takes longer than to read.
        return bool(self._poll.poll(_LOOK_SECONDS * 1000))

    def _how_it_ended(self) -> str:
        self._process.join(1)
        code = self._process.exitcode
        if code is not None and code < 0:
            name = signal.Signals(-code).name
            return (
                f"a worker process was killed by {name}; for SIGKILL the usual reason is that the "
                "machine has too little memory"
            )
        return (
            f"a worker process ended with exit code {code}; a program that uses worker processes "
            'has to be started under `if __name__ == "__main__":`'
        )

    @property
    def is_alive(self) -> bool:
        return bool(self._process.is_alive())

    def close(self) -> None:
        self._connection.close()
        for block in self._blocks.values():
            block.close()
        self._blocks = {}
        self._process.join(0.2)
        if self._process.is_alive():
            self._process.kill()


class _SharedWork:
    """The work as all workers get it: pickled once, with its arrays in one block of memory."""

    def __init__(self, work: Work) -> None:
        try:
            self.message, self._buffers = _split(work)
        except Exception as e:
            what = (
                "the dataset and the functions" if isinstance(work.step, Samples) else "functions"
            )
            raise ValueError(
                f"{what} for worker processes must be picklable, and these are not "
                f"({e}); define them at the top of a module, or use worker_type='thread'"
            ) from e
        self._block: _Block | None = None
        self._lock = threading.Lock()

    def block(self) -> _Block:
        """The memory, which the first worker needs."""
        with self._lock:
            if self._block is None:
                block = _Block.create(self.message.size)
                block.write(self.message, self._buffers)
                self._buffers = []
                self._block = block
            return self._block

    def close(self) -> None:
        with self._lock:
            if self._block is not None:
                self._block.close()


class Processes:
    """Workers that are started when they are first needed, and used by as many threads."""

    def __init__(self, work: Work, count: int) -> None:
        self._work = _SharedWork(work)
        # The number of batches to send to a worker at once.
        self.group_size = 1
        self._state = _State(count)
        weakref.finalize(self, self._state.close)
        weakref.finalize(self, self._work.close)

    def done(self, batch: Any) -> tuple[Any, Failed]:
        """Returns the batch after all functions, and the skipped rows with their errors."""
        (outcome,) = self._sent([batch])
        if isinstance(outcome, Failure):
            note(outcome.error, f"in a worker process:\n{outcome.text}")
            raise outcome.error
        return outcome

    def done_all(self, batches: Sequence[Any]) -> list[Outcome]:
        """Returns the outcome of each batch. A batch that ends its worker fails alone."""
        outcomes: list[Outcome] = []
        with contextlib.suppress(Exception):
            if len(batches) > 1:
                outcomes = [one for one in self._sent(batches) if isinstance(one, Done)]
        for batch in batches[len(outcomes) :]:
            try:
                outcomes.append(Done(*self.done(batch)))
            except Exception as e:
                outcomes.append(Failure(e))
        return outcomes

    def _sent(self, batches: Sequence[Any]) -> list[Outcome]:
        worker = self._state.borrow(self._work)
        try:
            outcomes = worker.done_all(batches, lambda: self._state.is_closed)
            self._fit_group(len(batches), worker)
            return outcomes
        finally:
            self._state.give_back(worker)

    def _fit_group(self, count: int, worker: _Worker) -> None:
        """Makes groups larger while their work is short beside the way to a worker and back."""
        is_small = 2 * worker.result_bytes <= _GROUP_BYTES
        if worker.spent_seconds < _SHORT_SECONDS / 2 and is_small and count >= self.group_size:
            self.group_size = min(_GROUP_MAX, 2 * count)
        elif worker.spent_seconds > 2 * _SHORT_SECONDS or worker.result_bytes > _GROUP_BYTES:
            self.group_size = max(1, count // 2)

    def close(self) -> None:
        """Ends the workers."""
        self._state.close()


class _State:
    """The workers that are idle."""

    def __init__(self, count: int) -> None:
        self.is_closed = False
        # None is a worker that has not been started yet.
        self._idle: queue.Queue[_Worker | None] = queue.Queue()
        for _ in range(count):
            self._idle.put(None)

    def borrow(self, work: _SharedWork) -> _Worker:
        worker = self._idle.get()
        if self.is_closed:
            self._idle.put(worker)
            self.close()
            raise RuntimeError("the loader is closed")
        if worker is not None and worker.is_alive:
            return worker
        try:
            fresh = _Worker(work)
        except BaseException:
            self._idle.put(None)
            raise
        return fresh

    def give_back(self, worker: _Worker) -> None:
        is_usable = worker.is_ready and worker.is_alive
        if not is_usable:
            worker.close()
        self._idle.put(worker if is_usable else None)
        if self.is_closed:
            self.close()

    def close(self) -> None:
        self.is_closed = True
        with contextlib.suppress(queue.Empty):
            while True:
                worker = self._idle.get_nowait()
                if worker is not None:
                    worker.close()
        # Wakes a thread that waits in borrow, which wakes the next one.
        self._idle.put(None)

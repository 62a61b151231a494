# SPDX-License-Identifier: Apache-2.0
"""Start and end of processes: early exits, odd options, descriptors and signals."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from test_growth import SMALL

pytestmark = pytest.mark.full

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("os._exit(5)", 5),
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    ],
)
def test_exit_in_the_middle_of_everything(run: Run, steps: Path, end: str, status: int) -> None:
    """Loaders under way, a generator half-way, arrays alive, threads that end by sys.exit."""
    result = run(
        f"""
        import atexit, os, signal, sys, threading, penstock
        ds = penstock.open({str(steps)!r})
        loader = penstock.Loader(ds, 3)
        batches = iter(loader)
        kept = [next(batches), ds[:10], ds.view()]

        def samples():
            for batch in penstock.Loader(ds, 3):
                yield batch

        half = samples()
        next(half)

        def leave(batch):
            sys.exit(9)

        try:
            next(iter(penstock.Loader(ds, 10, transform=leave)))
        except SystemExit as e:
            assert e.code == 9

        def work():
            for batch in penstock.Loader(ds, 10):
                sys.exit(1)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

        class Last:
            def __del__(self):
                try:
                    ds[0]
                except RuntimeError as e:
                    assert "shutting down" in str(e)

        last = Last()
        atexit.register(lambda: print("last", ds[7]["board"], flush=True))
        {end}
        """,
        status=status,
    )
    assert result.stdout == ("last 7\n" if end in ("", "sys.exit(3)") else "")


def test_first_use_in_another_thread(run: Run, steps: Path) -> None:
    result = run(
        f"""
        import signal, threading, penstock
        threads = [
            threading.Thread(target=lambda: print(len(penstock.open({str(steps)!r}))))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print("end", flush=True)
        signal.alarm(300)
        """,
        status=None,
    )
    # Lines of several threads may run into each other.
    assert result.stdout.replace("\n", "") == "1000" * 8 + "end" and result.returncode == 0


def test_daemon_threads_at_exit(run: Run, steps: Path) -> None:
    """Python lets them vanish in silence."""
    run(
        f"""
        import atexit, sys, threading, time, penstock
        # The first registered function runs last, after the end of the runtime.
        atexit.register(time.sleep, 0.5)
        ds = penstock.open({str(steps)!r})
        loader = penstock.Loader(ds, 3)

        def gather():
            while True:
                ds[:500]

        def iterate():
            while True:
                for batch in loader:
                    pass

        for work in (gather, iterate, gather):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
        sys.exit(3)
        """,
        status=3,
    )


@pytest.mark.parametrize("options", [("-X", "dev", "-W", "error"), ("-O", "-I", "-B")])
def test_options_of_the_interpreter(run: Run, steps: Path, tmp_path: Path, options: str) -> None:
    result = run(
        f"""
        import gc, pickle, numpy as np, penstock
        ds = penstock.open({str(steps)!r})
        for batch in penstock.Loader(ds, 100):
            pass
        list(ds), np.asarray(ds), ds.view(), ds.split(), ds.verify(), ds["board"][:]
        ds.where("board > 3"), pickle.loads(pickle.dumps(ds)), np.asarray(ds["values"])
        ds.take([1, 2], out=np.empty(2, ds.dtype))
        penstock.write({str(tmp_path / "x.npy")!r}, ds)
        penstock.write({str(tmp_path / "x.a2pack")!r}, [b"a", b""])
        pack = penstock.open({str(tmp_path / "x.a2pack")!r})
        np.asarray(pack), pack.take([0], ragged=True)
        del batch, ds, pack
        gc.collect()
        print("fine")
        """,
        *options,
    )
    assert result.stdout == "fine\n"


@pytest.mark.parametrize(
    "closed",
    [
        (0, 1),
        (2,),
    ],
)
def test_closed_descriptors(run: Run, steps: Path, tmp_path: Path, closed: tuple[int, ...]) -> None:
    done = tmp_path / "done"
    run(f"""
        import os, sys
        for number in {closed!r}:
            os.close(number)
        if 2 in {closed!r}:
            sys.stderr = None
        import penstock
        # The next file gets the number of stderr, and none of the runtime's words.
        with open({str(done)!r}, "w") as file:
            ds = penstock.open({str(steps)!r})
            assert len(list(penstock.Loader(ds, 100))) == 10
            file.write("fine")
        if 1 in {closed!r}:
            sys.stdout = None
    """)
    assert done.read_text() == "fine"


def test_a_folder_where_nothing_can_be_written(run: Run, steps: Path, tmp_path: Path) -> None:
    folder = tmp_path / "readonly"
    folder.mkdir()
    folder.chmod(0o555)
    run(
        f"""
        import os
        os.chdir({str(folder)!r})
        import penstock
        assert len(list(penstock.Loader(penstock.open({str(steps)!r}), 100))) == 10
        """,
        HOME=str(folder),
        TMPDIR=str(folder),
    )
    assert list(folder.iterdir()) == []


def test_handlers_of_signals_stay(run: Run, steps: Path, tmp_path: Path) -> None:
    """Handlers that were set before the runtime starts stay. Clusters announce the end of a job by
    some of these signals."""
    result = run(f"""
        import os, signal, subprocess, time, penstock
        names = ("SIGUSR1 SIGUSR2 SIGHUP SIGINT SIGTERM SIGQUIT SIGALRM SIGCHLD SIGCONT SIGWINCH "
                 "SIGPIPE SIGXFSZ SIGIO SIGPROF SIGVTALRM SIGURG SIGTSTP").split()
        seen = []
        for name in names:
            signal.signal(getattr(signal, name), lambda number, _: seen.append(number))
        ds = penstock.open({str(steps)!r})
        list(penstock.Loader(ds, 100))
        penstock.write({str(tmp_path / "x.npy")!r}, [1])
        ds.verify()
        for name in names:
            number = getattr(signal, name)
            os.kill(os.getpid(), number)
            until = time.time() + 300
            while number not in seen and time.time() < until:
                ds[0]
            if number not in seen:
                print("lost", name)
        seen.clear()
        subprocess.run(["true"])
        print(signal.SIGCHLD in seen)
    """)
    assert result.stdout == "True\n"


@pytest.mark.parametrize(("action", "status"), [("SIG_DFL", -signal.SIGPIPE), ("SIG_IGN", 0)])
def test_pipes_break_as_before(run: Run, steps: Path, action: str, status: int) -> None:
    result = run(
        f"""
        import os, signal, penstock
        signal.signal(signal.SIGPIPE, signal.{action})
        penstock.open({str(steps)!r})
        source, sink = os.pipe()
        os.close(source)
        try:
            os.write(sink, b"x")
        except BrokenPipeError:
            print("broken")
        """,
        status=status,
    )
    assert result.stdout == ("broken\n" if status == 0 else "")


def test_interrupt_while_the_runtime_starts(run: Run, steps: Path) -> None:
    run(f"""
        import penstock
        create = penstock._jvm._create

        def interrupted(*arguments):
            create(*arguments)
            raise KeyboardInterrupt

        penstock._jvm._create = interrupted
        try:
            penstock.open({str(steps)!r})
        except KeyboardInterrupt:
            penstock._jvm._create = create
        assert len(penstock.open({str(steps)!r})) == 1000
    """)


def test_fork_while_a_thread_iterates(run: Run, steps: Path) -> None:
    run(f"""
        import os, signal, threading, time, penstock
        inside, is_over = threading.Event(), threading.Event()

        def slow(batch):
            inside.set()
            is_over.wait()
            return batch

        batches = iter(penstock.Loader(penstock.open({str(steps)!r}), 10, transform=slow))
        thread = threading.Thread(target=next, args=(batches,))
        thread.start()
        inside.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(300)
            try:
                next(batches)
            except penstock.ForkedError:
                os._exit(0)
            os._exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        is_over.set()
        thread.join()
    """)


def test_interrupts_of_long_work(run: Run, tmp_path: Path) -> None:
    """verify, a large write and large batches; afterwards everything goes on."""
    result = run(f"""
        import os, signal, threading, time, numpy as np, penstock
        path, new = {str(tmp_path / "large.npy")!r}, {str(tmp_path / "new.npy")!r}
        np.lib.format.open_memmap(path, "w+", "<f8", (12_000_000,)).flush()
        ds = penstock.open(path)
        array = np.zeros(8_000_000)

        def batches():
            with penstock.Loader(ds, 1_000_000, prefetch=0) as loader:
                while True:
                    for batch in loader:
                        pass

        def write():
            while True:
                penstock.write(new, array, overwrite=True)

        def verify():
            while True:
                ds.verify()

        for work in (verify, write, batches):
            try:
                threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT)).start()
                work()
            except KeyboardInterrupt:
                print("interrupted")
        assert ds[11_999_999] == 0
        assert not os.path.exists(new) or len(penstock.open(new)) == len(array)
        penstock.write(new, [1], overwrite=True)
        assert [name for name in os.listdir({str(tmp_path)!r}) if "penstock" in name] == []
    """)
    assert result.stdout == "interrupted\n" * 3


def test_many_short_threads(run: Run, steps: Path) -> None:
    run(
        f"""
        import threading, time, penstock
        ds = penstock.open({str(steps)!r})

        def status(name):
            with open("/proc/self/status") as file:
                return int(file.read().split(name + ":")[1].split()[0])

        def work(count):
            for _ in range(count):
                thread = threading.Thread(target=lambda: ds[:10])
                thread.start()
                thread.join()
            # The last one is joined before the system has taken it away.
            time.sleep(0.5)

        work(300)
        before = status("Threads"), status("RssAnon")
        work(1000)
        # The runtime has more or fewer threads that compile.
        assert status("Threads") < before[0] + 20 and status("RssAnon") - before[1] < 30_000
        """,
        PENSTOCK_JAVA_OPTIONS=SMALL,
    )


def test_asyncio_and_executors(run: Run, steps: Path) -> None:
    result = run(f"""
        import asyncio, os, signal, penstock
        ds = penstock.open({str(steps)!r})

        async def consume():
            rows = 0
            for batch in penstock.Loader(ds, 10):
                rows += len(batch["board"])
                await asyncio.sleep(0)
            return rows

        async def main():
            got = asyncio.Event()
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, got.set)
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(got.wait(), 300)
            some = [asyncio.to_thread(lambda i=i: int(ds[i]["board"])) for i in range(50)]
            print(sum(await asyncio.gather(*some)), await asyncio.gather(consume(), consume()))

        asyncio.run(main())
    """)
    assert result.stdout == "1225 [1000, 1000]\n"

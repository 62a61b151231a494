# SPDX-License-Identifier: Apache-2.0
"""The runtime inside the process: fork, spawn, signals, faulthandler, stderr, files that shrink."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

pytestmark = pytest.mark.full

Run = Callable[..., "subprocess.CompletedProcess[str]"]

# PENSTOCK_LONG is for more forks, at more moments of the runtime.
FORKS = 400 if os.environ.get("PENSTOCK_LONG") else 6

# Null checks that fail, at first in interpreted and later in compiled code: the runtime turns the
# faults into exceptions by its signal handlers.
EXERCISE = """
def exercise():
    for i in range(300):
        try:
            penstock._jvm.call("concat", parts=[None])
        except RuntimeError as e:
            assert "NullPointerException" in str(e)
    assert ds[5]["board"] == 5
"""


def test_importing_starts_nothing(run: Run) -> None:
    script = """
        import sys, penstock
        assert penstock._jvm._functions is None
        assert "torch" not in sys.modules
    """
    run(script, is_new=True)


def test_fork_is_refused_in_words(run: Run, steps: Path, pack: Path) -> None:
    result = run(f"""
        import os, penstock, gc, pickle
        ds, pack = penstock.open({str(steps)!r}), penstock.open({str(pack)!r})
        batch, first = ds[:10], pack[0]
        loader = penstock.Loader(ds, batch_size=10)
        next(iter(loader))
        child = os.fork()
        if child == 0:
            assert pack[0] == first and pickle.loads(pickle.dumps(pack))[0] == first
            for wrong in (lambda: pack.where("True"), lambda: next(iter(loader)),
                          lambda: penstock.open("x")):
                try:
                    wrong()
                    os._exit(3)
                except penstock.ForkedError as e:
                    assert "spawn" in str(e) and "forkserver" in str(e)
            assert batch["board"].tolist() == list(range(10)) and ds.view()["board"][3] == 3
            del batch, loader, ds
            gc.collect()
            raise SystemExit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert ds[9]["board"] == 9
        print("fine")
    """)
    assert result.stdout == "fine\n"


def test_forked_children_end(run: Run, steps: Path) -> None:
    """Each of them with another moment of the runtime's threads frozen in it."""
    run(f"""
        import os, signal, threading, penstock
        ds = penstock.open({str(steps)!r})
        is_over = threading.Event()

        def iterate():
            while not is_over.is_set():
                for batch in penstock.Loader(ds, 10):
                    pass

        thread = threading.Thread(target=iterate)
        thread.start()
        for _ in range({FORKS}):
            child = os.fork()
            if child == 0:
                signal.alarm(300)
                raise SystemExit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        is_over.set()
        thread.join()
    """)


def test_fork_before_the_first_use_is_fine(run: Run, steps: Path) -> None:
    run(f"""
        import os, penstock
        child = os.fork()
        assert penstock.open({str(steps)!r})[7]["board"] == 7
        if child:
            assert os.waitpid(child, 0)[1] == 0
    """)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers(run: Run, steps: Path, method: str) -> None:
    run(f"""
        import multiprocessing, penstock

        def total(ds, part):
            return int(ds[part::2]["board"].sum())

        if __name__ == "__main__":
            ds = penstock.open({str(steps)!r})
            with multiprocessing.get_context("{method}").Pool(2) as pool:
                parts = pool.starmap(total, [(ds, 0), (ds.select(range(1000)), 1)])
            assert sum(parts) == 499500, parts
    """)


@pytest.mark.parametrize("when", ["never", "before", "after", "imported", "disabled"])
def test_faulthandler(run: Run, steps: Path, when: str) -> None:
    before, after = {
        "never": ("", ""),
        "before": ("faulthandler.enable()", ""),
        "after": ("", "faulthandler.enable(); assert faulthandler.is_enabled()"),
        "imported": ("from faulthandler import enable, disable", "disable(); exercise(); enable()"),
        "disabled": ("", "faulthandler.disable(); assert not faulthandler.is_enabled()"),
    }[when]
    script = f"""
import faulthandler, penstock
{before}
ds = penstock.open({str(steps)!r})
{EXERCISE}
exercise()
{after}
exercise()
print("fine", flush=True)
import ctypes, resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
ctypes.string_at(8)
"""
    # A fault outside Java ends the process, with the usual signal and message.
    result = run(script, status=-signal.SIGSEGV, stderr=None)
    assert result.stdout == "fine\n"
    assert ("most recent call first" in result.stderr) == (when != "disabled")
    assert "fatal error has been detected by the Java" not in result.stderr


def test_interrupts_stay_pythons(run: Run, steps: Path) -> None:
    result = run(f"""
        import os, signal, threading, time, penstock
        ds = penstock.open({str(steps)!r})
        try:
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            while True:
                ds[:]
        except KeyboardInterrupt:
            print("interrupted")
        assert ds[1]["board"] == 1
        try:
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            with penstock.Loader(ds, batch_size=1) as loader:
                while True:
                    for batch in loader:
                        pass
        except KeyboardInterrupt:
            print("interrupted")
        assert ds[1]["board"] == 1 and penstock.Loader(ds, batch_size=1)[0]["board"].size == 1
    """)
    assert result.stdout == "interrupted\n" * 2


def test_memory_is_given_back_without_another_call(run: Run, tmp_path: Path) -> None:
    run(f"""
        import time, numpy as np, penstock

        def resident():
            # Without the pages of mapped files.
            with open("/proc/self/status") as file:
                return int(file.read().split("RssAnon:")[1].split()[0]) * 1024

        np.save({str(tmp_path / "x.npy")!r}, np.zeros((25_000, 1000)))
        ds = penstock.open({str(tmp_path / "x.npy")!r})
        ds[:10]
        before = resident()
        batch = ds[:]
        assert resident() - before > 150_000_000
        del batch
        while resident() - before > 100_000_000:
            time.sleep(0.05)
    """)


def test_interrupt_of_a_long_call_is_served_at_once(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "large.npy"
    run(f"""
        import os, signal, threading, time, numpy as np, penstock
        # The whole file would take far longer than the limit below, on any machine.
        big = np.lib.format.open_memmap({str(file)!r}, "w+", "<f8", (100_000_000_000,))
        del big
        ds = penstock.open({str(file)!r})
        before = time.time()
        try:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            ds.where("value > 1 or value < 0 or value > 2")
            raise SystemExit("not long enough")
        except KeyboardInterrupt:
            assert time.time() - before < 60
        assert ds[3] == 0
    """)


@pytest.mark.parametrize("io", ["mmap", "read"])
def test_a_file_that_shrinks_is_an_error_and_no_crash(run: Run, tmp_path: Path, io: str) -> None:
    file = tmp_path / "shrinks.npy"
    script = f"""
        import os, numpy as np, penstock
        count = 200_000
        rows = np.zeros(count, [("a", "<u8"), ("n", [("x", "<f4"), ("y", "u1", (3,))])])
        rows["a"] = np.arange(count)
        np.save({str(file)!r}, rows)
        ds = penstock.open({str(file)!r}, io={io!r})
        loader = penstock.Loader(ds, batch_size=1000, shuffle=False, prefetch=0)
        batches = iter(loader)
        next(batches)
        for _ in range(200):
            # The code that reads is compiled by now.
            ds[-1], ds["a"][:100], ds.take([7, -1], out=np.empty(2, ds.dtype))
        os.truncate({str(file)!r}, 100_000)
        some = ds.select(np.arange(0, count, 3))
        for wrong in (
            lambda: ds[count - 1], lambda: ds[:], lambda: ds["a"][:], lambda: ds["n"][-5:],
            lambda: ds["n.y"][-5:], lambda: some[:], lambda: ds.where("a > 5"),
            lambda: ds.take(np.arange(count), out=np.empty(count, ds.dtype)),
            lambda: np.asarray(ds), lambda: list(ds), lambda: list(ds["a"]),
            lambda: list(batches), lambda: loader[-1],
            lambda: penstock.concat(ds, ds)[-1], lambda: penstock.zip(a=ds, b=ds)[-1],
        ):
            try:
                wrong()
                print("no error")
            except penstock.CorruptDataError as e:
                print("cut" if {str(file)!r} in str(e) else e)
        assert not ds.verify() and ds[10]["a"] == 10
    """
    result = run(script)
    assert result.stdout == "cut\n" * 15


def test_failures_in_signal_handlers_are_their_own(
    steps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handler runs between a call that failed and the asking why."""
    fail = penstock._jvm.fail

    def interrupted(*arguments: Any) -> Any:
        monkeypatch.setattr(penstock._jvm, "fail", fail)
        with pytest.raises(FileNotFoundError):
            penstock.open(steps.with_name("missing"))
        return fail(*arguments)

    ds = penstock.open(steps)
    monkeypatch.setattr(penstock._jvm, "fail", interrupted)
    assert ds[-1]["board"] == 999


def test_no_java_is_said_with_what_to_do(run: Run, tmp_path: Path) -> None:
    result = run(
        "import penstock; penstock.open('x')",
        PENSTOCK_JAVA_HOME=str(tmp_path),
        status=1,
        stderr=None,
    )
    assert "JavaNotFoundError: PENSTOCK_JAVA_HOME is" in result.stderr


def test_options_reach_the_runtime(run: Run) -> None:
    result = run(
        "import penstock; penstock.samplers.Sequential(3)",
        PENSTOCK_JAVA_OPTIONS="-XX:NoSuchOption=1",
        status=1,
        stderr=None,
    )
    assert "NoSuchOption" in result.stderr and "did not start" in result.stderr


def test_a_process_that_is_started_meanwhile_keeps_nobody_waiting(run: Run, steps: Path) -> None:
    result = run(
        f"""
        import subprocess, penstock
        create, children = penstock._jvm._create, []

        def meanwhile(*arguments):
            shell = ["sh", "-c", "read line; echo late >&2"]
            children.append(subprocess.Popen(shell, stdin=subprocess.PIPE))
            return create(*arguments)

        penstock._jvm._create = meanwhile
        penstock.open({str(steps)!r})
        children[0].communicate(b"\\n")
    """,
        stderr="late\n",
    )
    assert result.stdout == ""


def test_closed_stderr(run: Run, steps: Path) -> None:
    script = f"""
        import os, sys
        os.close(2)
        sys.stderr = None
        import penstock
        assert len(penstock.open({str(steps)!r})) == 1000
    """
    run(script, is_new=True)


def test_command_line(tmp_path: Path, steps: Path) -> None:
    line = [sys.executable, "-m", "penstock"]
    shown = subprocess.run([*line, "info", str(steps)], capture_output=True, text=True)
    assert shown.returncode == 0 and "1,000" in shown.stdout
    assert shown.stderr.startswith("next: penstock head ")
    missing = subprocess.run([*line, "info", str(tmp_path / "no")], capture_output=True, text=True)
    assert missing.returncode != 0 and missing.stdout == ""
    script = Path(sys.executable).with_name("penstock")
    if script.exists():
        wrong = subprocess.run([script, "nonsense"], capture_output=True, env=os.environ)
        assert wrong.returncode == 2


def test_a_command_ends_quietly_when_nobody_reads_its_output(tmp_path: Path) -> None:
    np.save(tmp_path / "numbers.npy", np.arange(200_000))
    script = f"""
        cd {tmp_path}
        {sys.executable} -m penstock export numbers.npy --format csv --output - | head -n 1
        echo "${{PIPESTATUS[0]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=600)
    assert (done.stdout, done.stderr) == ("value\n141\n", "")

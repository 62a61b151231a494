# SPDX-License-Identifier: Apache-2.0
"""Signal handlers of the runtime that others take away."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from test_processes import EXERCISE

pytestmark = pytest.mark.full

Run = Callable[..., "subprocess.CompletedProcess[str]"]

TAKE_AWAY = {
    "as Lightning does": "{number: signal.signal(number, handler) for number, handler in had}",
    "by name": "signal.signal(signal.SIGSEGV, signal.SIG_DFL)",
    "by a handler": "signal.signal(signal.SIGSEGV, print)",
    "below Python": """
sigaction, action = ctypes.CDLL(None).sigaction, ctypes.create_string_buffer(512)
sigaction(signal.SIGSEGV, action, None)
# A thread puts it back. The address of the handler comes first.
while not any(action.raw[:8]):
    time.sleep(0.05)
    sigaction(signal.SIGSEGV, None, action)
""",
}


@pytest.mark.parametrize("how", TAKE_AWAY)
def test_handlers_that_are_taken_away_come_back(how: str, run: Run, steps: Path) -> None:
    result = run(f"""
import ctypes, signal, time, penstock
ds = penstock.open({str(steps)!r})
{EXERCISE}
exercise()
numbers = signal.valid_signals() - {{signal.SIGKILL, signal.SIGSTOP}}
had = [(n, signal.getsignal(n)) for n in numbers if signal.getsignal(n) is not None]
{TAKE_AWAY[how]}
exercise()
print("fine")
""")
    assert result.stdout == "fine\n"


def test_other_signals_are_as_they_were(run: Run, steps: Path) -> None:
    result = run(f"""
        import os, signal, penstock
        interrupt = signal.getsignal(signal.SIGINT)
        penstock.open({str(steps)!r})
        before = signal.signal(signal.SIGUSR1, lambda number, frame: print("came"))
        assert before == signal.SIG_DFL and callable(signal.getsignal(signal.SIGUSR1))
        os.kill(os.getpid(), signal.SIGUSR1)
        assert signal.getsignal(signal.SIGINT) is interrupt
    """)
    assert result.stdout == "came\n"

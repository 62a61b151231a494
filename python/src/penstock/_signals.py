# SPDX-License-Identifier: Apache-2.0
"""Makes the signal handlers of the Java runtime and of `faulthandler` work together.

The runtime turns some faults of its own code into exceptions, so its handlers have to stay the
first ones; were `faulthandler` to put its own in their place, the first null check in Java would
end the process. When `faulthandler` is enabled before the runtime starts, the runtime remembers it
and calls it for faults that are not its own. So this module enables it before the start, with
stderr as its file if the program has not enabled it: a crash then shows the Python stack, and
enabling it later only changes the file. Disabling it would remove the runtime's handlers, and the
runtime would call a handler that returns without effect, for ever. So `faulthandler.disable` makes
it write to the null device instead.

Other packages replace the handlers as well: Lightning's Trainer restores the handlers that Python
knows, and PyTorch's worker processes set their own. This module repairs both at once. It finds and
repairs other replacements within a moment.

Handlers of other signals that the runtime replaces are put back once it has started.

The runtime's signal handlers stay the first ones. The runtime handles null
checks and shortened files by signals; without its handlers they end the process.
"""

from __future__ import annotations

import ctypes
import faulthandler
import functools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

_NAMES = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP")

# Larger than `struct sigaction` of any system; its content is only ever handed back.
_ACTION_BYTES = 512

# The original functions, without the guards below.
_enable, _disable, _is_enabled = faulthandler.enable, faulthandler.disable, faulthandler.is_enabled

# Signals that the runtime handles but does not need: for child processes, for pipes, and for tools
# that suspend its threads.
_TAKEN = ("SIGCHLD", "SIGPIPE", "SIGXFSZ", "SIGUSR2")

_saved: dict[int, Any] = {}
_own: dict[int, Any] = {}
_is_on = True
_nowhere = -1
_owner = -1

_signal, _getsignal = signal.signal, signal.getsignal


def _actions(names: tuple[str, ...]) -> dict[int, Any]:
    """Returns the current actions of these signals."""
    sigaction = ctypes.CDLL(None).sigaction
    actions = {}
    for name in names:
        number = getattr(signal, name, None)
        action = ctypes.create_string_buffer(_ACTION_BYTES)
        if number is not None and sigaction(int(number), None, action) == 0:
            actions[int(number)] = action
    return actions


def before_start() -> None:
    """Enables `faulthandler`, so that the runtime finds it, and saves the current handlers."""
    if not _is_enabled():
        _enable(file=2)
    _own.update(_actions(_TAKEN))
    if hasattr(signal, "SIGUSR2") and signal.getsignal(signal.SIGUSR2) is signal.SIG_DFL:
        # The program has no handler for it, so the runtime's stays: the default ends the process.
        _own.pop(int(signal.SIGUSR2), None)


def after_start() -> None:
    """Saves the runtime's handlers, and guards them from now on."""
    global _nowhere, _owner
    _owner = os.getpid()
    _nowhere = os.open(os.devnull, os.O_WRONLY)
    sigaction = ctypes.CDLL(None).sigaction
    for number, action in _own.items():
        sigaction(number, action, None)
    _saved.update(_actions(_NAMES))
    faulthandler.enable = _guarded_enable
    faulthandler.disable = _guarded_disable  # type: ignore[assignment]
    faulthandler.is_enabled = _guarded_is_enabled
    signal.signal = _guarded_signal
    signal.getsignal = _guarded_getsignal
    workers = sys.modules.get("torch.utils.data._utils.signal_handling")
    if workers is not None:
        # A worker process has its dataset, and so the runtime, before it sets its handlers.
        name = "_set_worker_signal_handlers"
        setattr(workers, name, _followed_by_restore(getattr(workers, name)))


def restore() -> None:
    """Makes the handlers of the runtime the first ones again, if they are not."""
    if os.getpid() != _owner:
        # A forked process keeps its own handlers.
        return
    if is_disturbed():
        put_back()
        return
    sigaction = ctypes.CDLL(None).sigaction
    now = ctypes.create_string_buffer(_ACTION_BYTES)
    for number, action in _saved.items():
        if sigaction(number, None, now) == 0 and now.raw != action.raw:
            sigaction(number, action, None)


def _followed_by_restore(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def guarded(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        finally:
            restore()

    return guarded


_guarded_signal = _followed_by_restore(_signal)


@functools.wraps(_getsignal)
def _guarded_getsignal(signalnum: int) -> Any:
    # None is Python's word for a handler that others have set; Python looked before there was one.
    return None if signalnum in _saved and os.getpid() == _owner else _getsignal(signalnum)


def is_disturbed() -> bool:
    """Whether the program called a `disable` that it had imported before it was guarded."""
    return not _is_enabled()


def put_back() -> None:
    """Makes the handlers of the runtime the first ones again, with `faulthandler` behind them."""
    sigaction = ctypes.CDLL(None).sigaction
    nobody = ctypes.create_string_buffer(_ACTION_BYTES)
    for number in _saved:
        # faulthandler passes a signal on to the handler that it finds now.
        sigaction(number, nobody, None)
    _enable(file=_nowhere)
    for number, action in _saved.items():
        sigaction(number, action, None)


@functools.wraps(_enable)
def _guarded_enable(*arguments: Any, **named: Any) -> None:
    global _is_on
    _enable(*arguments, **named)
    _is_on = True


@functools.wraps(_disable)
def _guarded_disable() -> bool:
    global _is_on
    was_on, _is_on = _is_on, False
    _enable(file=_nowhere)
    return was_on


@functools.wraps(_is_enabled)
def _guarded_is_enabled() -> bool:
    return _is_on

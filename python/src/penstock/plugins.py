# SPDX-License-Identifier: Apache-2.0
"""Plug-ins: jars that add formats, commands, verbs and transforms. The page "Plug-ins" of the
documentation says how to write one."""

from __future__ import annotations

import errno
import os
from typing import Any

from . import _jvm, _paths
from ._dataset import Dataset
from .transforms import Ahead

__all__ = ["Transform", "add", "call"]


def __dir__() -> list[str]:
    """The public names, without the modules that this one imports."""
    return __all__


_VARIABLE = "PENSTOCK_PLUGINS"


def add(jar: _paths.PathLike) -> None:
    """Puts a jar on the class path of the Java runtime, for this process and those that it starts.

    The first call that needs Java starts the runtime, so a package calls this when it is imported.

    Raises:
        FileNotFoundError: when there is no such file
        RuntimeError: when the runtime was already started without the jar
    """
    path = _paths.absolute(jar)
    if not os.path.isfile(path):
        raise FileNotFoundError(errno.ENOENT, "there is no such jar", path)
    if os.pathsep in path:
        raise ValueError(f"the path of a plug-in must not contain {os.pathsep!r}, got {path}")
    jars = [one for one in os.environ.get(_VARIABLE, "").split(os.pathsep) if one]
    if path in jars:
        return
    if _jvm.is_started():
        raise RuntimeError(
            f"the Java runtime was already started without {path}; import the plug-in before the "
            f"first dataset is opened, or list the jar in {_VARIABLE}"
        )
    os.environ[_VARIABLE] = os.pathsep.join([*jars, path])


def call(verb: str, dataset: Dataset | None = None, /, **arguments: Any) -> Any:
    """Calls a verb of a plug-in and returns its answer.

    Args:
        verb: the names of the plug-in and of its verb, such as `"toy.sum"`
        dataset: the dataset that the verb is about
        arguments: values for JSON: numbers, texts, lists, dictionaries, None

    Raises:
        ValueError: when there is no such plug-in or verb, or an argument is invalid
    """
    if "." not in verb:
        raise ValueError(f"the verb of a plug-in is 'NAME.VERB', got {verb!r}")
    if dataset is not None:
        arguments["handle"] = dataset._java().number
    return _jvm.call_patiently(verb, **arguments)


class Transform(Ahead):
    """A transform of `penstock.Loader` that a plug-in runs in the loader's threads.

    Args:
        kind: the names of the plug-in and of its transform, such as `"game2048.symmetry"`
        arguments: values for JSON
    """

    def __init__(self, kind: str, **arguments: Any) -> None:
        if "." not in kind:
            raise ValueError(f"the transform of a plug-in is 'NAME.KIND', got {kind!r}")
        self.kind = kind
        self.arguments = arguments

    def _request(self) -> dict[str, Any]:
        return {**self.arguments, "kind": self.kind}

    def __repr__(self) -> str:
        texts = [repr(self.kind), *(f"{name}={value!r}" for name, value in self.arguments.items())]
        return f"Transform({', '.join(texts)})"

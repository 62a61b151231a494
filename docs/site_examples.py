# SPDX-License-Identifier: Apache-2.0
"""Shows the examples of docstrings, lines that begin with `>>>`, as code in the API reference."""

from __future__ import annotations

from typing import Any

import griffe


def fenced(text: str) -> str:
    """The text with each block of an interactive session between fences."""
    lines: list[str] = []
    inside = False
    for line in [*text.splitlines(), ""]:
        if not inside and line.startswith(">>>"):
            lines += ["", "```pycon"]
            inside = True
        elif inside and not line:
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join(lines)


class Examples(griffe.Extension):
    """Changes docstrings after they are read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)

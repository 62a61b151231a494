# SPDX-License-Identifier: Apache-2.0
"""The result of `verify`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Problem:
    """One problem that `verify` found."""

    file: str
    offset: int
    severity: str
    reason: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}: {self.what} (byte {self.offset})"


@dataclass(frozen=True)
class Verification:
    """The result of `Dataset.verify`; true when every record can be read as it was written.

    `problem_count` counts errors and warnings, `error_count` errors alone. `problems` lists the
    first 1,000 of them, errors before warnings when there are more.
    """

    ok: bool
    checked_bytes: int
    problem_count: int
    error_count: int
    problems: list[Problem] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.ok

    @classmethod
    def of(cls, answer: dict[str, Any]) -> Verification:
        problems = [Problem(**one) for one in answer["problems"]]
        return cls(
            answer["ok"],
            answer["checkedBytes"],
            answer["problemCount"],
            answer["errorCount"],
            problems,
        )

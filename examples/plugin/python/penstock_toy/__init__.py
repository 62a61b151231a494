# SPDX-License-Identifier: Apache-2.0
"""Toy datasets. `toy.jar` lies beside this file."""

from pathlib import Path

import penstock
from penstock import plugins

plugins.add(Path(__file__).with_name("toy.jar"))


def sum(dataset: penstock.Dataset) -> int:
    """Returns the sum of the numbers of a toy dataset."""
    return int(plugins.call("toy.sum", dataset))

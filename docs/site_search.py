# SPDX-License-Identifier: Apache-2.0
"""The search of the docs site, without a server and without the internet.

A browser allows no worker in a page that was opened as a file. The theme takes a replacement of
workers from a server; the site has its own copy.
"""

from __future__ import annotations

from typing import Any

_THEIRS = "https://unpkg.com/iframe-worker/shim"


def on_post_page(output: str, *, page: Any, **_: Any) -> str:
    up = "../" * page.url.count("/")
    return output.replace(_THEIRS, f"{up}site-search.js")


def on_post_template(output: str, **_: Any) -> str:
    """The page for addresses without a page."""
    return output.replace(_THEIRS, "/site-search.js")

# SPDX-License-Identifier: Apache-2.0
"""Links of pages to files outside of docs/, such as ../README.md, for the docs site.

On the site such a file is not a page. Where the build knows the address of the repository
(`PENSTOCK_SOURCE_URL`, such as https://host/name/blob/main), the link leads there; otherwise the
words stay and the link goes.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import Any

_LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)\s]*)\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    folder = posixpath.dirname(posixpath.join("docs", page.file.src_uri))
    source = os.environ.get("PENSTOCK_SOURCE_URL", "").rstrip("/")

    def replaced(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[2]))
        if target.startswith("docs/"):
            return link[0]
        return f"[{link[1]}]({source}/{target})" if source else link[1]

    return _LINK.sub(replaced, markdown)

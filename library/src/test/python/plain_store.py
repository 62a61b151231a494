# SPDX-License-Identifier: Apache-2.0
"""Prints the records of a store, knowing the published layout alone: meta.json, tables and chunks.

usage: plain_store.py          reads paths of stores, one a line, and prints for each a line of JSON: a list of
                               records, each a list with a string of hexadecimal digits for each field
"""

import json
import pathlib
import struct
import sys
import zlib

ENTRY = struct.Struct("<IQI")


def expanded(stored: bytes, compress: str) -> bytes:
    if compress == "raw" or not stored:
        return stored
    if compress == "flate":
        return zlib.decompress(stored, wbits=-15)
    raise SystemExit(f"compression {compress} is not part of the published layout")


def records(store: pathlib.Path):
    meta = json.loads((store / "meta.json").read_bytes())
    tables = [(store / f"{field['name']}.offset").read_bytes() for field in meta["fields"]]
    chunks: dict[int, bytes] = {}
    for index in range(meta["length"]):
        row = []
        for field, table in zip(meta["fields"], tables):
            chunk, offset, size = ENTRY.unpack_from(table, ENTRY.size * index)
            if size and chunk not in chunks:
                chunks[chunk] = (store / "chunk" / f"{chunk}.zr").read_bytes()
            stored = chunks[chunk][offset : offset + size] if size else b""
            assert len(stored) == size, f"record {index}: chunk {chunk} is too short"
            row.append(expanded(stored, field["compress"]).hex())
        yield row


for line in sys.stdin:
    print(json.dumps(list(records(pathlib.Path(line.rstrip("\n"))))), flush=True)

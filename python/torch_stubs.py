# SPDX-License-Identifier: Apache-2.0
"""Makes a PyTorch that was built for CUDA usable on a machine without any, for tests.

Its libraries name a dozen others, of 2.5 GB together, that only a GPU needs. Each one that is not
there gets a stand-in beside them, with the symbols and versions that are asked for, whose functions
do nothing but fail. They must never be shipped or used where there is a GPU.

usage: torch_stubs.py SITE-PACKAGES
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path


def readelf(option: str, library: Path) -> str:
    command = ["readelf", "-W", option, str(library)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library: Path) -> tuple[set[str], set[str]]:
    """Returns the symbols that a library defines and needs, as `name` or `name@version`."""
    has, wants = set(), set()
    for line in readelf("--dyn-syms", library).splitlines():
        words = line.split()
        if len(words) > 7 and words[0].endswith(":") and words[0] != "Num:":
            (wants if words[6] == "UND" else has).add(words[7].replace("@@", "@"))
    return has, wants


def versions(library: Path) -> dict[str, str]:
    """Returns the file of each needed version."""
    text = readelf("--version-info", library).partition("Version needs section")[2]
    files, file = {}, ""
    for kind, word in re.findall(r"(File|Name): (\S+)", text):
        if kind == "File":
            file = word
        else:
            files[word] = file
    return files


def build(target: Path, wanted: set[str]) -> None:
    """Compiles a library in which every function returns 1, which is an error to all callers."""
    by_version: defaultdict[str, list[str]] = defaultdict(list)
    for symbol in sorted(wanted):
        name, _, version = symbol.partition("@")
        by_version[version].append(name)
    names = {name for some in by_version.values() for name in some}
    code = ["static int fail(void) { return 1; }"]
    code += [f'int {name}(void) __attribute__((alias("fail")));' for name in sorted(names)]
    script = [
        f"{version} {{ {' '.join(f'{name};' for name in some)} }};"
        for version, some in by_version.items()
        if version
    ]
    with tempfile.TemporaryDirectory() as folder:
        source, map_file = Path(folder, "stub.c"), Path(folder, "stub.map")
        source.write_text("\n".join(code) + "\n")
        map_file.write_text("\n".join(script) + "\n")
        command = ["gcc", "-w", "-shared", "-fPIC", "-fno-builtin", f"-Wl,-soname,{target.name}"]
        command += [f"-Wl,--version-script={map_file}"] if script else []
        subprocess.run([*command, "-o", str(target), str(source)], check=True)


def main(site: Path) -> None:
    own = site / "torch" / "lib"
    libraries = sorted(own.glob("*.so*"))
    there = [*libraries, *site.glob("nvidia/*/lib/*.so*")]
    known = {file.name for file in there}
    system = subprocess.run(["ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    had: set[str] = set()
    for file in there:
        had |= {symbol.partition("@")[0] for symbol in symbols(file)[0]}
    missing: dict[str, set[str]] = {}
    for library in libraries:
        wants, files = symbols(library)[1], versions(library)
        needed = re.findall(r"NEEDED.*\[(.*)\]", readelf("--dynamic", library))
        for name in needed:
            if name in known or f"\t{name} " in system or name.startswith(("ld-", "libcuda.so")):
                continue
            stem = re.match(r"lib([a-z]+)", name)
            assert stem is not None
            mine = missing.setdefault(name, set())
            for symbol in wants:
                version = symbol.partition("@")[2]
                if version:
                    is_of_it = files.get(version) == name
                else:
                    is_of_it = symbol not in had and symbol.lower().startswith(stem[1])
                if is_of_it:
                    mine.add(symbol)
    for name, wanted in missing.items():
        build(own / name, wanted)
        print(f"{name}: {len(wanted)} functions")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

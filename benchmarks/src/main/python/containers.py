# SPDX-License-Identifier: Apache-2.0
"""Converts archives and TFRecord files beside the Python libraries that read them."""

import io
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import lmdb
import numpy as np
import tfrecord
import webdataset

RECORD_BYTES = 4000
SHARDS = 8

Records = Iterator[tuple[bytes, bytes]]


def make(folder: Path, megabytes: int) -> None:
    """Writes shards of images of random bytes, each with a class."""
    count = megabytes * 1_000_000 // RECORD_BYTES // SHARDS
    random = np.random.default_rng(1)
    for shard in range(SHARDS):
        writer = tfrecord.writer.TFRecordWriter(str(folder / f"x-{shard}.tfrecord"))
        with tarfile.open(folder / f"x-{shard}.tar", "w") as tar:
            for i in range(count):
                image, label = random.bytes(RECORD_BYTES), i % 10
                writer.write({"image": (image, "byte"), "label": (label, "int")})
                for name, data in (("jpg", image), ("cls", str(label).encode())):
                    member = tarfile.TarInfo(f"{shard}/{i:08d}.{name}")
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
        writer.close()


def by_tarfile(files: list[Path]) -> Records:
    for file in files:
        with tarfile.open(file) as tar:
            for member in tar:
                stream = tar.extractfile(member)
                assert stream is not None
                yield member.name.encode(), stream.read()


def by_webdataset(files: list[Path]) -> Records:
    for sample in webdataset.WebDataset([str(file) for file in files], shardshuffle=False):
        for name in ("jpg", "cls"):
            yield f"{sample['__key__']}.{name}".encode(), sample[name]


def by_tfrecord(files: list[Path]) -> Records:
    for shard, file in enumerate(files):
        for i, record in enumerate(tfrecord.tfrecord_loader(str(file), None)):
            yield f"{shard}/{i}.image".encode(), bytes(record["image"])
            yield f"{shard}/{i}.label".encode(), np.asarray(record["label"]).tobytes()


def to_lmdb(records: Records, folder: Path, megabytes: int) -> None:
    with (
        lmdb.open(str(folder / "peer"), map_size=megabytes * 4_000_000) as environment,
        environment.begin(write=True) as transaction,
    ):
        for key, value in records:
            transaction.put(key, value)


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def report(name: str, files: list[Path], work: Callable[[], object]) -> None:
    megabytes = sum(file.stat().st_size for file in files) / 1e6
    cpu, start = cpu_seconds(), time.perf_counter()
    work()
    seconds, used = time.perf_counter() - start, cpu_seconds() - cpu
    print(f"{name:24} {megabytes / seconds:8.0f} MB/s {megabytes / used:8.0f} MB per CPU second")


def main() -> None:
    penstock, megabytes = sys.argv[1], int(sys.argv[2])
    peers = {"tar": (by_tarfile, by_webdataset), "tfrecord": (by_tfrecord,)}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make(folder, megabytes)
        for ending, readers in peers.items():
            files = sorted(folder.glob(f"x-*.{ending}"))
            line = [penstock, "convert", "--quiet", str(folder / f"x-*.{ending}")]
            line.append(str(folder / f"{ending}.store"))
            report(f"{ending}: penstock", files, lambda line=line: subprocess.run(line, check=True))
            for reader in readers:
                records = reader(files)
                name = f"{ending}: {reader.__name__[3:]}"
                report(name, files, lambda: to_lmdb(records, folder, megabytes))  # noqa: B023
                subprocess.run(["rm", "-r", str(folder / "peer")], check=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""The data source of PySpark, on a real Spark whose driver has the default Java of the machine."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

if importlib.util.find_spec("pyspark") is None:
    pytest.skip("needs PySpark; python/extra.sh spark installs it", allow_module_level=True)

from pyspark.sql import SparkSession

import penstock.spark

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = os.environ["SPARK_LOCAL_HOSTNAME"] = "127.0.0.1"
    session = (
        SparkSession.builder.master("local[2,3]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "512m")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(penstock.spark.DataSource)
    yield session
    session.stop()


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A table of 1,000 rows with fields of many types."""
    fields = [("a", "<i4"), ("u", "<u8"), ("t", "S4"), ("m", "u1", (2, 3)), ("h", "<f2")]
    values = np.zeros(1000, [*fields, ("w", "<U3")])
    values["a"] = np.arange(1000)
    values["u"] = np.uint64(2**64 - 1) - np.arange(1000, dtype=np.uint64)
    values["t"] = b"xy"
    values["m"] = np.arange(6000).reshape(1000, 2, 3) % 256
    values["h"] = 0.1
    values["w"] = "größe"
    np.save(tmp_path / "rows.npy", values)
    return tmp_path / "rows.npy"


def read(spark: Any, path: Path, **options: Any) -> Any:
    return spark.read.format("penstock").options(**options).load(str(path))


def write(frame: Any, path: Path, mode: str = "append", **options: Any) -> None:
    frame.write.format("penstock").options(**options).mode(mode).save(str(path))


def test_every_value_is_read(spark: Any, rows: Path) -> None:
    frame = read(spark, rows, partition_bytes=9000)
    assert frame.rdd.getNumPartitions() > 3
    found = frame.orderBy("a").collect()
    for index, expected in enumerate(np.load(rows).tolist()):
        a, u, t, m, h, w = found[index]
        boxes = np.asarray(expected[3]).tolist()
        assert (a, int(u), t, m, w) == (*expected[:2], "xy", boxes, "grö")
        assert h == np.float16(0.1)
    assert frame.count() == 1000


def test_where_and_columns_are_options(spark: Any, rows: Path) -> None:
    found = read(spark, rows, where="a >= 990 and m[0, 1] < 200", columns="_index, u,_name")
    assert found.columns == ["_index", "u", "_name"]
    expected = [i for i in range(990, 1000) if np.load(rows)["m"][i, 0, 1] < 200]
    assert [one[0] for one in found.collect()] == expected
    for options in ({"where": "nothing > 1"}, {"columns": "nothing"}, {"filter": "a > 1"}):
        with pytest.raises(Exception, match=r"nothing|no option filter"):
            read(spark, rows, **options).collect()


def test_filters_of_one_query_do_not_stay_for_the_next(spark: Any, rows: Path) -> None:
    """With `pushFilters` Spark 4.2.0 returns only the rows of the earlier filter."""
    assert "pushFilters" not in vars(penstock.spark._Reader)
    frame = read(spark, rows)
    assert frame.count() == 1000
    assert frame.where("a > 500").count() == 499
    assert frame.count() == 1000
    assert frame.where("a < 10").count() == 10


def test_tables_are_published_in_one_step(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "table"
    frame = spark.range(0, 1000, 1, 3).selectExpr("id", "array(cast(id as float), 1f) v")
    write(frame, path, types="v f4[2]", shard_bytes=2000)
    dataset = penstock.open(path)
    assert dataset.format == "table" and len(list(path.glob("rows-*.npy"))) >= 6
    assert np.array_equal(dataset["id"][:], np.arange(1000))
    assert np.array_equal(dataset["v"][:][:, 0], np.arange(1000))
    assert dataset.verify().ok
    write(frame.limit(5), path, types="v f4[2]")
    assert len(penstock.open(path)) == 1005
    # From the dataset itself.
    write(read(spark, path).where("id < 3"), path, "overwrite", types="v f4[2]")
    assert sorted(penstock.open(path)["id"][:].tolist()) == [0, 0, 1, 1, 2, 2]
    with pytest.raises(Exception, match="not replaced"):
        write(frame, path, types="v f4[2]", create=True)
    with pytest.raises(Exception, match="rows of type"):
        write(frame.select("id"), path)
    left = {one.name for one in path.iterdir()}
    assert left == {"manifest.json", *(one.name for one in path.glob("rows-*.npy"))}


def test_all_kinds_are_written(spark: Any, tmp_path: Path) -> None:
    frame = spark.range(0, 100, 1, 3).selectExpr(
        "id",
        "if(id = 7, null, cast(id as string)) s",
        "cast(cast(id as string) as binary) b",
        "concat('n', id) n",
        "array_repeat(cast(id as int), cast(id % 3 as int)) r",
        "array(cast(id as float), 1f) v",
    )
    write(frame.select("id", "s", "r"), tmp_path / "store", kind="store", compress="zstd")
    store = penstock.open(tmp_path / "store")
    assert store["s"][:][6:9] == [b"6", None, b"8"] and store["r"][50].tolist() == [50, 50]
    assert read(spark, tmp_path / "store").where("s is null").count() == 1
    write(frame.select("b", "n"), tmp_path / "pack", kind="pack", name="n")
    pack = penstock.open(tmp_path / "pack")
    assert (pack[50], pack.name(50)) == (b"50", "n50")
    write(frame.select("v"), tmp_path / "shards", kind="shards")
    assert penstock.open(tmp_path / "shards")[99].tolist() == [99, 1]


def test_what_does_not_fit_is_refused_and_leaves_nothing(spark: Any, tmp_path: Path) -> None:
    frame = spark.range(0, 900, 1, 2)
    bad = [
        (frame, {"types": "id u1"}, "cannot hold|fit"),
        (frame.selectExpr("cast(id as string) s"), {}, "give its width"),
        (frame.selectExpr("if(id = 3, null, id) id"), {}, "only a store can hold"),
        (frame, {"kind": "tabel"}, "kind must be"),
        (frame, {"typos": "x"}, "no option typos"),
        (frame.selectExpr("if(id = 899, raise_error('planted'), id) id"), {}, "planted"),
    ]
    for one, options, message in bad:
        with pytest.raises(Exception, match=message):
            write(one, tmp_path / "table", shard_bytes=800, **options)
        assert not list(tmp_path.glob("table/rows-*")), options
    with pytest.raises(Exception, match=r"No such file|does not exist|no such"):
        read(spark, tmp_path / "none")


def test_the_example_makes_and_trains(tmp_path: Path) -> None:
    """With the data source in Python, whose runtime need not be that of Spark."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("needs PyTorch; python/torch.sh installs one")
    script = Path(__file__).parents[2] / "examples" / "spark_to_torch.py"
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    for words in (["make", "--python"], ["train"]):
        done = subprocess.run(
            [sys.executable, script, *words, "--folder", tmp_path],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    first, last = (float(one) for one in done.stdout.split("loss")[1].split(" to "))
    assert done.stdout.startswith("20000 records") and last < first / 2, done.stdout

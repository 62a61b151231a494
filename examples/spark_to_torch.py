# SPDX-License-Identifier: Apache-2.0
"""Makes a dataset with Spark, shuffled on the way, and trains on it with PyTorch.

  spark-submit examples/spark_to_torch.py make --folder data   # with the jar penstock-spark
  python examples/spark_to_torch.py make --folder data --python  # by the data source in Python
  python examples/spark_to_torch.py train --folder data

The first makes points and targets in Spark, and writes them in the order of a shuffle. The last
reads them from start to end, which is a shuffled epoch, and prints the loss.
"""

from __future__ import annotations

import argparse
from pathlib import Path

ROWS = 20_000
TYPES = "x f4[4], y f4"


def make(folder: Path, is_python: bool) -> None:
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f

    spark = SparkSession.builder.appName("points").getOrCreate()
    points = spark.range(ROWS, numPartitions=4).select(
        f.array(*[(f.rand(seed) * 2 - 1).cast("float") for seed in range(4)]).alias("x")
    )
    # A join, a tokenizer or a filter over terabytes would stand here.
    rows = points.withColumn("y", f.sin(3 * f.col("x")[0]) + f.col("x")[1] * f.col("x")[2])
    if is_python:
        import penstock.spark

        spark.dataSource.register(penstock.spark.DataSource)
        # Spark's own order of random numbers: the data source in Python has no shuffle.
        rows = rows.orderBy(f.rand(7))
        writer = rows.write.format("penstock").option("types", TYPES).mode("append")
    else:
        writer = rows.write.format("penstock").option("types", TYPES).option("shuffle", 7)
    writer.save(str(folder.resolve() / "points"))
    spark.stop()


def train(folder: Path) -> None:
    import torch

    import penstock

    torch.manual_seed(0)
    dataset = penstock.open(folder / "points")
    # Sequential: the records are in the order of a shuffle already.
    loader = penstock.Loader(dataset, batch_size=256, to="torch", drop_last=True)
    model = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    losses = []
    for batch in loader:
        loss = (model(batch["x"])[:, 0] - batch["y"]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"{len(dataset)} records, loss {losses[0]:.3f} to {losses[-1]:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=["make", "train"])
    parser.add_argument("--folder", type=Path, default=Path("data"))
    parser.add_argument("--python", action="store_true", help="use the data source in Python")
    options = parser.parse_args()
    if options.what == "make":
        make(options.folder, options.python)
    else:
        train(options.folder)

# SPDX-License-Identifier: Apache-2.0
"""Eight ranks on one machine over one dataset, started by torchrun: they deliver what one process
delivers, go on with other numbers of ranks, and after one of them was killed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from preloaded import Script

import penstock

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        importlib.util.find_spec("torch") is None,
        reason="needs PyTorch; python/torch.sh installs one",
    ),
    pytest.mark.xdist_group("torch"),
]

COUNT = 10_007
WORLD, BATCH = 8, 24
STEP = WORLD * BATCH
# All ranks have a checkpoint of this step, and one of them dies soon after it.
SAVED, DEADLY = 8, 11

# A rank needs no PyTorch to know its number. As in training, no rank is a step ahead of another.
RANK = f"""
import json, os, signal, sys, time
from pathlib import Path

import penstock

folder, batch, deadly = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
attempt = os.environ["TORCHELASTIC_RESTART_COUNT"]
loader = penstock.Loader(
    penstock.open(folder / "n.npy"), batch, seed=3, indices=True, even_batches=False
)
assert loader.world_size == world
start = 0
if (folder / "state.json").exists():
    state = json.loads((folder / "state.json").read_text())
    loader.load_state_dict(state["loader"])
    start = state["step"]
output = folder / f"world{{world}}-attempt{{attempt}}"
output.mkdir(exist_ok=True)
for step, found in enumerate(loader, start):
    fresh = output / f".{{rank}}"
    fresh.write_text(json.dumps(found["indices"].tolist()))
    fresh.rename(output / f"{{step}}-{{rank}}")
    if deadly:
        while len(list(output.glob(f"{{step}}-*"))) < world:
            time.sleep(0.001)
        if rank == 0 and step + 1 == {SAVED}:
            fresh.write_text(json.dumps({{"loader": loader.state_dict(), "step": step + 1}}))
            fresh.rename(folder / "state.json")
        if rank == 3 and step == deadly and attempt == "0":
            os.kill(os.getpid(), signal.SIGKILL)
"""

LAUNCHER = "import sys, torch.distributed.run; torch.distributed.run.main(sys.argv[1:])"


def run(folder: Path, world: int, batch: int, deadly: int, *options: object) -> None:
    launcher, script = folder / "launcher.py", folder / "rank.py"
    launcher.write_text(LAUNCHER)
    script.write_text(RANK)
    words = ["--standalone", "--nproc-per-node", world, *options, script, folder, batch, deadly]
    process = Script(launcher, *words)
    assert process.status() == 0, process.output()[-3000:] + process.errors()[-3000:]


def delivered(folder: Path, world: int, attempt: int, first: int = 0) -> list[int]:
    """The records of all ranks, step after step."""
    output = folder / f"world{world}-attempt{attempt}"
    steps = sorted({int(one.name.split("-")[0]) for one in output.iterdir() if one.name[0] != "."})
    assert steps[0] == first, steps
    found = []
    for step in steps:
        for rank in range(world):
            part = output / f"{step}-{rank}"
            # The last step may have fewer records than there are ranks.
            found += json.loads(part.read_text()) if part.exists() else []
    return found


def test_eight_ranks_deliver_the_sequence_of_one_process(tmp_path: Path) -> None:
    penstock.write(tmp_path / "n.npy", np.arange(COUNT))
    loader = penstock.Loader(
        penstock.open(tmp_path / "n.npy"), STEP, seed=3, rank=0, world_size=1, even_batches=False
    )
    with loader:
        alone = [one for batch in loader for one in batch.tolist()]
    assert sorted(alone) == list(range(COUNT))

    # Rank 3 is killed at a step after the checkpoint. torchrun starts all ranks again.
    run(tmp_path, WORLD, BATCH, DEADLY, "--max-restarts", 1)
    before = delivered(tmp_path, WORLD, 0)
    after = delivered(tmp_path, WORLD, 1, SAVED)
    assert before[: DEADLY * STEP] == alone[: DEADLY * STEP]
    assert before[: SAVED * STEP] + after == alone

    # Other numbers of ranks go on from the same checkpoint, with the same or other batches.
    for world, batch in ((2, STEP // 2), (3, 50)):
        run(tmp_path, world, batch, 0)
        assert delivered(tmp_path, world, 0, SAVED) == alone[SAVED * STEP :], world

# SPDX-License-Identifier: Apache-2.0
"""Mixtures whose weights change during the run: from Python, from files, and resumed."""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run_command

import penstock
from penstock import samplers

pytestmark = pytest.mark.xdist_group("commands")

YAML = """
# What the run reads.
sources:
  web: {path: web.npy, max_epochs: 3}
  books: {path: [a.npy, b.npy], where: quality > 0.2, sampler: block, block_size: 4}
  notes: {path: notes.npy, weights: quality}
stages:
  - weights: {web: 3, books: 1}
  - {step: 10, ramp: 5, weights: {web: 1, books: 1, notes: 0.5}, where: {books: quality > 0.6}}
step_size: 16
length: 400
seed: 7
"""


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, rng: np.random.Generator) -> Path:
    first = 0
    for name, count in (("web", 200), ("a", 60), ("b", 40), ("notes", 30)):
        columns = {"x": np.arange(first, first + count), "quality": rng.random(count)}
        penstock.write(tmp_path / f"{name}.npy", columns)
        first += 1000
    (tmp_path / "mix.yaml").write_text(YAML)
    return tmp_path


def values(loader: penstock.Loader, steps: int | None = None) -> list[int]:
    found: list[int] = []
    for number, batch in enumerate(loader, 1):
        found.extend(batch["x"].tolist())
        if number == steps:
            break
    return found


def test_a_file_declares_the_mixture_that_plan_shows_and_a_loader_draws(folder: Path) -> None:
    with penstock.Loader(penstock.mix_from(folder / "mix.yaml"), 16) as loader:
        drawn = values(loader)
        third = loader.records_of(3, epoch=0).tolist()
    assert len(drawn) == 400
    parts = Counter(value // 1000 for value in drawn)
    words = ("plan", "--mixture", folder / "mix.yaml", "--batch", 16, "--step", 3)
    planned = run_command(*words, "--json")
    assert planned.returncode == 0, planned.stderr
    answer = json.loads(planned.stdout)
    assert answer["indices"] == third
    shares = {one["name"]: one for one in answer["mixture"]["parts"]}
    assert list(shares) == ["web", "books", "books where quality > 0.6", "notes"]
    # The chart covers more than the first epoch, so that it shows the last stage.
    assert answer["mixture"]["limit"] >= 400
    text = run_command(*words)
    assert "of the run" in text.stdout
    assert re.search(r"web +\|[ ▁▂▃▄▅▆▇█]{32}\| +\d+\.\d\d % +\d+ samples", text.stdout)
    assert text.stdout.startswith(f"{folder / 'mix.yaml'}: ")
    assert parts[3] > 0


def test_json_declares_the_same_as_yaml(folder: Path) -> None:
    declared = {
        "sources": {"web": {"path": "web.npy"}, "notes": "notes.npy"},
        "temperature": 2,
        "length": 100,
    }
    (folder / "mix.json").write_text(json.dumps(declared))
    (folder / "same.yml").write_text(
        "sources: {web: {path: web.npy}, notes: notes.npy}\ntemperature: 2\nlength: 100\n"
    )
    drawn = []
    for name in ("mix.json", "same.yml"):
        with penstock.Loader(penstock.mix_from(folder / name), 10) as loader:
            drawn.append(values(loader))
    assert drawn[0] == drawn[1]
    share = sum(value < 1000 for value in drawn[0])
    assert share == round(100 * 200**0.5 / (200**0.5 + 30**0.5))


def test_weights_that_change_resume_exactly_with_other_ranks_and_batch_sizes(folder: Path) -> None:
    def loader(batch_size: int, **options: Any) -> penstock.Loader:
        mixture = penstock.mix_from(folder / "mix.yaml")
        return penstock.Loader(mixture, batch_size, threads=1, **options)

    with loader(16) as whole:
        everything = values(whole)
    with loader(10) as first:
        begun = values(first, steps=12)
        state = first.state_dict()
    rest: list[list[int]] = []
    for rank in range(2):
        with loader(14, rank=rank, world_size=2) as one:
            one.load_state_dict(json.loads(json.dumps(state)))
            rest.append(values(one))
    assert begun == everything[:120]
    together: list[int] = []
    for start in range(0, 140, 14):
        together += rest[0][start : start + 14] + rest[1][start : start + 14]
    assert together == everything[120:]


def test_stages_and_sources_are_added_behind_a_checkpoint(folder: Path) -> None:
    web, notes = penstock.open(folder / "web.npy"), penstock.open(folder / "notes.npy")
    sources = {"web": web}
    stages: list[Any] = [(0, {"web": 1})]
    with penstock.Loader(penstock.mix(sources, weights=stages, length=300), 10) as loader:
        begun = values(loader, steps=10)
        state = loader.state_dict()
    sources["notes"] = notes
    stages.append(penstock.Stage(200, {"web": 1, "notes": 1}, ramp=50))
    later = penstock.mix(sources, weights=stages, length=300)
    with penstock.Loader(later, 10) as loader:
        loader.load_state_dict(state)
        rest = values(loader)
        record = int(loader.records_of(29)[0])
        assert 29 in {place.step for place in loader.steps_of(record)}
    assert len(set(begun + rest[:100])) == 200
    assert all(value < 1000 for value in begun + rest[:100])
    assert any(value >= 1000 for value in rest[100:])
    stages[1] = penstock.Stage(50, {"web": 1, "notes": 1})
    early = penstock.mix(sources, weights=stages, length=300)
    with penstock.Loader(early, 10) as loader, pytest.raises(ValueError, match="another"):
        loader.load_state_dict(state)


def test_each_source_has_its_own_sampler_and_largest_number_of_epochs(folder: Path) -> None:
    web, notes = penstock.open(folder / "web.npy"), penstock.open(folder / "notes.npy")
    weights = np.asarray(notes["quality"][:])
    mixture = penstock.mix(
        {"web": web, "notes": notes},
        weights={"web": 1, "notes": 1},
        max_epochs={"web": 0.5, "notes": 2},
        samplers={
            "web": lambda part: samplers.Sequential(len(part)),
            "notes": samplers.Weighted(weights),
        },
    )
    assert len(mixture.sampler) == 100 + 60
    with penstock.Loader(mixture, 16) as loader:
        drawn = values(loader)
    assert [value for value in drawn if value < 1000] == list(range(100))
    again = pickle.loads(pickle.dumps(mixture))
    with penstock.Loader(again, 16) as loader:
        assert values(loader) == drawn


def test_a_checkpoint_of_a_mixture_is_asked_without_the_program(folder: Path) -> None:
    log: dict[int, list[tuple[int, int]]] = defaultdict(list)
    with penstock.Loader(penstock.mix_from(folder / "mix.yaml"), 16) as loader:
        for epoch in range(2):
            for batch in loader:
                place = loader.place
                assert place is not None
                for value in batch["x"].tolist():
                    log[value].append((epoch, place.step))
        (folder / "state.json").write_text(json.dumps(loader.state_dict()))
        dataset = loader.dataset
        chosen = range(0, len(dataset), 37)
        names = [int(dataset[record]["x"]) for record in chosen]
    files = [folder / name for name in ("web.npy", "a.npy", "b.npy", "notes.npy")]
    for record, value in zip(chosen, names, strict=True):
        words = (*files, "--record", record, "--weights", "quality", "--json")
        result = run_command("history", folder / "state.json", *words)
        assert result.returncode == 0, result.stderr
        answer = json.loads(result.stdout)
        seen = {(one["epoch"], one["epochStep"]) for one in answer["places"] if one["seen"]}
        assert seen <= set(log[value])
        assert answer["origins"][0]["record"] == value % 1000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sources: [", "no valid YAML"),
        ("sources: {web: web.npy}", "has no weights"),
        ("sources: {web: web.npy}\nweights: {wep: 1}", "names a source wep"),
        ("sources: {web: web.npy}\nweight: {web: 1}", "unknown entry weight"),
        ("sources: {web: {path: web.npy, sampler: blok}}\nweights: [1]", "blok"),
        ("sources: {web: web.npy}\nstages: [{sample: 1, weights: [1]}]", "must begin at sample 0"),
        ("sources: {web: web.npy}\nstages: [{weights: [-1]}]", "not negative"),
        ("sources: {web: web.npy}\nstages: [{sample: 1.5, weights: [1]}]", "whole number"),
        ("sources: {web: {}}\nweights: [1]", "no path"),
        ("- 1", "declares no mixture"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(folder: Path, text: str, words: str) -> None:
    (folder / "bad.yaml").write_text(text)
    with pytest.raises(ValueError, match=words):
        penstock.mix_from(folder / "bad.yaml")
    result = run_command("plan", "--mixture", folder / "bad.yaml")
    assert result.returncode == 2
    assert words in result.stderr
    assert "bad.yaml" in result.stderr


def test_wrong_arguments_say_what_is_wrong(folder: Path) -> None:
    web, notes = penstock.open(folder / "web.npy"), penstock.open(folder / "notes.npy")
    with pytest.raises(TypeError, match="weights"):
        penstock.mix(web, notes)
    with pytest.raises(ValueError, match="2 values for 1 sources"):
        penstock.mix(web, weights=[(0, [1])], max_epochs=[1, 2])
    with pytest.raises(ValueError, match="no source 'b'"):
        penstock.mix({"a": web}, weights={"a": 1}, max_epochs={"b": 1})
    with pytest.raises(TypeError, match="one dictionary"):
        penstock.mix({"a": web}, notes, weights=[1, 1])
    with pytest.raises(TypeError, match="a stage is"):
        penstock.mix(web, weights=[(0,)])
    with pytest.raises(ValueError, match="draws from 5 records"):
        penstock.mix(web, weights=[(0, [1])], samplers=[samplers.Sequential(5)])
    with pytest.raises(ValueError, match="make its length at most"):
        penstock.mix(web, weights=[(0, [1])], max_epochs=[1], length=500)


def test_plan_takes_a_dataset_or_a_mixture(folder: Path) -> None:
    for words, message in (
        (("plan",), "give the path of a dataset"),
        (("plan", "--mixture", folder / "mix.yaml", "--seed", 3), "leave out"),
        (("plan", folder / "web.npy", "--mixture", folder / "mix.yaml"), "leave out"),
    ):
        result = run_command(*words)
        assert result.returncode == 2
        assert message in result.stderr

# SPDX-License-Identifier: Apache-2.0
"""Images that installed libraries decode."""

from __future__ import annotations

import importlib.util
import io
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from preloaded import Script

import penstock
from penstock.transforms import decode_image

Image: Any = pytest.importorskip(
    "PIL.Image", reason="needs Pillow; python/extra.sh images installs it"
)
# One process imports PyTorch and torchvision for all these tests.
pytestmark = pytest.mark.xdist_group("torch")

LIBRARIES = [
    name
    for name, module in (("simplejpeg", "simplejpeg"), ("torchvision", "torchvision"))
    if importlib.util.find_spec(module)
] + ["Pillow"]


def picture(number: int, height: int = 60, width: int = 80) -> Any:
    """Smooth, so that JPEG changes little."""
    rows, columns = np.mgrid[0:height, 0:width]
    return np.stack([rows * 2 + number, columns * 2, rows + columns], -1).astype(np.uint8)


def encoded(image: Any, kind: str) -> bytes:
    file = io.BytesIO()
    Image.fromarray(image).save(file, kind, quality=95)
    return file.getvalue()


@pytest.fixture
def pack(tmp_path: Path) -> penstock.Dataset:
    kinds = ["JPEG", "PNG"]
    penstock.write(tmp_path / "p.a2pack", [encoded(picture(i), kinds[i % 2]) for i in range(12)])
    return penstock.open(tmp_path / "p.a2pack")


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("workers", [0, 2])
def test_images_are_decoded(pack: penstock.Dataset, library: str, workers: int) -> None:
    decode = decode_image(library=library)
    assert library in repr(decode)
    with penstock.Loader(pack, 4, shuffle=False, transform=decode, workers=workers) as loader:
        images = np.concatenate(list(loader))
    assert images.shape == (12, 60, 80, 3)
    for number, image in enumerate(images):
        difference = np.abs(image.astype(int) - picture(number))
        assert difference.mean() < (2 if number % 2 == 0 else 0.01)
    small = decode_image(size=(15, 20), library=library)
    with penstock.Loader(pack, 12, shuffle=False, map_records=small, workers=workers) as loader:
        batch = next(iter(loader))
    assert batch.shape == (12, 15, 20, 3)
    expected = np.asarray(Image.fromarray(picture(3)).resize((20, 15)))
    assert np.abs(batch[3].astype(int) - expected).mean() < 3
    grey = decode_image(mode="L", size=8, library=library)
    with penstock.Loader(pack, 12, transform=grey) as loader:
        assert next(iter(loader)).shape == (12, 8, 8, 1)


def test_the_fastest_library_is_chosen(pack: penstock.Dataset) -> None:
    assert decode_image().library == LIBRARIES[0]
    again = pickle.loads(pickle.dumps(decode_image(size=9)))
    assert again.size == (9, 9)
    assert again(pack[0]).shape == (9, 9, 3)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_pytorch_and_pillow_resize_alike(
    monkeypatch: pytest.MonkeyPatch, library: str, mode: str
) -> None:
    pytest.importorskip("torch", reason="needs PyTorch; python/torch.sh installs one")
    # Larger and smaller than the wanted size, and of that size in one direction or both.
    shapes = [(375, 500), (30, 700), (700, 30), (60, 44), (50, 44), (40, 30)]
    pictures = [encoded(picture(1, *shape), "PNG") for shape in shapes]
    size = (50, 44)
    by_torch = decode_image(size=size, mode=mode, library=library)
    monkeypatch.setattr(penstock._images, "_torch_resizer", lambda size: None)
    by_pillow = decode_image(size=size, mode=mode, library=library)
    assert by_pillow.resizer == "Pillow"
    assert "resized by Pillow" in repr(by_pillow)
    assert f"resized by {by_torch.resizer}" in repr(by_torch)
    assert decode_image(library=library).resizer is None
    difference = by_torch(pictures).astype(int) - by_pillow(pictures)
    assert np.abs(difference).max() <= 1


@pytest.mark.parametrize(
    ("stored", "size", "factors", "expected"),
    [
        ((375, 500), (224, 224), (1, 2, 4, 8), (375, 500)),
        ((375, 500), (224, 224), (1, 2, 3, 4, 5, 6, 7, 8), (235, 313)),
        ((375, 500), (188, 200), (1, 2, 4, 8), (188, 250)),
        ((375, 500), (47, 63), (1, 2, 4, 8), (47, 63)),
        ((375, 500), (400, 10), (1, 2, 4, 8), (375, 500)),
    ],
)
def test_images_are_decoded_at_the_smallest_fraction_that_is_large_enough(
    stored: Any, size: Any, factors: Any, expected: Any
) -> None:
    assert penstock._images._decoded_size(stored, size, factors) == expected
    simplejpeg: Any = pytest.importorskip(
        "simplejpeg", reason="needs simplejpeg; python/extra.sh images installs it"
    )
    decoded = simplejpeg.decode_jpeg(
        encoded(picture(1, *stored), "JPEG"), min_height=expected[0], min_width=expected[1]
    )
    assert decoded.shape[:2] == expected


def test_fields_and_differing_images(tmp_path: Path, pack: penstock.Dataset) -> None:
    labels = tmp_path / "labels.npy"
    penstock.write(labels, np.arange(12))
    both = penstock.zip(image=pack, label=penstock.open(labels))
    with penstock.Loader(both, 4, shuffle=False, transform=decode_image("image")) as loader:
        batch = next(iter(loader))
    assert batch["image"].shape == (4, 60, 80, 3)
    assert batch["label"].tolist() == [0, 1, 2, 3]
    sizes = [encoded(picture(0, 10 + i, 20), "JPEG") for i in range(3)]
    penstock.write(tmp_path / "sizes.a2pack", sizes)
    ds = penstock.open(tmp_path / "sizes.a2pack")
    with penstock.Loader(ds, 3, shuffle=False, transform=decode_image()) as loader:
        assert [image.shape for image in next(iter(loader))] == [(10 + i, 20, 3) for i in range(3)]


def test_what_is_no_image_is_an_error_with_its_records(tmp_path: Path) -> None:
    penstock.write(tmp_path / "bad.a2pack", [encoded(picture(0), "PNG"), b"no image"])
    ds = penstock.open(tmp_path / "bad.a2pack")
    with (
        penstock.Loader(ds, 2, shuffle=False, transform=decode_image(), workers=1) as loader,
        pytest.raises(ValueError, match="image 1 of the batch, of 8 bytes, cannot be") as raised,
    ):
        next(iter(loader))
    assert "records 0, 1" in str(getattr(raised.value, "__notes__", "records 0, 1"))
    assert "BytesIO" not in str(raised.value)
    decode = decode_image(size=8)
    with (
        penstock.Loader(ds, 2, shuffle=False, map_records=decode, on_error="skip") as loader,
        pytest.warns(RuntimeWarning, match="a record is left out.*the image, of 8 bytes"),
    ):
        assert [batch.shape for batch in loader] == [(1, 8, 8, 3)]
    with pytest.raises(ValueError, match="mode must be 'RGB' or 'L', got 'CMYK'"):
        decode_image(mode="CMYK")
    with pytest.raises(ValueError, match="library must be"):
        decode_image(library="gd")
    with pytest.raises(ValueError, match="size must be"):
        decode_image(size=0)


def test_images_become_tensors(pack: penstock.Dataset) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch; python/torch.sh installs one")
    decode = decode_image(size=8)
    with penstock.Loader(pack, 4, to="torch", transform=[decode, lambda x: x / 255]) as loader:
        batch = next(iter(loader))
    assert isinstance(batch, torch.Tensor)
    assert batch.shape == (4, 8, 8, 3)


@pytest.mark.parametrize("name", ["augment_images", "augment_torchvision"])
def test_the_examples_of_augmentation_are_true(name: str) -> None:
    if name == "augment_torchvision" and importlib.util.find_spec("torchvision") is None:
        pytest.skip("needs torchvision; python/extra.sh vision installs one")
    script = Path(__file__).parents[2] / "examples" / f"{name}.py"
    # A worker process imports torchvision again, which takes seconds.
    is_one = name == "augment_torchvision" and not os.environ.get("PENSTOCK_LONG")
    process = Script(script, *(["--workers", 1] if is_one else []))
    assert process.status() == 0, process.errors()[-2000:]
    assert "7 batches, interrupted after 3: same images" in process.output()

# SPDX-License-Identifier: Apache-2.0
"""Decodes images with simplejpeg, torchvision or Pillow."""

from __future__ import annotations

import importlib
import importlib.util
import io
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import _arguments

Array = np.ndarray[Any, Any]

# The fastest first, as measured on JPEG files.
_LIBRARIES = {"simplejpeg": "simplejpeg", "torchvision": "torchvision", "Pillow": "PIL"}


class DecodeImage:
    """A transform that decodes a field of images; made by `decode_image`.

    Attributes:
        library: the name of the library that decodes
        resizer: the name of the library that resizes, `PyTorch` or `Pillow`; None without a size
    """

    def __init__(
        self, field: str, size: tuple[int, int] | None, is_grey: bool, library: str
    ) -> None:
        self.field = field
        self.size = size
        self.library = library
        self._is_grey = is_grey
        resize = None if size is None else _resizer(size)
        self.resizer = None if resize is None else resize.library
        self._decode = _decoder(library, size, is_grey, resize)

    def __call__(self, batch: Any) -> Any:
        """A batch or a record with the field decoded; or the bare values of the field decoded."""
        if not isinstance(batch, dict):
            return self._decoded(batch)
        if self.field not in batch:
            raise KeyError(f"there is no field {self.field!r}; the fields are {', '.join(batch)}")
        return {**batch, self.field: self._decoded(batch[self.field])}

    def _decoded(self, value: Any) -> Any:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._one(value)
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in "SVO":
            raise TypeError(
                f"field {self.field!r} holds {value.dtype} and not encoded images as bytes"
            )
        channels = 1 if self._is_grey else 3
        if self.size is not None:
            # Each image is copied while it is in the cache.
            whole = np.empty((len(value), *self.size, channels), np.uint8)
            for row, one in enumerate(value):
                whole[row] = self._one(bytes(one), row)
            return whole
        images = [self._one(bytes(one), row) for row, one in enumerate(value)]
        if len({image.shape for image in images}) > 1:
            return images
        return np.stack(images) if images else np.empty((0, 0, 0, channels), np.uint8)

    def _one(self, data: Any, row: int | None = None) -> Array:
        try:
            image = self._decode(data)
        except Exception as e:
            # Pillow's message for an unknown format shows an object and not the reason.
            is_unknown = type(e).__name__ == "UnidentifiedImageError"
            reason = "the bytes are not in a known image format" if is_unknown else str(e)
            which = "the image" if row is None else f"image {row} of the batch"
            raise ValueError(
                f"{which}, of {len(data):,} bytes, cannot be decoded by {self.library}: {reason}"
            ) from e
        return image

    def __reduce__(self) -> tuple[Any, ...]:
        return DecodeImage, (self.field, self.size, self._is_grey, self.library)

    def __repr__(self) -> str:
        if self.resizer is None:
            return f"decode_image({self.field!r}), by {self.library}"
        name = f"decode_image({self.field!r}, size={self.size})"
        return f"{name}, by {self.library}, resized by {self.resizer}"


def decode_image(
    field: str = "value",
    *,
    size: int | tuple[int, int] | None = None,
    mode: str = "RGB",
    library: str | None = None,
) -> DecodeImage:
    """A transform that decodes images, by the fastest library that is installed: simplejpeg (for
    JPEG files; others are left to one of the next two), torchvision or Pillow. Images are resized
    by PyTorch, or by Pillow where there is none. `repr`, `library` and `resizer` of the result say
    which libraries they are. Use it with `Loader(transform=..., workers=...)`: the libraries
    release the interpreter's lock while they work.

    Args:
        field: the field that holds encoded images, as bytes
        size: height and width that all images are resized to, or one number for both. Then a batch
            is one array of shape `(records, height, width, channels)`; without a size it is a list
            of arrays where images differ
        mode: `RGB`, or `L` for one channel
        library: the library to use instead of the fastest one that is installed

    With `on_error="skip"` a loader leaves out a whole batch when a `transform` fails. Give this
    function as `map_records` to leave out only the images that cannot be decoded.

    Raises:
        ImportError: when none of the three libraries is installed
    """
    _arguments.choice("mode", mode, ("RGB", "L"))
    _arguments.text("field", field)
    if library is not None:
        _arguments.choice("library", library, list(_LIBRARIES))
    both = None if size is None else _height_and_width(size)
    wanted = list(_LIBRARIES) if library is None else [library]
    for name in wanted:
        if importlib.util.find_spec(_LIBRARIES[name]) is not None:
            return DecodeImage(field, both, mode == "L", name)
    raise ImportError(
        f"images are decoded by {' or '.join(wanted)}, and none of them is installed; "
        "`pip install simplejpeg pillow` installs the fastest"
    )


def _height_and_width(size: Any) -> tuple[int, int]:
    """The size of images as height and width, from both or from one number."""
    if not isinstance(size, (tuple, list)):
        both = _arguments.integer("size", size, minimum=1)
        return both, both
    if len(size) != 2:
        raise ValueError(f"size must be an integer, or height and width, got {size!r}")
    height, width = (_arguments.integer("size", one, minimum=1) for one in size)
    return height, width


class _Resizer(NamedTuple):
    """Resizes images of shape `(height, width, channels)` to one size.

    Attributes:
        library: the name of the library that resizes
        factors: the eighths of its size that a JPEG file is decoded at where that is large enough
        resize: resizes the pixels of an image
        resize_picture: resizes an image of Pillow
    """

    library: str
    factors: tuple[int, ...]
    resize: Callable[[Array], Array]
    resize_picture: Callable[[Any], Array]


def _resizer(size: tuple[int, int]) -> _Resizer:
    """Returns the fastest way to resize that is installed."""
    found = _torch_resizer(size) or _pillow_resizer(size)
    if found is None:
        raise ImportError("images are resized by PyTorch or Pillow; install one of them")
    return found


def _torch_resizer(size: tuple[int, int]) -> _Resizer | None:
    """PyTorch has vectorised code for bytes, which takes a quarter of Pillow's time and makes the
    same pixels but for rounding. Without AVX2, and before release 2.1, it has none."""
    try:
        torch: Any = importlib.import_module("torch")
    except (ImportError, OSError):
        return None
    if getattr(torch.backends.cpu, "get_cpu_capability", str)() not in ("AVX2", "AVX512"):
        return None
    interpolate = importlib.import_module("torch.nn.functional").interpolate

    def resize(image: Array) -> Array:
        if image.shape[:2] == size:
            return image
        # The channels stay the last in memory, both here and in the result.
        whole = torch.from_numpy(image)[None].permute(0, 3, 1, 2)
        small = interpolate(whole, size, mode="bilinear", antialias=True)
        result: Array = small.permute(0, 2, 3, 1)[0].numpy()
        return result

    try:
        resize(np.zeros((size[0] + 1, size[1] + 1, 3), np.uint8))
    except RuntimeError:
        return None
    # Decoding at 5 eighths takes longer than decoding the whole image, which has vectorised code.
    return _Resizer("PyTorch", (1, 2, 4, 8), resize, lambda picture: resize(_pixels(picture)))


def _pillow_resizer(size: tuple[int, int]) -> _Resizer | None:
    if importlib.util.find_spec("PIL") is None:
        return None
    image_module: Any = importlib.import_module("PIL.Image")

    def resize_picture(picture: Any) -> Array:
        if picture.size != (size[1], size[0]):
            picture = picture.resize((size[1], size[0]), image_module.Resampling.BILINEAR)
        return _pixels(picture)

    def resize(image: Array) -> Array:
        if image.shape[:2] == size:
            return image
        plain = image[:, :, 0] if image.shape[2] == 1 else image
        return resize_picture(image_module.fromarray(plain))

    # Decoding at 5 eighths is slow, but resizing the whole image is slower.
    return _Resizer("Pillow", (1, 2, 3, 4, 5, 6, 7, 8), resize, resize_picture)


def _decoder(
    library: str, size: tuple[int, int] | None, is_grey: bool, resize: _Resizer | None
) -> Callable[[Any], Array]:
    if library == "simplejpeg":
        return _simplejpeg(size, is_grey, resize)
    if library == "torchvision":
        return _torchvision(is_grey, resize)
    return _pillow(size, is_grey, resize)


def _pillow(
    size: tuple[int, int] | None, is_grey: bool, resize: _Resizer | None
) -> Callable[[Any], Array]:
    image_module: Any = importlib.import_module("PIL.Image")
    mode = "L" if is_grey else "RGB"

    def decode(data: Any) -> Array:
        with image_module.open(io.BytesIO(data)) as image:
            if size is not None:
                # JPEG files are decoded at a half, a quarter or an eighth if that is large enough.
                image.draft(mode, (size[1], size[0]))
            plain = image.convert(mode)
            return _pixels(plain) if resize is None else resize.resize_picture(plain)

    return decode


def _pixels(picture: Any) -> Array:
    """The pixels of an image of Pillow, as an array of three dimensions."""
    array = np.array(picture)
    return array[:, :, None] if array.ndim == 2 else array


def _simplejpeg(
    size: tuple[int, int] | None, is_grey: bool, resize: _Resizer | None
) -> Callable[[Any], Array]:
    simplejpeg: Any = importlib.import_module("simplejpeg")
    space = "GRAY" if is_grey else "RGB"
    others = [
        name for name in ("Pillow", "torchvision") if importlib.util.find_spec(_LIBRARIES[name])
    ]
    other = _decoder(others[0], size, is_grey, resize) if others else None

    def decode(data: Any) -> Array:
        if not simplejpeg.is_jpeg(data) and other is not None:
            return other(data)
        if size is None or resize is None:
            whole: Array = simplejpeg.decode_jpeg(data, colorspace=space)
            return whole
        height, width = _decoded_size(simplejpeg.decode_jpeg_header(data)[:2], size, resize.factors)
        return resize.resize(
            simplejpeg.decode_jpeg(data, colorspace=space, min_height=height, min_width=width)
        )

    return decode


def _decoded_size(
    stored: tuple[int, int], size: tuple[int, int], factors: tuple[int, ...]
) -> tuple[int, int]:
    """Returns the height and width to decode at: the smallest of the fractions that is at least as
    large as the wanted size, or the whole image."""
    for factor in factors:
        height, width = (-(-one * factor // 8) for one in stored)
        if height >= size[0] and width >= size[1]:
            return height, width
    return stored


def _torchvision(is_grey: bool, resize: _Resizer | None) -> Callable[[Any], Array]:
    torch: Any = importlib.import_module("torch")
    torchvision_io: Any = importlib.import_module("torchvision.io")
    modes = torchvision_io.ImageReadMode
    mode = modes.GRAY if is_grey else modes.RGB

    def decode(data: Any) -> Array:
        image = torchvision_io.decode_image(
            torch.frombuffer(bytearray(data), dtype=torch.uint8), mode
        )
        array: Array = image.permute(1, 2, 0).contiguous().numpy()
        return array if resize is None else resize.resize(array)

    return decode

# SPDX-License-Identifier: Apache-2.0
"""Arrays of random types, written by NumPy for TableNumPyTest, and a look at what the test wrote back.

make FOLDER SEED COUNT   writes the arrays, their fields as little-endian columns, and cases.json
archives FOLDER SEED COUNT   writes archives of arrays, the rows of each array, and archives.json
check FOLDER             loads what the test wrote and holds it against the arrays; prints what differs
"""
import json
import os
import random
import sys
import zipfile

import ml_dtypes
import numpy as np

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "25us", "2D", ""]
NAMES = ["a", "x y", "it's", 'say "hi"', "both ' and \"", "back\\slash", "größe", "日本語", "🙂", "tab\t", "line\n",
         "del\x7f", "nbsp\u00a0", "soft\u00ad", "f0", "_", "\u0301", "e.f", "'", '"', "\x00z", "\ue000", "\ud800"]
SPELLINGS = ["f4", "<f4", ">f4", "=f4", "|f4", "float32", "float", "int", "uint", "bool", "?", "b1", "|b1", "<b1", "b",
             "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d", "g", "F", "D", "G", "S", "S5", "|S5", "<S5",
             "a5", "U", "U3", "<U3", ">U3", "V", "V7", "|V7", "<V7", ">V7", "<V2", ">V2", "|V2", "V2", "M8", "<M8",
             "M8[ns]", ">M8[25us]", "m8[s]", "m8[2D]", "M8[xx]", "M8[0s]", "m8[10ns/2]", "i3", "f3", "u16", "c4", "c8",
             ">c16", "float16", "half", "single", "double", "complex64", "complex128", "complex", "int8", "uint8",
             "int64", "uint64", ">int32", "<float64", "=u2", "datetime64[ns]", "timedelta64[s]", "str", "bytes", "c",
             "", " f4", "f4 ", "<", "4", "i04", "i4[s]", "S-1", "b2", "f4,f4", "(2,)f4", "2f4", "longdouble", "p",
             "P", "i1", "u1", ">i1", ">u1", "f2", ">f2", "S0", "U0", "V0", "ubyte", "short", "intc", "uintp", "byte",
             "int_", "object", "O", "|O", "O8", "M", "m", "m8[generic]", "S2147483647", "S2147483648", "U536870911",
             "U536870912", "bool_", "str_", "bytes_", "void", "T", "N", "n", "f16", "c32", "f12", "c24", "<f16", "U1 "]


def plain(rng):
    order = rng.choice("<>")
    kind = rng.choice(["b", "i", "u", "f", "c", "S", "U", "V", "M", "m", "bf", "g"])
    if kind == "b":
        return np.dtype("?")
    if kind in "iu":
        return np.dtype(order + kind + rng.choice("1248"))
    if kind == "f":
        return np.dtype(order + "f" + rng.choice("248"))
    if kind == "c":
        return np.dtype(order + rng.choice(["c8", "c16"]))
    if kind in "SUV":
        return np.dtype(order + kind + str(rng.choice([1, 3, 4, 5, 8, 17, 33])))
    if kind in "Mm":
        unit = rng.choice(UNITS)
        return np.dtype(order + kind + "8" + ("[%s]" % unit if unit else ""))
    if kind == "g":
        return np.dtype(rng.choice(["longdouble", "clongdouble"])).newbyteorder(order)
    return np.dtype(ml_dtypes.bfloat16)


def shape(rng, most):
    return tuple(rng.choice([1, 2, 3, 5]) for _ in range(rng.randint(0, most)))


def record(rng, depth):
    names = rng.sample(NAMES, rng.randint(1, 6))
    types = []
    for _ in names:
        nested = depth > 0 and rng.random() < 0.3
        types.append((record(rng, depth - 1) if nested else plain(rng), shape(rng, 2) if rng.random() < 0.4 else ()))
    titles = ["title of %d %s" % (i, n) if rng.random() < 0.2 else None for i, n in enumerate(names)]
    form = rng.randint(0, 3)
    if form == 0:
        return np.dtype({"names": names, "formats": types, "titles": titles})
    if form == 1:
        return np.dtype([(n, t, s) if s else (n, t) for n, (t, s) in zip(names, types)], align=True)
    if form == 2:
        return np.dtype([(n, t, s) if s else (n, t) for n, (t, s) in zip(names, types)])
    offsets, at = [], rng.randint(0, 3)
    for t, s in types:
        offsets.append(at)
        at += np.dtype((t, s)).itemsize + rng.choice([0, 0, 1, 4, 9])
    return np.dtype({"names": names, "formats": types, "offsets": offsets, "itemsize": at + rng.choice([0, 3])})


def leaves(array, name=""):
    """The plain values of an array with their full names, in order."""
    if array.dtype.names is None:
        yield name or "value", array
        return
    for inner in array.dtype.names:
        yield from leaves(array[inner], name + "." + inner if name else inner)


def fill(array, generator):
    """Random bytes everywhere but between the fields, which an assembled row has zeros in."""
    for _, leaf in leaves(array):
        content = generator.bytes(leaf.size * leaf.dtype.itemsize)
        if leaf.dtype.kind == "b":
            content = bytes(b & 1 for b in content)
        if leaf.dtype.kind == "U":
            letters = np.array([0x61, 0x7A, 0x65E5, 0x1F642, 0], leaf.dtype.byteorder + "u4")
            content = letters[np.frombuffer(content, np.uint8)[::4] % 5].tobytes()
        pointer_view(leaf)[...] = np.frombuffer(content, np.uint8).reshape(leaf.shape + (leaf.dtype.itemsize,))


def pointer_view(leaf):
    """The bytes of a strided array where they are."""
    class Holder:
        pass
    holder = Holder()
    holder.__array_interface__ = {
        "version": 3, "typestr": "|u1", "data": (leaf.__array_interface__["data"][0], False),
        "shape": leaf.shape + (leaf.dtype.itemsize,), "strides": leaf.strides + (1,)}
    holder.owner = leaf
    return np.asarray(holder)


def little(leaf):
    raw = pointer_view(leaf).copy()
    size = leaf.dtype.itemsize
    if leaf.dtype.byteorder == ">" and leaf.dtype.kind not in "SVb":
        word = 4 if leaf.dtype.kind == "U" else size // 2 if leaf.dtype.kind == "c" else size
        raw = raw.reshape(leaf.shape + (size // word, word))[..., ::-1]
    return raw.tobytes()


def case(rng, index):
    kind = index % 4
    dtype = plain(rng) if kind == 0 else record(rng, 2 if kind == 3 else 0)
    rows = rng.choice([0, 1, 2, 7, 63, 64, 65, 130, 700])
    inner = shape(rng, 3) if rng.random() < 0.4 else ()
    if index % 50 == 49:
        inner += (0,)
    row_size = dtype.itemsize * int(np.prod(inner))
    return np.zeros((min(rows, 1 + 200_000 // max(1, row_size)),) + inner, dtype)


def make(folder, seed, count):
    rng = random.Random(seed)
    generator = np.random.RandomState(seed % (1 << 32))
    cases = []
    for index in range(count):
        array = case(rng, index)
        fill(array, generator)
        name = "%04d" % index
        np.save(os.path.join(folder, name + ".npy"), array)
        by_columns = np.zeros(array.shape, array.dtype, order="F")
        by_columns[...] = array
        np.save(os.path.join(folder, name + ".fortran.npy"), by_columns)
        with open(os.path.join(folder, name + ".rows"), "wb") as file:
            file.write(array.tobytes())
        fields = []
        with open(os.path.join(folder, name + ".columns"), "wb") as file:
            for full, leaf in leaves(array):
                content = little(leaf)
                file.write(content)
                fields.append({"name": escape(full), "bytes": len(content)})
        shards = sorted(rng.randint(0, len(array)) for _ in range(rng.randint(0, 4)))
        os.mkdir(os.path.join(folder, name))
        for i, part in enumerate(np.split(array, shards)):
            np.save(os.path.join(folder, name, "part_%05d.npy" % i), part)
        cases.append({"name": name, "dtype": ascii(array.dtype.descr), "rows": len(array), "bytes": array.nbytes,
                      "shape": list(array.shape), "fields": fields})
    spellings = [{"text": text, "str": spelled(text)} for text in SPELLINGS]
    with open(os.path.join(folder, "cases.json"), "w", encoding="utf-8") as file:
        json.dump({"cases": cases, "spellings": spellings, "numpy": np.__version__}, file)


def escape(text):
    """JSON has no way to say half a character."""
    return text.encode("utf-16-le", "surrogatepass").hex()


def spelled(text):
    try:
        dtype = np.lib.format.descr_to_dtype(text)
        return dtype.str if dtype.names is None and dtype.subdtype is None else None
    except Exception:
        return None


def check(folder):
    with open(os.path.join(folder, "cases.json"), encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    compared = 0
    for one in cases:
        path = os.path.join(folder, one["name"])
        array = np.load(path + ".npy")
        ours = os.path.join(folder, one["name"] + ".ours")
        found = [ours + ".npy", ours + ".batch.npy"]
        for file in filter(os.path.exists, found):
            compared += same(array, np.load(file), file)
        if os.path.isdir(ours):
            shards = sorted(f for f in os.listdir(ours) if f.endswith(".npy"))
            joined = np.concatenate([np.load(os.path.join(ours, f)) for f in shards], dtype=array.dtype)
            compared += same(array, joined, ours)
    print("compared %d" % compared)


def same(array, other, what):
    # Joining leaves anything between the fields, so it is these that are compared.
    equal = array.shape == other.shape and array.dtype == other.dtype and all(
        little(a) == little(b) for (_, a), (_, b) in zip(leaves(array), leaves(other)))
    if not equal:
        print("differs: " + what)
    return 1


def stored_rows(path, key, array):
    """The rows of an array in an archive, with the bytes between the fields as they are stored."""
    with zipfile.ZipFile(path) as archive:
        content = archive.read(key + ".npy")
    raw = content[len(content) - array.nbytes:]
    if array.flags.c_contiguous or not raw:
        return raw
    return np.ndarray(array.shape, "V%d" % array.dtype.itemsize, raw, order="F").tobytes(order="C")


def archives(folder, seed, count):
    """Archives of random arrays: `NAME.npz`, with the rows of each array in a file beside it."""
    rng = random.Random(seed)
    generator = np.random.RandomState(seed % (1 << 32))
    limits = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
    listed = []
    for index in range(count):
        arrays = {}
        for number in range(rng.choice([1, 1, 2, 5])):
            array = case(rng, rng.randrange(50))
            fill(array, generator)
            if rng.random() < 0.3:
                by_columns = np.zeros(array.shape, array.dtype, order="F")
                by_columns[...] = array
                array = by_columns
            arrays[rng.choice(["a", "b c", "\u00e9", "dir/x", "..", "../up"]) + str(number)] = array
        name = os.path.join(folder, "archive%d" % index)
        # With such limits all 64-bit records of large archives are written, by the program that would write them.
        zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = (100, 0) if index % 3 == 0 else limits
        np.savez(name + ".npz", **arrays)
        members = []
        for number, (key, array) in enumerate(arrays.items()):
            rows = "archive%d.%d.rows" % (index, number)
            with open(os.path.join(folder, rows), "wb") as file:
                file.write(stored_rows(name + ".npz", key, array))
            members.append({"name": key, "rows": rows, "count": len(array) if array.ndim else 1})
        listed.append({"file": "archive%d.npz" % index, "members": members})
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = limits
    np.savez_compressed(os.path.join(folder, "compressed.npz"), squeezed=np.zeros(9))
    np.savez(os.path.join(folder, "objects.npz"), things=np.array([{}, None], dtype=object))
    np.savez(os.path.join(folder, "empty.npz"))
    with open(os.path.join(folder, "archives.json"), "w") as file:
        json.dump({"archives": listed}, file)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1] == "archives":
        archives(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        check(sys.argv[2])

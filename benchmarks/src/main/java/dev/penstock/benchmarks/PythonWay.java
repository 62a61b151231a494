// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.List;

/// One method to get a batch in Python.
///
/// @param operation the name in the Python program, and the end of the name of the case
/// @param label     the name for readers
/// @param kind      the owner of the method, and how long a batch takes
record PythonWay(String operation, String label, Kind kind) {
    enum Kind {
        OURS,
        OTHERS,
        /// A hand-written dataset for PyTorch: a candidate for the best configuration of its loader.
        BY_HAND,
        /// The same without creating columns: their values are not contiguous.
        VIEWS,
        /// The same with a consumer that reads every record.
        TOUCHED,
        /// The usual code for PyTorch, which takes many times as long.
        USUAL,
        /// The same with more work.
        SLOW,
        LMDB
    }

    static final PythonWay TAKE_OUT = new PythonWay("take-out", "ds.take(idx, out=)", Kind.OURS);
    static final PythonWay TAKE_RAGGED = new PythonWay("take-ragged", "ds.take(idx, ragged=True)", Kind.OURS);
    static final PythonWay INDEX = new PythonWay("index", "ds[idx]", Kind.OURS);
    static final PythonWay LOADER = new PythonWay("loader", "Loader", Kind.OURS);
    static final PythonWay LOADER_TORCH = new PythonWay("loader-torch", "Loader(to='torch')", Kind.OURS);
    static final PythonWay LOADER_RAGGED = new PythonWay("loader-ragged", "Loader(ragged=True)", Kind.OURS);
    static final PythonWay LOADER_TOUCH =
            new PythonWay("loader-touch", "Loader, a byte of each record read", Kind.OURS);
    static final PythonWay RAGGED_TOUCH =
            new PythonWay("loader-ragged-touch", "Loader(ragged=True), a byte of each record read", Kind.OURS);

    static final PythonWay NP_TAKE = new PythonWay("np-take", "np.take(out=, mode='clip')", Kind.OTHERS);
    static final PythonWay ARR_INDEX = new PythonWay("arr-index", "arr[idx]", Kind.OTHERS);

    private static final PythonWay USUAL = new PythonWay("usual-0", "DataLoader, __getitem__", Kind.USUAL);
    private static final PythonWay USUAL_2 = new PythonWay("usual-2", "DataLoader, __getitem__, 2 workers", Kind.USUAL);
    private static final PythonWay GETITEMS = new PythonWay("getitems-0", "DataLoader, __getitems__", Kind.BY_HAND);
    private static final PythonWay GETITEMS_2 =
            new PythonWay("getitems-2", "DataLoader, __getitems__, 2 workers", Kind.BY_HAND);
    private static final PythonWay GETITEMS_TOUCH =
            new PythonWay("getitems-0-touch", "DataLoader, __getitems__, a byte of each record read", Kind.TOUCHED);
    private static final PythonWay GETITEMS_2_TOUCH = new PythonWay(
            "getitems-2-touch", "DataLoader, __getitems__, 2 workers, a byte of each record read", Kind.TOUCHED);

    static final PythonWay GETITEMS_VIEWS =
            new PythonWay("getitems-0-views", "DataLoader, __getitems__, columns as views", Kind.VIEWS);

    /// The methods for rows of several fields. The bytes of the first are compared with those of the others.
    static final List<PythonWay> FIELDS = List.of(
            TAKE_OUT,
            INDEX,
            LOADER,
            new PythonWay("loader-1-thread", "Loader(threads=1)", Kind.OURS),
            LOADER_TOUCH,
            LOADER_TORCH,
            NP_TAKE,
            new PythonWay("arr-take", "arr.take(idx)", Kind.OTHERS),
            ARR_INDEX,
            new PythonWay("memmap-index", "np.memmap[idx]", Kind.OTHERS),
            GETITEMS,
            GETITEMS_VIEWS,
            GETITEMS_2,
            GETITEMS_TOUCH,
            GETITEMS_2_TOUCH,
            USUAL,
            USUAL_2);

    /// The methods for rows of one field, which needs no split into columns.
    static final List<PythonWay> ARRAY =
            FIELDS.stream().filter(way -> way != GETITEMS_VIEWS).toList();

    /// The methods for packs.
    static final List<PythonWay> PACK = List.of(
            TAKE_RAGGED,
            INDEX,
            LOADER_RAGGED,
            new PythonWay("loader-ragged-1-thread", "Loader(ragged=True, threads=1)", Kind.OURS),
            RAGGED_TOUCH,
            LOADER,
            new PythonWay("mmap", "slices of an mmap", Kind.OTHERS),
            new PythonWay("pread", "os.pread", Kind.OTHERS),
            new PythonWay("lmdb-get", "LMDB, get", Kind.LMDB),
            new PythonWay("lmdb-getmulti", "LMDB, getmulti", Kind.LMDB),
            GETITEMS,
            new PythonWay("getitems-0-packed", "DataLoader, __getitems__, one tensor", Kind.BY_HAND),
            GETITEMS_2,
            GETITEMS_TOUCH,
            GETITEMS_2_TOUCH,
            USUAL,
            new PythonWay("usual-0-tensors", "DataLoader, __getitem__ of a tensor, joined", Kind.SLOW),
            USUAL_2);

    /// The methods for stores. The others read a pack of the same records.
    static final List<PythonWay> STORE = PACK.stream()
            .filter(way -> way.isOurs() || way.kind() == Kind.LMDB || way.kind() == Kind.OTHERS)
            .toList();

    boolean isOurs() {
        return kind == Kind.OURS;
    }

    /// Whether batches are prefetched.
    boolean isStream() {
        return operation.startsWith("loader") || kind == Kind.BY_HAND || kind == Kind.VIEWS || kind == Kind.TOUCHED;
    }

    /// Whether a batch takes many times as long as with the other methods.
    boolean isSlow() {
        return kind == Kind.USUAL || kind == Kind.SLOW;
    }

    boolean needsTorch() {
        boolean isByHand = kind == Kind.BY_HAND || kind == Kind.VIEWS || kind == Kind.TOUCHED;
        return isSlow() || isByHand || equals(LOADER_TORCH);
    }

    boolean isPossible(PythonProgram python) {
        return (python.hasTorch() || !needsTorch()) && (python.hasLmdb() || kind != Kind.LMDB);
    }
}

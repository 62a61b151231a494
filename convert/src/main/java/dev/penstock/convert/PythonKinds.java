// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.Candidate;
import dev.penstock.file.Location;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/// Sources that packages of Python read, in a process of their own ([PythonReader]).
enum PythonKinds implements SourceKind {
    /// A file, or `FILE.h5/NAME` for one of its datasets or groups.
    HDF5("an HDF5 file", "hdf5") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return candidate.startsWith(bytes(0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'))
                    || isInside(candidate, ".h5", ".hdf5", ".hdf");
        }
    },
    /// An array or a group of arrays, of version 2 or 3.
    ZARR("a Zarr array or group", "zarr") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return isFolderWith(candidate, "zarr.json")
                    || isFolderWith(candidate, ".zarray")
                    || isFolderWith(candidate, ".zgroup");
        }
    },
    LMDB("an LMDB database", "lmdb") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            boolean isFile = candidate.kind() == Candidate.Kind.FILE && isNamed(candidate.location(), ".lmdb", ".mdb");
            return isFile || isFolderWith(candidate, "data.mdb");
        }
    },
    /// A file, or a folder of such files.
    ARRAY_RECORD("an ArrayRecord file", "arrayrecord") {
        @Override
        public boolean recognises(Candidate candidate) {
            return candidate.startsWith(bytes(0x83, 0xAF, 0x70, 0xD1, 0x0D, 0x88, 0x4A, 0x3F));
        }
    },
    /// A folder with `meta/info.json` and Parquet files under `data`.
    LEROBOT("a LeRobot dataset", "lerobot") {
        @Override
        public boolean recognises(Candidate candidate) throws IOException {
            return isFolderWith(candidate, "meta/info.json") && isFolderWith(candidate, "data");
        }
    },
    /// An archive of NumPy arrays whose first one is compressed; others are datasets.
    NPZ("a compressed .npz archive", "") {
        private static final int METHOD_OFFSET = 8;

        @Override
        public boolean recognises(Candidate candidate) {
            return candidate.startsWith(bytes('P', 'K', 3, 4))
                    && isNamed(candidate.location(), ".npz")
                    && candidate.head().length > METHOD_OFFSET
                    && candidate.head()[METHOD_OFFSET] != 0;
        }
    };

    private final String description;
    private final String extra;

    PythonKinds(String description, String extra) {
        this.description = description;
        this.extra = extra;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        return PythonReader.open(location, description, extra, options.choice());
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static boolean isNamed(Location location, String... extensions) {
        String name = location.name().toLowerCase(Locale.ROOT);
        for (String extension : extensions) {
            if (name.endsWith(extension)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFolderWith(Candidate candidate, String name) throws IOException {
        return candidate.kind() == Candidate.Kind.FOLDER
                && candidate.isOnDisk()
                && candidate.disk().exists(candidate.path().resolve(name));
    }

    /// Whether the path continues behind the name of a file with such an extension.
    private static boolean isInside(Candidate candidate, String... extensions) throws IOException {
        if (candidate.kind() != Candidate.Kind.ABSENT || !candidate.isOnDisk()) {
            return false;
        }
        for (Path path = candidate.path().getParent(); path != null; path = path.getParent()) {
            if (isNamed(Location.of(path), extensions)
                    && candidate.disk().exists(path)
                    && !candidate.disk().isDirectory(path)) {
                return true;
            }
        }
        return false;
    }
}

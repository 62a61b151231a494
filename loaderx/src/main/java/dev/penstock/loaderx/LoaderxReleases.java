// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import static dev.penstock.loaderx.LoaderxFormat.ENTRY_SIZE;
import static dev.penstock.loaderx.LoaderxFormat.HEADER_05;
import static dev.penstock.loaderx.LoaderxFormat.META;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Determines the release of loaderx that wrote a store.
final class LoaderxReleases {
    private LoaderxReleases() {}

    /// Determines the layout of a folder.
    ///
    /// @throws DatasetException.WrongFormat        when the folder is not a store of loaderx
    /// @throws DatasetException.UnsupportedVersion when the store was written by a release that is not supported
    static LoaderxLayout layout(LoaderxFiles files) throws IOException {
        if (!files.has(META)) {
            throw new DatasetException.WrongFormat(
                    files.folder(),
                    "this is not a loaderx store: the folder has no " + META + "; give the folder that has it");
        }
        if (files.has("data_0.zr")) {
            return new LoaderxLayout23(files);
        }
        if (files.has("data.zr")) {
            throw refused(files, files.has("store.zr") ? "loaderx 1.9.6 to 1.9.7" : "loaderx 1.10.2 to 2.2.1");
        }
        if (files.has("0.loc") || files.has("0.chunk") || files.has("store.zr")) {
            throw refused(files, "loaderx 1.5.2 to 1.8.6");
        }
        return withMagic(files);
    }

    private static LoaderxLayout withMagic(LoaderxFiles files) throws IOException {
        MemorySegment header = files.read(META, 0, HEADER_05.byteSize());
        if (header.get(Layouts.U32, 0) != LoaderxFormat.MAGIC) {
            throw new DatasetException.WrongFormat(
                    files.path(META),
                    "this is not a store of a loaderx release: " + META + " has an unknown beginning");
        }
        int version = Layouts.u16(header, Layouts.offset(HEADER_05, "version"));
        return switch (version) {
            case LoaderxFormat.VERSION_05 -> new LoaderxLayout05(files);
            case 3 -> throw refused(files, "loaderx 0.7.3 to 0.9.17");
            // The second byte is a codec.
            case 0x0002, 0x0102, 0x0202 -> throw refused(files, "loaderx 1.1.0 to 1.4.2");
            default -> throw refused(files, "an unknown release of loaderx, with version " + version);
        };
    }

    static DatasetException refused(LoaderxFiles files, String release) {
        return new DatasetException.UnsupportedVersion(
                files.path(META),
                0,
                Reason.UNSUPPORTED_VERSION,
                "the store was written by " + release
                        + ", but only stores of 0.5, and of 2.3.3 or later, can be imported;"
                        + " use that release to copy it to .npy files, and append them");
    }

    /// Checks that every record has an entry.
    static void requireEntries(LoaderxFiles files, long start, long count) throws IOException {
        long size = files.size(META);
        if (count < 0 || count > (size - start) / ENTRY_SIZE) {
            throw new DatasetException.Corrupt(
                    files.path(META),
                    size,
                    Reason.TRUNCATED,
                    "the file has space for " + (size - start) / ENTRY_SIZE + " entries, but its header says "
                            + Long.toUnsignedString(count) + " records; copy it again");
        }
    }
}

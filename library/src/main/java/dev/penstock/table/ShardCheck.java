// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.OpenFiles;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;

/// Compares the files of a table with their checksums. It reads every byte.
///
/// @param files   the table
/// @param open    its open files
/// @param headers the headers of the files
/// @param onlyCrc the checksum of the only file, or null
record ShardCheck(TablePaths files, OpenFiles open, List<TableHeader> headers, String onlyCrc) {
    /// Whether every file has a checksum: in the manifest, or in the archive that it is a member of.
    static boolean hasChecksum(TablePaths files) {
        return files.member() != null
                || files.manifest() != null
                        && files.manifest().shards().stream().allMatch(shard -> shard.crc() != null);
    }

    /// The errors in a file.
    List<Problem> errors(int shardIndex) throws IOException {
        return problems(shardIndex, byteCount -> {}).stream()
                .filter(problem -> problem.severity() == Severity.ERROR)
                .toList();
    }

    /// The errors in a file, and unusual things.
    ///
    /// @param progress receives the size of each piece that was read
    List<Problem> problems(int shardIndex, LongConsumer progress) throws IOException {
        OpenFile file = open.files().get(shardIndex);
        TableHeader header = headers.get(shardIndex);
        List<Problem> found = new ArrayList<>();
        Crc32c crc = new Crc32c();
        CRC32 memberCrc = new CRC32();
        try {
            file.forEachPiece(0, file.size(), piece -> {
                if (files.member() == null) {
                    crc.update(piece);
                } else {
                    memberCrc.update(piece.asByteBuffer());
                }
                progress.accept(piece.byteSize());
            });
        } catch (DatasetException e) {
            return List.of(Problem.of(e));
        }
        checkEnd(file, header, found);
        if (files.member() != null) {
            checkMember((int) memberCrc.getValue(), file, found);
        }
        if (onlyCrc != null) {
            checkCrc(onlyCrc, file, crc.value(), found);
        } else if (files.manifest() != null) {
            checkListed(files.manifest().shards().get(shardIndex), file, header, crc.value(), found);
        }
        return found;
    }

    private static void checkEnd(OpenFile file, TableHeader header, List<Problem> found) {
        long dataEnd = header.dataOffset() + header.dataBytes();
        if (file.size() > dataEnd) {
            found.add(new Problem(
                    file.location(),
                    dataEnd,
                    Severity.WARNING,
                    Reason.TRAILING_BYTES,
                    file.size() - dataEnd + " extra bytes after the last row"));
        }
    }

    private void checkMember(int crc, OpenFile file, List<Problem> found) {
        int listed = (int) files.member().crc();
        if (listed != crc) {
            found.add(error(
                    file.location(),
                    Reason.CHECKSUM,
                    "the array has CRC-32 " + ChecksummedJson.hex(crc) + ", but the archive lists "
                            + ChecksummedJson.hex(listed)));
        }
    }

    private static void checkListed(Published listed, OpenFile file, TableHeader header, int crc, List<Problem> found) {
        if (listed.rows() != header.rowCount() || listed.bytes() != file.size()) {
            found.add(error(
                    file.location(),
                    Reason.SHARD_MISMATCH,
                    header.rowCount() + " rows in " + file.size() + " bytes, but the manifest lists " + listed.rows()
                            + " rows in " + listed.bytes() + " bytes"));
        } else if (listed.crc() != null) {
            checkCrc(listed.crc(), file, crc, found);
        }
    }

    private static void checkCrc(String listed, OpenFile file, int crc, List<Problem> found) {
        if (!listed.equals(ChecksummedJson.hex(crc))) {
            found.add(error(
                    file.location(),
                    Reason.CHECKSUM,
                    "the file has CRC " + ChecksummedJson.hex(crc) + ", but the manifest lists " + listed));
        }
    }

    private static Problem error(Location file, Reason reason, String what) {
        return new Problem(file, 0, Severity.ERROR, reason, what);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Enumeration;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/// The files of a zip archive, in the order of its directory. Their checksums are compared. The archive is a local
/// file, because its directory is at its end.
final class ZipMembers implements Members {
    private final SourceFile source;
    private final ZipFile archive;
    private final Enumeration<? extends ZipEntry> entries;
    private ZipEntry current;
    private long doneBytes;

    private ZipMembers(SourceFile source, ZipFile archive) {
        this.source = source;
        this.archive = archive;
        this.entries = archive.entries();
    }

    static ZipMembers open(SourceFile source) throws IOException {
        if (!source.location().isLocal()) {
            throw new IllegalArgumentException(
                    source.location() + " is a zip archive, which is read from a disk only; copy it first");
        }
        try {
            return new ZipMembers(source, new ZipFile(source.location().path().toFile()));
        } catch (ZipException e) {
            throw new DatasetException.Corrupt(
                    source.location(), 0, Reason.BAD_HEADER, "the zip archive cannot be read: " + e.getMessage(), e);
        }
    }

    private DatasetException.Corrupt corrupt(Reason reason, String what) {
        return new DatasetException.Corrupt(
                source.location(), 0, reason, "the member " + current.getName() + " " + what);
    }

    @Override
    public Member next() {
        current = null;
        while (entries.hasMoreElements()) {
            current = entries.nextElement();
            doneBytes += Math.max(0, current.getCompressedSize());
            if (!current.isDirectory()) {
                if (current.getSize() < 0 || current.getSize() > ByteInput.VALUE_SIZE_MAX) {
                    throw corrupt(Reason.OUT_OF_RANGE, "has " + current.getSize() + " bytes; the limit is 1 GiB");
                }
                return new Member(current.getName(), current.getSize(), 0);
            }
        }
        return null;
    }

    @Override
    public byte[] content() throws IOException {
        try (InputStream stream = archive.getInputStream(current)) {
            byte[] content = stream.readNBytes((int) current.getSize());
            if (content.length < current.getSize() || stream.read() >= 0) {
                throw corrupt(Reason.TRUNCATED, "does not have the size that the directory says");
            }
            CRC32 crc = new CRC32();
            crc.update(content);
            if (current.getCrc() >= 0 && crc.getValue() != current.getCrc()) {
                throw corrupt(Reason.CHECKSUM, "does not have the checksum that the directory says");
            }
            return content;
        } catch (ZipException | EOFException e) {
            throw corrupt(Reason.BAD_COMPRESSION, "cannot be unpacked: " + e.getMessage());
        }
    }

    @Override
    public long doneBytes() {
        return doneBytes;
    }

    @Override
    public void close() throws IOException {
        archive.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// The files of a tar archive. Folders, links, devices and pipes are left out, as they have no content of their
/// own.
///
/// Archives of POSIX (also with PAX headers), GNU and older programs are read. Sparse files and archives of
/// several volumes are refused. An archive ends with a block of zeros; without one it was truncated.
final class TarMembers implements Members {
    /// PAX headers and long names; those of real archives have a few hundred bytes.
    private static final long EXTENSION_SIZE_MAX = 1L << 20;

    private final ByteInput input;
    private final byte[] block = new byte[TarHeader.SIZE];
    private final Map<String, String> global = new LinkedHashMap<>();
    private Member current;
    /// What of the current member was not read yet, with its padding.
    private long contentBytes;

    private long paddingBytes;

    TarMembers(ByteInput input) {
        this.input = input;
    }

    @Override
    public Member next() throws IOException {
        Map<String, String> local = new LinkedHashMap<>();
        while (true) {
            skipRest();
            long offset = input.position();
            if (!readHeader(offset)) {
                input.requireUnchanged();
                return null;
            }
            char type = TarHeader.type(block);
            long size = TarHeader.size(block);
            if (size < 0) {
                throw corrupt(offset, Reason.BAD_HEADER, "the size of the member is not a number");
            }
            if (type == 'x' || type == 'g') {
                setContent(size);
                addRecords(extension(offset), offset, type == 'x' ? local : global);
            } else if (type == 'L' || type == 'K') {
                setContent(size);
                byte[] text = extension(offset);
                if (type == 'L') {
                    local.put("path", TarHeader.text(text, 0, text.length));
                }
            } else {
                Member member = member(type, offset, local);
                local.clear();
                if (member != null) {
                    return member;
                }
            }
        }
    }

    /// @return false at the end of the archive
    private boolean readHeader(long offset) throws IOException {
        int count = input.readSome(block, 0, block.length);
        if (count < block.length) {
            throw corrupt(offset + count, Reason.TRUNCATED, "the archive ends without its end marker");
        }
        if (TarHeader.isZeros(block)) {
            return false;
        }
        if (!TarHeader.isValid(block)) {
            throw corrupt(offset, Reason.CHECKSUM, "the checksum of the header of a member is wrong");
        }
        return true;
    }

    private Member member(char type, long offset, Map<String, String> local) throws IOException {
        String name = value("path", local, TarHeader.name(block));
        long size = size(offset, local);
        if (type == 'S' || type == 'M' || local.keySet().stream().anyMatch(key -> key.startsWith("GNU.sparse"))) {
            throw new DatasetException.UnsupportedVersion(
                    input.location(),
                    offset,
                    Reason.UNSUPPORTED_VERSION,
                    type == 'M'
                            ? "the archive continues another one; join the volumes with tar"
                            : "the member " + name + " is a sparse file; store it whole when the archive is written");
        }
        // The sizes of links and devices say nothing about the archive.
        setContent(type >= '1' && type <= '6' ? 0 : size);
        if (name == null) {
            throw corrupt(offset, Reason.NOT_UTF8, "the name of a member is not UTF-8");
        }
        boolean isFile = type == '0' || type == 0 || type == '7';
        current = isFile && !name.endsWith("/") ? new Member(name, size, offset) : null;
        return current;
    }

    private String value(String key, Map<String, String> local, String stored) {
        return local.containsKey(key) ? local.get(key) : global.getOrDefault(key, stored);
    }

    private long size(long offset, Map<String, String> local) {
        String text = value("size", local, null);
        try {
            long size = text == null ? TarHeader.size(block) : Long.parseLong(text);
            if (size >= 0) {
                return size;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw corrupt(offset, Reason.BAD_HEADER, "the size " + text + " of a member in its PAX header is invalid");
    }

    private void setContent(long size) {
        contentBytes = size;
        paddingBytes = -size & (TarHeader.SIZE - 1);
    }

    private byte[] extension(long offset) throws IOException {
        if (contentBytes > EXTENSION_SIZE_MAX) {
            throw corrupt(
                    offset,
                    Reason.OUT_OF_RANGE,
                    "a header with " + contentBytes + " bytes is too large: the limit is " + EXTENSION_SIZE_MAX);
        }
        byte[] text = input.value(contentBytes, "a header");
        contentBytes = 0;
        return text;
    }

    /// Records have the form `LENGTH KEY=VALUE`, with a line end that the length counts like all the rest.
    private void addRecords(byte[] text, long offset, Map<String, String> target) {
        int at = 0;
        while (at < text.length && text[at] != 0) {
            int space = at;
            int length = 0;
            while (space < text.length && text[space] >= '0' && text[space] <= '9' && length < text.length) {
                length = length * 10 + text[space++] - '0';
            }
            int end = at + length;
            boolean isRecord = space < text.length
                    && text[space] == ' '
                    && end > space + 1
                    && end <= text.length
                    && text[end - 1] == '\n';
            String record = isRecord ? new String(text, space + 1, end - space - 2, StandardCharsets.UTF_8) : "";
            int equals = record.indexOf('=');
            if (equals <= 0) {
                throw corrupt(offset, Reason.BAD_HEADER, "a PAX header is invalid at its byte " + at);
            }
            target.put(record.substring(0, equals), record.substring(equals + 1));
            at = end;
        }
    }

    @Override
    public byte[] content() throws IOException {
        byte[] content = input.value(contentBytes, "the member " + current.name());
        contentBytes = 0;
        return content;
    }

    private void skipRest() throws IOException {
        String what = current == null ? "a header" : "the member " + current.name();
        input.skip(contentBytes, what);
        input.skip(paddingBytes, what);
        contentBytes = 0;
        paddingBytes = 0;
    }

    private DatasetException.Corrupt corrupt(long offset, Reason reason, String what) {
        return input.corrupt(offset, reason, current == null ? what : what + ", after the member " + current.name());
    }

    @Override
    public long doneBytes() {
        return input.doneBytes();
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}

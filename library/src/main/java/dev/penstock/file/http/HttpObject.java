// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.Listed;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;

/// A file of a web server, at the version that it had when it was opened.
///
/// One request opens it: a range at the start, whose answer has the size, the version and the first bytes. Later
/// requests ask for the same version (`If-Match`), and the version of every answer is compared, so that bytes of
/// two versions are never mixed. The version is the `ETag`, or else `Last-Modified`, together with the size.
///
/// A server that ignores ranges sends the whole file, which is kept if it is small.
///
/// **Threads.** Safe for any number of threads.
final class HttpObject implements Disk.Readable {
    /// The bytes that the first request asks for: enough for most headers.
    private static final int FIRST_SIZE = 1024;

    /// The largest file that is kept in memory when the server ignores ranges.
    static final int WHOLE_SIZE_MAX = 16 << 20;

    private final HttpCalls calls;
    private final Location location;
    private final long size;
    private final String etag;
    private final String modified;
    /// The first bytes of the file, or all of them.
    private final byte[] first;

    private HttpObject(HttpCalls calls, Location location, long size, Answer opened, byte[] first) {
        this(calls, location, size, opened.header("ETag"), opened.header("Last-Modified"), first);
    }

    private HttpObject(HttpCalls calls, Location location, long size, String etag, String modified, byte[] first) {
        this.calls = calls;
        this.location = location;
        this.size = size;
        this.etag = etag;
        this.modified = modified;
        this.first = first;
    }

    /// An object of a list. No request is needed to open it.
    static HttpObject of(HttpCalls calls, Listed listed) {
        String version = listed.version();
        // Some servers leave out the quotation marks in lists.
        String etag = version.isEmpty() || version.contains("\"") ? version : '"' + version + '"';
        return new HttpObject(calls, listed.location(), listed.size(), etag, "", new byte[0]);
    }

    /// Opens a file.
    ///
    /// @throws NoSuchFileException when it does not exist, or is a folder
    static HttpObject open(HttpCalls calls, Location location) throws IOException {
        Map<String, String> headers = Map.of("Range", range(0, FIRST_SIZE));
        Answer answer = calls.get(location, headers, WHOLE_SIZE_MAX, _ -> null);
        if (answer.isFolder()) {
            throw new NoSuchFileException(location.toString(), null, "it is a folder");
        }
        return switch (answer.status()) {
            case Answer.PARTIAL -> ofRange(calls, location, answer);
            case Answer.OK -> ofWhole(calls, location, answer);
            case Answer.RANGE_NOT_SATISFIABLE -> ofEmpty(calls, location, answer);
            default -> throw calls.failure(location, answer);
        };
    }

    private static HttpObject ofRange(HttpCalls calls, Location location, Answer answer) throws IOException {
        long size = answer.rangeTotal();
        long received = answer.body().length;
        if (answer.rangeOffset() != 0 || received > FIRST_SIZE || received > size) {
            throw new IOException(location + ": the server answered a request for its first bytes with the range '"
                    + answer.header("Content-Range") + "'");
        }
        return new HttpObject(calls, location, size, answer, answer.body());
    }

    private static HttpObject ofWhole(HttpCalls calls, Location location, Answer answer) throws IOException {
        if (answer.isCut()) {
            throw new IOException(location + ": the server does not answer range requests, and the file has more than "
                    + WHOLE_SIZE_MAX + " bytes; use another server, or copy the file to a local path first");
        }
        return new HttpObject(calls, location, answer.body().length, answer, answer.body());
    }

    /// The range of the first bytes does not exist in an empty file.
    private static HttpObject ofEmpty(HttpCalls calls, Location location, Answer answer) throws IOException {
        if (answer.rangeTotal() > 0) {
            throw calls.failure(location, answer);
        }
        return new HttpObject(calls, location, 0, answer, new byte[0]);
    }

    private static String range(long offset, long byteCount) {
        return "bytes=" + offset + "-" + (offset + byteCount - 1);
    }

    @Override
    public long size() {
        return size;
    }

    /// A weak `ETag` may stay when the bytes change, and `Last-Modified` has whole seconds.
    @Override
    public String version() {
        return etag.startsWith("\"") ? etag : "";
    }

    @Override
    public long read(long offset, MemorySegment target) throws IOException {
        int byteCount = Math.toIntExact(Math.clamp(size - offset, 0, target.byteSize()));
        if (byteCount == 0) {
            return 0;
        }
        if (offset + byteCount <= first.length) {
            MemorySegment.copy(first, (int) offset, target, ValueLayout.JAVA_BYTE, 0, byteCount);
            return byteCount;
        }
        byte[] bytes = request(offset, byteCount);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, target, 0, bytes.length);
        return bytes.length;
    }

    private byte[] request(long offset, int byteCount) throws IOException {
        Answer answer =
                calls.get(location, headers(offset, byteCount), byteCount, found -> problem(found, offset, byteCount));
        int status = answer.status();
        if (status == Answer.PRECONDITION_FAILED || status == Answer.RANGE_NOT_SATISFIABLE || isOther(answer)) {
            throw new DatasetException.Corrupt(
                    location,
                    offset,
                    Reason.SHARD_CHANGED,
                    "the file was replaced while it was open; open the dataset again");
        }
        if (answer.isAbsent()) {
            throw new IOException(location + ": " + where(offset, byteCount)
                    + " could not be read: the file does not exist any more");
        }
        if (status != Answer.PARTIAL) {
            throw calls.failure(location, answer);
        }
        return answer.body();
    }

    /// What is wrong with the bytes of an answer, in words, or null. Another attempt may bring the right ones.
    private String problem(Answer answer, long offset, int byteCount) {
        boolean hasBytes = answer.status() == Answer.PARTIAL || answer.status() == Answer.OK;
        if (!hasBytes || isOther(answer)) {
            return null;
        }
        boolean isRight = answer.status() == Answer.PARTIAL
                && answer.rangeOffset() == offset
                && !answer.isCut()
                && answer.body().length == byteCount;
        return isRight
                ? null
                : "the server answered a request for " + where(offset, byteCount) + " with status " + answer.status()
                        + ", the range '" + answer.header("Content-Range") + "' and " + answer.body().length
                        + (answer.isCut() ? " bytes or more" : " bytes");
    }

    private String where(long offset, int byteCount) {
        return "bytes " + offset + " to " + (offset + byteCount - 1);
    }

    private Map<String, String> headers(long offset, int byteCount) {
        Map<String, String> headers = new HashMap<>();
        headers.put("Range", range(offset, byteCount));
        if (etag.startsWith("\"")) {
            // A weak ETag, such as W/"1", never matches in a server's comparison.
            headers.put("If-Match", etag);
        } else if (!modified.isEmpty()) {
            headers.put("If-Unmodified-Since", modified);
        }
        return headers;
    }

    /// Whether an answer with bytes is from another version of the file.
    private boolean isOther(Answer answer) {
        if (answer.status() != Answer.PARTIAL && answer.status() != Answer.OK) {
            return false;
        }
        boolean isSameSize = answer.status() != Answer.PARTIAL || answer.rangeTotal() == size;
        boolean isSame =
                etag.isEmpty() ? modified.equals(answer.header("Last-Modified")) : etag.equals(answer.header("ETag"));
        return !isSame || !isSameSize;
    }

    @Override
    public void close() {}
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.Location;
import dev.penstock.file.ObjectTags;
import dev.penstock.file.ObjectWriter;
import dev.penstock.file.http.Answer;
import dev.penstock.file.http.HttpCalls;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/// Writes objects of buckets.
///
/// Requests are repeated, like those that read. One that must create an object (`If-None-Match`) is special:
/// when its answer is lost, or it is refused, the object may be there because an earlier attempt has made it.
/// So the object is looked at, and counts as written when it has the bytes that were to be written. Some
/// servers refuse such a request by a reset.
final class S3Writer implements ObjectWriter {
    private static final int CONFLICT = 409;
    private static final int PRECONDITION_FAILED = 412;
    private static final int FIRST_ERROR = 400;
    private static final int LIST_SIZE_MAX = 16 << 20;
    private static final int ATTEMPTS_MAX = 6;
    private static final byte[] EMPTY = new byte[0];
    private static final Map<String, String> CREATE_ONLY = Map.of("If-None-Match", "*");

    private final S3Server server;
    private final HttpCalls calls;

    S3Writer(S3Server server, HttpCalls calls) {
        this.server = server;
        this.calls = calls;
    }

    private Answer send(
            Location object,
            String method,
            String query,
            Map<String, String> headers,
            byte[] body,
            Function<Answer, String> problem)
            throws IOException {
        return calls.send(object, method, () -> URI.create(server.address(object) + query), headers, body, problem);
    }

    private Answer require(Location object, Answer answer) throws IOException {
        if (answer.status() >= FIRST_ERROR) {
            throw calls.failure(object, answer);
        }
        return answer;
    }

    @Override
    public Found find(Location object) throws IOException {
        Answer answer = send(object, "HEAD", "", Map.of(), EMPTY, _ -> null);
        if (answer.isAbsent()) {
            return null;
        }
        require(object, answer);
        return new Found(answer.headers().firstValueAsLong("Content-Length").orElse(-1), answer.header("ETag"));
    }

    @Override
    public void put(Location object, byte[] bytes, boolean isNew) throws IOException {
        if (!isNew) {
            require(object, send(object, "PUT", "", Map.of(), bytes, _ -> null));
            return;
        }
        String tag = ObjectTags.of(bytes);
        create(
                object,
                bytes.length,
                tag,
                () -> calls.once().send(object, "PUT", () -> server.address(object), CREATE_ONLY, bytes, _ -> null));
    }

    /// An attempt to create an object.
    private interface Attempt {
        Answer send() throws IOException;
    }

    /// Tries to create an object until it is there. Only its own bytes count.
    private void create(Location object, long size, String tag, Attempt attempt) throws IOException {
        for (int number = 1; ; number++) {
            IOException failure;
            try {
                Answer answer = attempt.send();
                boolean isRefused = answer.status() == PRECONDITION_FAILED || answer.status() == CONFLICT;
                if (!isRefused && !answer.isAbsent()) {
                    require(object, answer);
                    return;
                }
                failure = calls.failure(object, answer);
            } catch (InterruptedIOException | AccessDeniedException e) {
                throw e;
            } catch (IOException e) {
                failure = e;
            }
            Found found = find(object);
            if (found != null && found.size() == size && ObjectTags.isSame(found.etag(), tag)) {
                return;
            }
            if (found != null) {
                throw new FileAlreadyExistsException(object.toString());
            }
            if (number == ATTEMPTS_MAX) {
                throw failure;
            }
        }
    }

    @Override
    public String begin(Location object) throws IOException {
        Answer answer = require(object, send(object, "POST", "?uploads", Map.of(), EMPTY, _ -> null));
        String upload = S3Xml.of(object, answer.body()).first("UploadId");
        if (upload.isEmpty()) {
            throw new IOException(object + ": the server began an upload without a name; check the endpoint");
        }
        return upload;
    }

    private static String id(String upload) {
        return "uploadId=" + SdkHttpUtils.urlEncode(upload);
    }

    @Override
    public List<String> unfinished(Location object) throws IOException {
        Location bucket = Location.of(URI.create("s3://" + S3Server.bucket(object) + "/"));
        String key = S3Server.key(object);
        String query = "?uploads&prefix=" + SdkHttpUtils.urlEncode(key);
        Answer answer = calls.get(object, () -> URI.create(server.address(bucket) + query), Map.of(), LIST_SIZE_MAX);
        List<Map<String, String>> uploads =
                new ArrayList<>(S3Xml.of(object, require(object, answer).body()).entries("Upload"));
        uploads.removeIf(upload -> !key.equals(upload.get("Key")) || upload.get("UploadId") == null);
        uploads.sort(Comparator.comparing(upload -> upload.getOrDefault("Initiated", "")));
        return uploads.stream().map(upload -> upload.get("UploadId")).toList();
    }

    @Override
    public SortedMap<Integer, String> parts(Location object, String upload) throws IOException {
        SortedMap<Integer, String> parts = new TreeMap<>();
        String marker = "0";
        while (true) {
            String query = "?part-number-marker=" + marker + "&" + id(upload);
            Answer answer =
                    calls.get(object, () -> URI.create(server.address(object) + query), Map.of(), LIST_SIZE_MAX);
            S3Xml list = S3Xml.of(object, require(object, answer).body());
            for (Map<String, String> part : list.entries("Part")) {
                parts.put(Integer.parseInt(part.get("PartNumber")), part.getOrDefault("ETag", ""));
            }
            String next = list.first("NextPartNumberMarker");
            if (!list.first("IsTruncated").equals("true") || next.isEmpty() || next.equals(marker)) {
                return parts;
            }
            marker = next;
        }
    }

    @Override
    public String putPart(Location object, String upload, int number, byte[] bytes) throws IOException {
        String query = "?partNumber=" + number + "&" + id(upload);
        Answer answer = require(object, send(object, "PUT", query, Map.of(), bytes, _ -> null));
        return answer.header("ETag");
    }

    @Override
    public void complete(Location object, String upload, List<String> tags, boolean isNew) throws IOException {
        StringBuilder parts = new StringBuilder("<CompleteMultipartUpload>");
        for (int i = 0; i < tags.size(); i++) {
            parts.append("<Part><PartNumber>").append(i + 1).append("</PartNumber><ETag>");
            parts.append(tags.get(i).replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;"));
            parts.append("</ETag></Part>");
        }
        byte[] body = parts.append("</CompleteMultipartUpload>").toString().getBytes(StandardCharsets.UTF_8);
        String tag = ObjectTags.ofParts(tags);
        for (int number = 1; ; number++) {
            Answer answer =
                    send(object, "POST", "?" + id(upload), isNew ? CREATE_ONLY : Map.of(), body, S3Writer::errorInside);
            if (answer.status() < FIRST_ERROR) {
                return;
            }
            // The upload may be gone because an earlier attempt, whose answer was lost, has completed it.
            Found found = find(object);
            if (found != null && ObjectTags.isSame(found.etag(), tag)) {
                return;
            }
            boolean isRefused = answer.status() == PRECONDITION_FAILED || answer.status() == CONFLICT;
            if (isNew && found != null) {
                throw new FileAlreadyExistsException(object.toString());
            }
            if (!isRefused || number == ATTEMPTS_MAX) {
                throw calls.failure(object, answer);
            }
        }
    }

    /// The server may answer with status 200 and report an error in the body.
    private static String errorInside(Answer answer) {
        S3Error error = S3Error.of(answer);
        return answer.status() == Answer.OK && !error.code().isEmpty()
                ? "the server could not put the parts together: " + error.words()
                : null;
    }

    @Override
    public void abort(Location object, String upload) throws IOException {
        Answer answer = send(object, "DELETE", "?" + id(upload), Map.of(), EMPTY, _ -> null);
        if (!answer.isAbsent()) {
            require(object, answer);
        }
    }

    @Override
    public void delete(Location object) throws IOException {
        Answer answer = send(object, "DELETE", "", Map.of(), EMPTY, _ -> null);
        if (!answer.isAbsent()) {
            require(object, answer);
        }
    }
}

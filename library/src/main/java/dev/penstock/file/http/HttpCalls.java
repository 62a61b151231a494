// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Location;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/// Sends requests and repeats those that failed for a reason that may pass.
///
/// An attempt has a time limit that covers the whole answer, because a server may stall in the middle of it. An
/// interrupt ends the request at once.
///
/// **Threads.** Safe for any number of threads.
public final class HttpCalls {
    /// The answers that a later attempt may improve: time-outs, too many requests, and failures of the server.
    private static final Set<Integer> PASSING = Set.of(408, 429, 500, 502, 503, 504);

    /// Enough for the words of an error.
    private static final int ERROR_SIZE_MAX = 16 << 10;

    private final Server server;
    private final Options options;
    private final HttpClient client;

    /// How long to wait, and how often to try.
    ///
    /// @param attempts the number of attempts
    /// @param timeout  the time limit of one attempt
    /// @param pause    the pause before the second attempt; each further pause is twice as long
    public record Options(int attempts, Duration timeout, Duration pause) {
        public static final Options DEFAULT = new Options(5, Duration.ofSeconds(60), Duration.ofMillis(200));
    }

    HttpCalls(Server server, Options options) {
        this.server = server;
        this.options = options;
        // HTTP/2 would send all requests through one connection, and plain servers know HTTP/1.1 only.
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(server.followsRedirects() ? HttpClient.Redirect.NORMAL : HttpClient.Redirect.NEVER)
                .connectTimeout(options.timeout())
                .build();
    }

    /// Sends a GET request for an object until it is answered.
    Answer get(Location object, Map<String, String> headers, int bodySizeMax) throws IOException {
        return get(object, () -> server.address(object), headers, bodySizeMax);
    }

    /// Sends a GET request until it is answered.
    ///
    /// @param object      the location that errors name
    /// @param address     gives the address for each attempt
    /// @param bodySizeMax the largest number of bytes to receive
    /// @throws IOException when no attempt was answered, or the last answer was a failure of the server
    public Answer get(Location object, Supplier<URI> address, Map<String, String> headers, int bodySizeMax)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            HttpRequest get = request(object, address.get(), headers);
            IOException failure;
            try {
                Answer answer = getOnce(object, get, bodySizeMax);
                if (server.isCorrected(object, answer)) {
                    answer = getOnce(object, request(object, address.get(), headers), bodySizeMax);
                }
                if (!PASSING.contains(answer.status())) {
                    return answer;
                }
                failure = new IOException(words(answer));
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                failure = e;
            }
            if (attempt == options.attempts()) {
                throw new IOException(
                        object + ": no usable answer in " + attempt + " attempts: " + reason(failure), failure);
            }
            pause(attempt);
        }
    }

    private HttpRequest request(Location object, URI address, Map<String, String> headers) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(address).header("Accept-Encoding", "identity");
        server.headers(object, address, headers).forEach(request::header);
        return request.build();
    }

    /// The error for an answer that is not the expected one.
    public IOException failure(Location object, Answer answer) {
        if (answer.isAbsent()) {
            return new NoSuchFileException(object.toString(), null, emptyAsNull(server.reason(answer)));
        }
        if (server.isDenied(answer)) {
            return new AccessDeniedException(object.toString(), null, words(answer));
        }
        return new IOException(object + ": " + words(answer));
    }

    private static String emptyAsNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /// An answer that is a failure, in words.
    private String words(Answer answer) {
        String reason = server.reason(answer);
        return "the server answered with status " + answer.status() + (reason.isEmpty() ? "" : ": " + reason);
    }

    boolean isDenied(Answer answer) {
        return server.isDenied(answer);
    }

    private Answer getOnce(Location object, HttpRequest get, int bodySizeMax) throws IOException {
        CompletableFuture<HttpResponse<LimitedBody.Bytes>> call =
                client.sendAsync(get, head -> new LimitedBody(bodySizeMax(head.statusCode(), bodySizeMax)));
        try {
            HttpResponse<LimitedBody.Bytes> response =
                    call.get(options.timeout().toMillis(), TimeUnit.MILLISECONDS);
            LimitedBody.Bytes body = response.body();
            return new Answer(response.uri(), response.statusCode(), response.headers(), body.bytes(), body.isCut());
        } catch (InterruptedException e) {
            call.cancel(true);
            throw interrupted(object);
        } catch (TimeoutException e) {
            call.cancel(true);
            throw new IOException(
                    "no complete answer within " + options.timeout().toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }

    private static int bodySizeMax(int status, int bodySizeMax) {
        return status < Answer.ERRORS ? bodySizeMax : ERROR_SIZE_MAX;
    }

    /// Waits before the next attempt. Random pauses keep many clients from returning at the same moment.
    private void pause(int attempt) throws InterruptedIOException {
        long longest = options.pause().toMillis() << Math.min(attempt - 1, 10);
        try {
            Thread.sleep(longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted before the next attempt of a request");
        }
    }

    private static InterruptedIOException interrupted(Location object) {
        Thread.currentThread().interrupt();
        return new InterruptedIOException(object + ": the request was interrupted");
    }

    private static String reason(IOException failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}

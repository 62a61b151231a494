// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Location;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

/// One request and its attempts. Everything that it waits for counts towards one time limit: other requests, the
/// answer, and the pauses between attempts.
///
/// **Threads.** One thread.
final class HttpCall {
    /// The answers that a later attempt may improve: time-outs, too many requests, and failures of the server.
    private static final Set<Integer> PASSING = Set.of(408, 429, 500, 502, 503, 504);

    /// The answers that say that there are too many requests.
    private static final Set<Integer> THROTTLED = Set.of(429, 503);

    /// Enough for the words of an error.
    private static final int ERROR_SIZE_MAX = 16 << 10;

    /// How long a host is tried that has never answered: its name may be misspelt.
    private static final Duration UNKNOWN_LIMIT = Duration.ofSeconds(10);

    /// A request that sends bytes has more time: as much as they take at 50 KB/s.
    private static final long SEND_NANOS_PER_BYTE = 20_000;

    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long RETRY_AFTER_MAX_SECONDS = 30;

    private final Server server;
    private final HttpClient client;
    private final HttpCalls.Options options;
    private final Function<URI, Host> hosts;
    private final Location object;
    private final Asked asked;
    private final long start = System.nanoTime();
    private int attempts;
    private IOException failure;
    private long retryAfterNanos;

    /// What is asked for.
    ///
    /// @param body        the bytes to send; empty for most methods
    /// @param address     gives the address for each attempt
    /// @param bodySizeMax the largest number of bytes to receive
    /// @param problem     says in words why an answer has to be asked for again, or returns null
    record Asked(
            String method,
            byte[] body,
            Supplier<URI> address,
            Map<String, String> headers,
            int bodySizeMax,
            Function<Answer, String> problem) {
        private static final String GET = "GET";

        static Asked get(
                Supplier<URI> address, Map<String, String> headers, int bodySizeMax, Function<Answer, String> problem) {
            return new Asked(GET, new byte[0], address, headers, bodySizeMax, problem);
        }

        boolean isGet() {
            return method.equals(GET);
        }
    }

    HttpCall(
            Server server,
            HttpClient client,
            HttpCalls.Options options,
            Function<URI, Host> hosts,
            Location object,
            Asked asked) {
        this.server = server;
        this.client = client;
        this.options = options;
        this.hosts = hosts;
        this.object = object;
        this.asked = asked;
    }

    /// Sends the request until it is answered.
    ///
    /// @throws IOException when there was no usable answer in time
    Answer run() throws IOException {
        while (true) {
            URI address = asked.address().get();
            HttpRequest.Builder request = HttpRequest.newBuilder(address).header("Accept-Encoding", "identity");
            headers(address).forEach(request::header);
            Host host = hosts.apply(address);
            Answer answer = attempt(host, request);
            if (answer != null && !server.isCorrected(object, answer)) {
                return answer;
            }
            if (answer == null) {
                pause(host);
            }
        }
    }

    private Map<String, String> headers(URI address) throws IOException {
        return asked.isGet()
                ? server.headers(object, address, asked.headers())
                : server.headers(object, address, asked.method(), asked.body(), asked.headers());
    }

    /// Returns the answer, or null after a failure that may pass.
    private Answer attempt(Host host, HttpRequest.Builder request) throws IOException {
        if (!acquire(host)) {
            throw givenUp(new IOException("all connections were busy"));
        }
        attempts++;
        try {
            Answer answer = send(host, request);
            String problem = PASSING.contains(answer.status())
                    ? HttpCalls.words(server, answer)
                    : asked.problem().apply(answer);
            if (problem == null) {
                return answer;
            }
            if (THROTTLED.contains(answer.status())) {
                host.throttled();
            }
            retryAfterNanos = answer.retryAfterNanos(RETRY_AFTER_MAX_SECONDS);
            failure = new IOException(problem);
        } catch (InterruptedIOException | SSLHandshakeException | SSLPeerUnverifiedException e) {
            throw e instanceof InterruptedIOException
                    ? e
                    : new IOException(object + ": the server's certificate was refused: " + reason(e), e);
        } catch (IOException e) {
            failure = e;
        } finally {
            host.release();
        }
        return null;
    }

    private boolean acquire(Host host) throws InterruptedIOException {
        try {
            return host.acquire(leftNanos(host));
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private long leftNanos(Host host) {
        Duration limit =
                host.hasAnswered() || options.limit().compareTo(UNKNOWN_LIMIT) < 0 ? options.limit() : UNKNOWN_LIMIT;
        return limit.toNanos() + asked.body().length * SEND_NANOS_PER_BYTE - (System.nanoTime() - start);
    }

    private Answer send(Host host, HttpRequest.Builder request) throws IOException {
        SentBody sent = new SentBody(asked.body());
        Arrival arrival = new Arrival(sent);
        HttpRequest.BodyPublisher bytes = asked.body().length == 0 ? HttpRequest.BodyPublishers.noBody() : sent;
        CompletableFuture<HttpResponse<LimitedBody.Bytes>> call = client.sendAsync(
                request.method(asked.method(), bytes).build(), head -> arrival.body(head, asked.bodySizeMax()));
        HttpResponse<LimitedBody.Bytes> response = await(host, call, arrival);
        host.exists();
        LimitedBody.Bytes body = response.body();
        // An answer to bytes that were sent says nothing about the latency.
        if (response.statusCode() < Answer.ERRORS && asked.isGet()) {
            host.answered(arrival.headNanos(), arrival.bodyNanos(), body.bytes().length);
        }
        return new Answer(response.uri(), response.statusCode(), response.headers(), body.bytes(), body.isCut());
    }

    /// The progress of an answer.
    private static final class Arrival {
        private final SentBody request;
        private final long sent = System.nanoTime();
        private volatile long head;
        private volatile LimitedBody body;

        Arrival(SentBody request) {
            this.request = request;
        }

        LimitedBody body(HttpResponse.ResponseInfo info, int sizeMax) {
            head = System.nanoTime();
            int most = info.statusCode() < Answer.ERRORS ? sizeMax : ERROR_SIZE_MAX;
            body = new LimitedBody(
                    most, info.headers().firstValueAsLong("Content-Length").orElse(0));
            return body;
        }

        /// A number that grows with each part of the request and of the answer.
        long progress() {
            return request.sentBytes() + (body == null ? 0 : 1 + (long) body.received());
        }

        boolean isAnswered() {
            return body != null;
        }

        long received() {
            return body.received();
        }

        long headNanos() {
            return head - sent;
        }

        long bodyNanos() {
            return System.nanoTime() - head;
        }
    }

    private <T> T await(Host host, CompletableFuture<T> call, Arrival arrival) throws IOException {
        long progress = -1;
        while (true) {
            long left = leftNanos(host);
            try {
                return call.get(Math.min(left, options.stall().toNanos()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                call.cancel(true);
                throw interrupted();
            } catch (TimeoutException e) {
                if (arrival.progress() == progress || leftNanos(host) <= 0) {
                    call.cancel(true);
                    throw new IOException(
                            !arrival.isAnswered()
                                    ? "no answer in "
                                            + words(Math.min(
                                                    left, options.stall().toNanos()))
                                    : "the answer stalled after " + arrival.received() + " bytes",
                            e);
                }
                progress = arrival.progress();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
            }
        }
    }

    /// Waits before the next attempt. Random pauses keep many clients from returning at the same moment.
    private void pause(Host host) throws IOException {
        long longest = Math.min(PAUSE_MAX_NANOS, options.pause().toNanos() << Math.min(attempts - 1, 20));
        long random = longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
        long nanos = Math.max(retryAfterNanos, random) + host.takeRetry();
        retryAfterNanos = 0;
        if (attempts == options.attempts() || nanos >= leftNanos(host)) {
            throw givenUp(failure);
        }
        host.report(object, System.nanoTime() - start + nanos, attempts, reason(failure));
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private IOException givenUp(IOException cause) {
        return new IOException(
                object + ": no usable answer in " + words(System.nanoTime() - start) + " and " + attempts
                        + (attempts == 1 ? " attempt: " : " attempts: ") + reason(cause),
                cause);
    }

    private InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException(object + ": the request was interrupted");
    }

    private static String words(long nanos) {
        return nanos < TimeUnit.SECONDS.toNanos(10)
                ? TimeUnit.NANOSECONDS.toMillis(nanos) + " ms"
                : TimeUnit.NANOSECONDS.toSeconds(nanos) + " s";
    }

    private static String reason(Throwable failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}

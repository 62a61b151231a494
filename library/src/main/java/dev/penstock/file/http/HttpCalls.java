// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Location;
import dev.penstock.file.Pace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/// Sends requests and repeats those that failed for a reason that may pass ([HttpCall]). Requests to the same host
/// share what is known about it ([Host]).
///
/// **Threads.** Safe for any number of threads.
public final class HttpCalls {
    private final Server server;
    private final Options options;
    private final HttpClient client;
    private final Map<String, Host> hosts;

    /// Enough for the answer to a request that writes.
    private static final int ANSWER_SIZE_MAX = 1 << 20;

    /// How long to wait.
    ///
    /// @param attempts the largest number of attempts
    /// @param limit    the time limit of a request with all its attempts
    /// @param stall    how long an attempt may be without a byte
    /// @param pause    the pause before the second attempt; each further pause is twice as long, up to 5 s
    public record Options(int attempts, Duration limit, Duration stall, Duration pause) {
        public static final Options DEFAULT =
                new Options(40, Duration.ofSeconds(120), Duration.ofSeconds(20), Duration.ofMillis(100));

        Options withAttempts(int attempts) {
            return new Options(attempts, limit, stall, pause);
        }
    }

    HttpCalls(Server server, Options options) {
        this(server, options, client(server, options), new ConcurrentHashMap<>());
    }

    private HttpCalls(Server server, Options options, HttpClient client, Map<String, Host> hosts) {
        this.server = server;
        this.options = options;
        this.client = client;
        this.hosts = hosts;
    }

    private static HttpClient client(Server server, Options options) {
        // HTTP/2 would send all requests through one connection, and plain servers know HTTP/1.1 only.
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(server.followsRedirects() ? HttpClient.Redirect.NORMAL : HttpClient.Redirect.NEVER)
                .connectTimeout(options.stall())
                .build();
    }

    /// Sends a GET request for an object until it is answered.
    ///
    /// @param bodySizeMax the largest number of bytes to receive
    /// @param problem     says in words why an answer has to be asked for again, or returns null
    /// @throws IOException when there was no usable answer in time
    Answer get(Location object, Map<String, String> headers, int bodySizeMax, Function<Answer, String> problem)
            throws IOException {
        return run(object, HttpCall.Asked.get(() -> server.address(object), headers, bodySizeMax, problem));
    }

    /// Sends a GET request until it is answered.
    ///
    /// @param object      the location that errors name
    /// @param address     gives the address for each attempt
    /// @param bodySizeMax the largest number of bytes to receive
    /// @throws IOException when there was no usable answer in time
    public Answer get(Location object, Supplier<URI> address, Map<String, String> headers, int bodySizeMax)
            throws IOException {
        return run(object, HttpCall.Asked.get(address, headers, bodySizeMax, _ -> null));
    }

    /// Sends a request with another method until it is answered.
    ///
    /// @param body    the bytes to send; may be empty
    /// @param problem says in words why the request has to be sent again, or returns null
    /// @throws IOException when there was no usable answer in time
    public Answer send(
            Location object,
            String method,
            Supplier<URI> address,
            Map<String, String> headers,
            byte[] body,
            Function<Answer, String> problem)
            throws IOException {
        return run(object, new HttpCall.Asked(method, body, address, headers, ANSWER_SIZE_MAX, problem));
    }

    /// Calls that are sent once. The caller finds out what became of one that was not answered.
    public HttpCalls once() {
        return new HttpCalls(server, options.withAttempts(1), client, hosts);
    }

    private Answer run(Location object, HttpCall.Asked asked) throws IOException {
        return new HttpCall(server, client, options, this::host, object, asked).run();
    }

    private Host host(URI address) {
        return hosts.computeIfAbsent(address.getScheme() + "://" + address.getRawAuthority(), _ -> new Host());
    }

    /// The sizes of requests for an object that follow from the speed of its host.
    Pace pace(Location object) {
        return host(server.address(object)).pace();
    }

    /// The error for an answer that is not the expected one.
    public IOException failure(Location object, Answer answer) {
        if (answer.isAbsent()) {
            String reason = server.reason(answer);
            return new NoSuchFileException(object.toString(), null, reason.isEmpty() ? null : reason);
        }
        if (server.isDenied(answer)) {
            return new AccessDeniedException(object.toString(), null, words(server, answer));
        }
        return new IOException(object + ": " + words(server, answer));
    }

    /// An answer that is a failure, in words.
    static String words(Server server, Answer answer) {
        String reason = server.reason(answer);
        return "the server answered with status " + answer.status() + (reason.isEmpty() ? "" : ": " + reason);
    }

    boolean isDenied(Answer answer) {
        return server.isDenied(answer);
    }
}

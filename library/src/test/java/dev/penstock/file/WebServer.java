// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/// A web server on the loopback interface whose files are those of a [MemoryStorage]. It answers ranges, versions
/// and index pages like usual servers, and lacks some of these or fails when a test says so.
public final class WebServer implements AutoCloseable {
    private final MemoryStorage content;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<Lack> lacks = EnumSet.noneOf(Lack.class);
    private final AtomicInteger requests = new AtomicInteger();
    private volatile Fault fault = (exchange, number) -> false;

    /// What some servers cannot do.
    public enum Lack {
        RANGES,
        ETAGS,
        /// Answers have an ETag but `If-Match` is ignored.
        IF_MATCH,
        INDEX_PAGES,
        /// The requests for folders are not redirected to the name with a slash, as in object storage.
        FOLDERS
    }

    /// Answers some requests differently.
    @FunctionalInterface
    public interface Fault {
        /// @param number of the request, from 1
        /// @return whether the request is answered
        boolean isAnswered(HttpExchange exchange, int number) throws IOException;
    }

    private WebServer(MemoryStorage content, HttpServer server) {
        this.content = content;
        this.server = server;
    }

    public static WebServer serve(MemoryStorage content, Lack... lacks) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        WebServer web = new WebServer(content, server);
        web.lacks.addAll(List.of(lacks));
        server.createContext("/", web::answer);
        server.setExecutor(web.threads);
        server.start();
        return web;
    }

    /// The address of an object on the server.
    public Location at(Location object) {
        InetSocketAddress address = server.getAddress();
        String host = "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
        return Location.of(URI.create(host + object.uri().getRawPath()));
    }

    /// Lets a test answer requests from now on; they are counted from 1 again.
    public void fail(Fault fault) {
        requests.set(0);
        this.fault = fault;
    }

    public int requestCount() {
        return requests.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!fault.isAnswered(exchange, requests.incrementAndGet())) {
                answerPath(exchange, exchange.getRequestURI().getRawPath());
            }
        }
    }

    private void answerPath(HttpExchange exchange, String path) throws IOException {
        Location object = Location.of(MemoryStorage.ROOT.uri().resolve(path));
        List<Location> names = content.list(object);
        if (path.endsWith("/")) {
            answerFolder(exchange, names);
        } else if (!names.isEmpty() && !lacks.contains(Lack.FOLDERS)) {
            exchange.getResponseHeaders().set("Location", path + "/");
            send(exchange, 301, new byte[0]);
        } else {
            answerFile(exchange, object);
        }
    }

    private void answerFolder(HttpExchange exchange, List<Location> names) throws IOException {
        if (names.isEmpty() || lacks.contains(Lack.INDEX_PAGES)) {
            send(exchange, names.isEmpty() ? 404 : 403, new byte[0]);
            return;
        }
        String links = names.stream()
                .map(name -> "<li><a href=\""
                        + URI.create(name.toString()).getRawPath().replaceFirst(".*/", "") + "\">x</a>")
                .collect(Collectors.joining("\n", "<html><a href=\"../\">up</a><a href=\"?C=N\">order</a>", "</html>"));
        exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        send(exchange, 200, links.getBytes(StandardCharsets.UTF_8));
    }

    private void answerFile(HttpExchange exchange, Location object) throws IOException {
        byte[] bytes;
        try {
            bytes = new byte[Math.toIntExact(content.size(object))];
            content.read(object, 0, MemorySegment.ofArray(bytes));
        } catch (NoSuchFileException e) {
            send(exchange, 404, "absent".getBytes(StandardCharsets.UTF_8));
            return;
        }
        String etag = "\"" + Integer.toHexString(Arrays.hashCode(bytes)) + "\"";
        if (!lacks.contains(Lack.ETAGS)) {
            exchange.getResponseHeaders().set("ETag", etag);
        }
        String wanted = exchange.getRequestHeaders().getFirst("If-Match");
        if (wanted != null && !wanted.equals(etag) && !lacks.contains(Lack.IF_MATCH)) {
            send(exchange, 412, new byte[0]);
            return;
        }
        String range = exchange.getRequestHeaders().getFirst("Range");
        if (range == null || lacks.contains(Lack.RANGES)) {
            send(exchange, 200, bytes);
        } else {
            sendRange(exchange, bytes, range.substring("bytes=".length()).split("-"));
        }
    }

    private static void sendRange(HttpExchange exchange, byte[] bytes, String[] range) throws IOException {
        int first = Integer.parseInt(range[0]);
        int limit = Math.min(bytes.length, Integer.parseInt(range[1]) + 1);
        if (first >= bytes.length) {
            exchange.getResponseHeaders().set("Content-Range", "bytes */" + bytes.length);
            send(exchange, 416, new byte[0]);
            return;
        }
        String here = "bytes " + first + "-" + (limit - 1) + "/" + bytes.length;
        exchange.getResponseHeaders().set("Content-Range", here);
        send(exchange, 206, Arrays.copyOfRange(bytes, first, limit));
    }

    /// Sends an answer.
    public static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        OutputStream out = exchange.getResponseBody();
        out.write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}

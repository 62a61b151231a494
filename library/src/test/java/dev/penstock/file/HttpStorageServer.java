// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/// A store over HTTP with range requests, and the server that answers them from a [MemoryStorage] on the loopback
/// interface. A folder is listed by its name with a slash behind it.
public final class HttpStorageServer implements Storage, AutoCloseable {
    private static final int OK = 200;
    private static final int PARTIAL = 206;
    private static final int NOT_FOUND = 404;

    private final MemoryStorage content;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client = HttpClient.newHttpClient();

    private HttpStorageServer(MemoryStorage content, HttpServer server) {
        this.content = content;
        this.server = server;
    }

    public static HttpStorageServer serve(MemoryStorage content) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        HttpStorageServer store = new HttpStorageServer(content, server);
        server.createContext("/", store::answer);
        server.setExecutor(store.threads);
        server.start();
        return store;
    }

    /// The address of an object on the server.
    public Location at(Location object) {
        InetSocketAddress address = server.getAddress();
        String host = "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
        return Location.of(URI.create(host + object.uri().getRawPath()));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try {
            String path = exchange.getRequestURI().getRawPath();
            Location object = Location.of(MemoryStorage.ROOT.uri().resolve(path));
            if (path.endsWith("/")) {
                String names = content.list(object).stream().map(Location::name).collect(Collectors.joining("\n"));
                send(exchange, OK, names.getBytes(StandardCharsets.UTF_8));
            } else if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().set("Content-Length", Long.toString(content.size(object)));
                exchange.sendResponseHeaders(OK, -1);
            } else {
                String[] range = exchange.getRequestHeaders()
                        .getFirst("Range")
                        .substring("bytes=".length())
                        .split("-");
                long first = Long.parseLong(range[0]);
                byte[] bytes = new byte[(int) (Long.parseLong(range[1]) - first + 1)];
                content.read(object, first, MemorySegment.ofArray(bytes));
                send(exchange, PARTIAL, bytes);
            }
        } catch (NoSuchFileException e) {
            exchange.sendResponseHeaders(NOT_FOUND, -1);
        } finally {
            exchange.close();
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public List<Location> list(Location folder) throws IOException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(folder + "/")).GET().build();
        String names = new String(send(request, OK).body(), StandardCharsets.UTF_8);
        return names.lines().map(folder::resolve).toList();
    }

    @Override
    public long size(Location object) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(object.uri()).HEAD().build();
        return send(request, OK).headers().firstValueAsLong("Content-Length").orElseThrow();
    }

    @Override
    public long read(Location object, long offset, MemorySegment target) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(object.uri())
                .header("Range", "bytes=" + offset + "-" + (offset + target.byteSize() - 1))
                .build();
        byte[] body = send(request, PARTIAL).body();
        MemorySegment.copy(MemorySegment.ofArray(body), 0, target, 0, body.length);
        return body.length;
    }

    private HttpResponse<byte[]> send(HttpRequest request, int expected) throws IOException {
        try {
            HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
            if (response.statusCode() == NOT_FOUND) {
                throw new NoSuchFileException(request.uri().toString());
            }
            if (response.statusCode() != expected) {
                throw new IOException("the server answered with status " + response.statusCode());
            }
            return response;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the server");
        }
    }

    @Override
    public void close() {
        client.close();
        server.stop(0);
        threads.close();
    }
}

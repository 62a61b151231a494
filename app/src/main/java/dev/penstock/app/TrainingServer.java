// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// Serves the files of a folder on the loopback interface, as a bucket and as a web server, for [Training].
record TrainingServer(HttpServer server, Path folder) implements AutoCloseable {
    /// Starts a server, and makes it the S3 of this process. The credentials are of no use elsewhere.
    static TrainingServer start(Path folder) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        TrainingServer server = new TrainingServer(http, folder);
        http.createContext("/", server::answer);
        http.start();
        System.setProperty("aws.endpointUrlS3", server.address());
        System.setProperty("aws.accessKeyId", "training");
        System.setProperty("aws.secretAccessKey", "training");
        return server;
    }

    String address() {
        InetSocketAddress address = server.getAddress();
        return "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String range = exchange.getRequestHeaders().getFirst("Range");
            if (range == null) {
                send(exchange, 200, "<ListBucketResult/>".getBytes(StandardCharsets.UTF_8));
                return;
            }
            String name = exchange.getRequestURI().getPath().replaceFirst(".*/", "");
            byte[] bytes = Files.readAllBytes(folder.resolve(name));
            String[] bounds = range.substring("bytes=".length()).split("-");
            int first = Integer.parseInt(bounds[0]);
            int limit = Math.min(bytes.length, Integer.parseInt(bounds[1]) + 1);
            String part = "bytes " + first + "-" + (limit - 1) + "/" + bytes.length;
            exchange.getResponseHeaders().set("Content-Range", part);
            exchange.getResponseHeaders().set("ETag", "\"1\"");
            send(exchange, 206, Arrays.copyOfRange(bytes, first, limit));
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

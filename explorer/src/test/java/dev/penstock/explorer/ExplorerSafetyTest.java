// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Nobody but the user reads the data, and data never becomes a page.
final class ExplorerSafetyTest {
    @TempDir
    Path folder;

    private Served served;

    @BeforeEach
    void start() throws IOException {
        served = Served.of(Served.table(folder.resolve("t.npy"), 100));
    }

    @AfterEach
    void stop() {
        served.close();
    }

    /// Sends bytes as they are and returns the whole answer, or nothing when the server closes the connection.
    private String raw(String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", served.url().getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            socket.shutdownOutput();
            try (InputStream in = socket.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (SocketException e) {
            return "";
        }
    }

    private String withHeaders(String path, String headers) throws IOException {
        return raw("GET " + path + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n");
    }

    @Test
    void withoutTheTokenNothingIsRead() throws IOException {
        String token = served.url().getPath();
        assertEquals(34, token.length(), "24 random bytes between two slashes");
        for (String path : List.of("/", "/overview", "/x" + token.substring(2) + "overview", token.substring(0, 33))) {
            String answer = withHeaders(path, "Host: 127.0.0.1:" + served.url().getPort() + "\r\n");
            assertTrue(answer.startsWith("HTTP/1.1 403"), path + ": " + answer);
            assertFalse(answer.contains("t.npy"), answer);
        }
        assertEquals(200, served.get("overview").statusCode());
    }

    @Test
    void twoServersHaveTwoTokens() throws IOException {
        try (Served other = Served.of(folder.resolve("t.npy"))) {
            assertFalse(other.url().getPath().equals(served.url().getPath()));
        }
    }

    @Test
    void onlyNamesOfThisMachineAreAnswered() throws IOException {
        String path = served.url().getPath() + "overview?format=json";
        for (String host : List.of("127.0.0.1", "localhost", "LOCALHOST", "[::1]", "localhost:9999", "127.0.0.1:1")) {
            assertTrue(withHeaders(path, "Host: " + host + "\r\n").startsWith("HTTP/1.1 200"), host);
        }
        for (String host :
                List.of("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "127.0.0.2")) {
            assertTrue(withHeaders(path, "Host: " + host + "\r\n").startsWith("HTTP/1.1 421"), host);
        }
        assertTrue(withHeaders(path, "").startsWith("HTTP/1.1 421"), "no host");
    }

    @Test
    void pagesOfOtherSitesAreNotAnswered() throws IOException {
        String path = served.url().getPath() + "overview?format=json";
        String host = "127.0.0.1:" + served.url().getPort();
        for (String origin :
                List.of("http://evil.example", "null", "https://" + host, "http://127.0.0.1:1", "http://localhost")) {
            String answer = withHeaders(path, "Host: " + host + "\r\nOrigin: " + origin + "\r\n");
            assertTrue(answer.startsWith("HTTP/1.1 403"), origin + ": " + answer);
        }
        assertTrue(withHeaders(path, "Host: " + host + "\r\nOrigin: http://" + host + "\r\n")
                .startsWith("HTTP/1.1 200"));
    }

    @Test
    void everyAnswerHasTheStrictHeaders() throws IOException {
        for (String path :
                List.of("overview", "overview?format=json", "assets/app.js", "nothing", "assets/../Explorer.class")) {
            HttpResponse<String> response = served.get(path);
            String policy =
                    response.headers().firstValue("Content-Security-Policy").orElse("");
            assertTrue(
                    policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self';"),
                    path + ": " + policy);
            assertTrue(policy.endsWith("frame-ancestors 'none'"), policy);
            assertFalse(policy.contains("unsafe"), policy);
            assertEquals(
                    "nosniff",
                    response.headers().firstValue("X-Content-Type-Options").orElse(""),
                    path);
            assertEquals(
                    "no-referrer",
                    response.headers().firstValue("Referrer-Policy").orElse(""),
                    path);
            assertEquals(
                    "same-origin",
                    response.headers()
                            .firstValue("Cross-Origin-Resource-Policy")
                            .orElse(""),
                    path);
        }
    }

    @Test
    void aRequestLeadsToNoOtherFile() throws IOException {
        Files.writeString(folder.resolve("secret.txt"), "secret");
        Served.table(folder.resolve("other.npy"), 3);
        for (String path : List.of(
                "assets/../../../../secret.txt",
                "assets/%2e%2e/index.html",
                "assets//etc/passwd",
                "assets/index.html",
                "value/../x")) {
            String answer = withHeaders(served.url().getPath() + path, "Host: localhost\r\n");
            assertTrue(answer.startsWith("HTTP/1.1 404"), path + ": " + answer);
        }
        for (String id : List.of(
                "other.npy", "../t.npy", folder.resolve("other.npy").toString(), "/etc/passwd", "t.npy/../other.npy")) {
            HttpResponse<String> response = served.get("overview?format=json&dataset=" + Served.encoded(id));
            assertEquals(400, response.statusCode(), id);
        }
    }

    @Test
    void onlyPostStartsWork() throws IOException {
        String search = "records?dataset=t.npy&where=id%3D%3D1";
        for (String path : List.of("verify?dataset=t.npy", search)) {
            assertEquals(200, served.post(path).statusCode(), path);
        }
        assertEquals(404, served.get("verify?dataset=t.npy").statusCode());
        assertTrue(served.get(search).body().startsWith("<!DOCTYPE html>"), "the page itself searches nothing");
        assertEquals(404, served.post("overview?format=json").statusCode());
        for (String method : List.of("PUT", "DELETE", "PATCH", "OPTIONS")) {
            HttpRequest request = served.request("overview")
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .build();
            assertEquals(405, served.send(request).statusCode(), method);
        }
    }

    @Test
    void bodiesAndOverlongRequestsAreRefused() throws IOException {
        HttpRequest body = served.request("verify?dataset=t.npy")
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        assertEquals(413, served.send(body).statusCode());
        String path = served.url().getPath() + "overview";
        String host = "Host: localhost\r\n";
        String manyHeaders = withHeaders(
                path,
                host
                        + IntStream.range(0, 200)
                                .mapToObj(i -> "A" + i + ": b\r\n")
                                .collect(Collectors.joining()));
        assertFalse(manyHeaders.startsWith("HTTP/1.1 200"), manyHeaders);
        String longHeader = withHeaders(path, host + "A: " + "b".repeat(1 << 20) + "\r\n");
        assertFalse(longHeader.startsWith("HTTP/1.1 200"), longHeader);
        assertEquals(200, served.get("overview").statusCode(), "the server goes on");
    }

    @Test
    void badParametersAreRefusedWithAMessage() throws IOException {
        for (String query : List.of(
                "records?format=json&dataset=t.npy&start=-1",
                "records?format=json&dataset=t.npy&count=100000",
                "records?format=json&dataset=t.npy&start=x",
                "records?format=json&dataset=t.npy&seed=x",
                "records?format=json&dataset=t.npy&fields=nothing",
                "records?format=json&dataset=t.npy&where=%28",
                "records?format=json&dataset=t.npy&dataset=t.npy",
                "records?format=json",
                "record?format=json&dataset=t.npy&index=100",
                "record?format=json&dataset=t.npy&index=-1",
                "value?dataset=t.npy&index=0&field=nothing")) {
            HttpResponse<String> response = served.get(query);
            assertEquals(400, response.statusCode(), query);
            assertTrue(response.body().startsWith("{\"error\":{\"kind\":\"usage\","), response.body());
        }
    }

    @Test
    void aStoppedServerAnswersNothing() {
        served.explorer().close();
        assertThrows(IOException.class, () -> served.get("overview"));
    }
}

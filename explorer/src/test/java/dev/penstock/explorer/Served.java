// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.catalog.Catalog;
import dev.penstock.file.Json;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A running explorer, and requests to it.
record Served(Shelf shelf, Explorer explorer, HttpClient client) implements AutoCloseable {
    private static final RowType ROW = RowType.of(DType.parse("[('id', '<u8'), ('kind', '<u8'), ('weight', '<f8')]"));

    static Served of(Path... paths) throws IOException {
        Shelf shelf = Shelf.of(Stream.of(paths).map(Location::of).toList(), Catalog.Options.DEFAULT);
        return new Served(shelf, Explorer.start(shelf, Explorer.Options.DEFAULT), HttpClient.newHttpClient());
    }

    /// Row `i` has `id` i and `kind` i modulo 4.
    static Path table(Path path, int rowCount) throws IOException {
        try (TableWriter writer = TableWriter.create(path, ROW, TableWriter.Options.DEFAULT)) {
            MemorySegment rows = MemorySegment.ofArray(new byte[Math.toIntExact(rowCount * ROW.size())]);
            for (long row = 0; row < rowCount; row++) {
                rows.set(Layouts.U64, row * ROW.size(), row);
                rows.set(Layouts.U64, row * ROW.size() + 8, row % 4);
            }
            writer.append(rows);
        }
        return path;
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    HttpRequest.Builder request(String relative) {
        return HttpRequest.newBuilder(explorer.url().resolve(relative));
    }

    HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    HttpResponse<String> get(String relative) throws IOException {
        return send(request(relative).build());
    }

    HttpResponse<String> post(String relative) throws IOException {
        return send(request(relative).POST(HttpRequest.BodyPublishers.noBody()).build());
    }

    /// The JSON of a page.
    Map<?, ?> json(String relative) throws IOException {
        String separator = relative.contains("?") ? "&" : "?";
        HttpResponse<String> response = get(relative + separator + "format=json");
        if (response.statusCode() != 200) {
            throw new IOException(response.statusCode() + ": " + response.body());
        }
        return (Map<?, ?>) Json.parse(response.body().getBytes(StandardCharsets.UTF_8));
    }

    /// The lines of an answer with progress, parsed.
    static List<Map<?, ?>> lines(HttpResponse<String> response) {
        return response.body()
                .lines()
                .<Map<?, ?>>map(line -> (Map<?, ?>) Json.parse(line.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    URI url() {
        return explorer.url();
    }

    @Override
    public void close() {
        client.close();
        explorer.close();
        shelf.close();
    }
}

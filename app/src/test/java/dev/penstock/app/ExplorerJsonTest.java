// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.explorer.Explorer;
import dev.penstock.explorer.Shelf;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.loader.LoaderState;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The JSON of the pages has the same numbers as the commands print with `--json`.
@Tag("full")
final class ExplorerJsonTest {
    private static final List<String> FORMATS =
            List.of("table.npy", "photos.a2pack", "table.store", "grouped", "runs.a2pack", "steps");

    @TempDir
    static Path folder;

    private static Path data;
    private static Shelf shelf;
    private static Explorer explorer;
    private static HttpClient client;

    @BeforeAll
    static void start() throws IOException {
        data = ExplorerData.write(folder);
        shelf = Shelf.of(List.of(Location.of(data)), Catalog.Options.DEFAULT);
        explorer = Explorer.start(shelf, Explorer.Options.DEFAULT);
        client = HttpClient.newHttpClient();
    }

    @AfterAll
    static void stop() {
        client.close();
        explorer.close();
        shelf.close();
    }

    private static Map<?, ?> command(Object... words) {
        CommandRun run = CommandRun.of(
                Stream.concat(Stream.of(words), Stream.of("--json")).toArray());
        assertEquals(0, run.exitCode(), run.err());
        return (Map<?, ?>) Json.parse(run.outBytes());
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static Map<?, ?> parse(String text) {
        return (Map<?, ?>) Json.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<?, ?> page(String page, String name, String more) throws Exception {
        String query = page + "?format=json&dataset=data/" + name.replace("#", "%23") + more;
        HttpResponse<String> response =
                send(HttpRequest.newBuilder(explorer.url().resolve(query)));
        assertEquals(200, response.statusCode(), query + ": " + response.body());
        return parse(response.body());
    }

    @Test
    void theOverviewIsThatOfInfo() throws Exception {
        for (String name : FORMATS) {
            assertEquals(
                    command("info", data.resolve(name)),
                    page("overview", name, "").get("info"),
                    name);
        }
    }

    @Test
    void theReportIsThatOfVerify() throws Exception {
        for (String name : FORMATS) {
            String answer = send(HttpRequest.newBuilder(explorer.url().resolve("verify?dataset=data/" + name))
                            .POST(HttpRequest.BodyPublishers.noBody()))
                    .body();
            Map<?, ?> report =
                    (Map<?, ?>) parse(answer.lines().toList().getLast()).get("result");
            assertEquals(command("verify", data.resolve(name)), report, name);
        }
    }

    @Test
    void theFieldsAreThoseOfStats() throws Exception {
        for (String name : FORMATS) {
            Map<?, ?> page = page("fields", name, "&sample=0");
            assertEquals(true, page.get("exact"));
            assertEquals(
                    rounded(command("stats", data.resolve(name), "--values", "--as", "bytes")),
                    rounded(page.get("stats")),
                    name);
        }
        Map<?, ?> steps = page("fields", "runs.a2pack#steps", "&sample=0");
        assertEquals(
                rounded(command("stats", data.resolve("runs.a2pack"), "--values", "--as", "steps")),
                rounded(steps.get("stats")));
    }

    /// Without the last digits of means, which depend on how the records are divided among threads.
    private static Object rounded(Object json) {
        return switch (json) {
            case Double number ->
                new BigDecimal(number).round(new MathContext(12)).doubleValue();
            case List<?> list -> list.stream().map(ExplorerJsonTest::rounded).toList();
            case Map<?, ?> map -> {
                Map<Object, Object> rounded = new LinkedHashMap<>();
                map.forEach((key, value) -> rounded.put(key, rounded(value)));
                yield rounded;
            }
            case null, default -> json;
        };
    }

    @Test
    void aRecordIsThatOfGet() throws Exception {
        for (String name : List.of("table.npy", "photos.a2pack", "table.store", "grouped")) {
            assertEquals(
                    command("get", data.resolve(name), 3),
                    page("record", name, "&index=3").get("record"),
                    name);
        }
    }

    @Test
    void theMatchesAreThoseOfSelect() throws Exception {
        Map<?, ?> page = page("records", "table.npy", "&count=200&where=" + encoded("label == 3 and id < 500"));
        Path output = folder.resolve("selected.npy");
        command("select", data.resolve("table.npy"), "--where", "label == 3 and id < 500", "--output", output);
        try (Dataset selected = Catalog.open(output)) {
            assertEquals(selected.count(), ((Map<?, ?>) page.get("filter")).get("matches"));
        }
    }

    @Test
    void theOrderIsThatOfPlan() throws Exception {
        for (String name : List.of("table.npy", "photos.a2pack")) {
            Map<?, ?> page = page("order", name, "&batch=16&seed=7&world=2&rank=1&epoch=1&step=2&memory=1g&record=5");
            Object[] words = {
                "plan",
                data.resolve(name),
                "--batch",
                16,
                "--seed",
                7,
                "--world",
                2,
                "--rank",
                1,
                "--epoch",
                1,
                "--memory",
                "1g"
            };
            assertEquals(
                    command(Stream.concat(Stream.of(words), Stream.of("--step", 2))
                            .toArray()),
                    page.get("plan"));
            assertEquals(
                    command(Stream.concat(Stream.of(words), Stream.of("--record", 5))
                            .toArray()),
                    page.get("place"));
        }
    }

    @Test
    void theRunIsThatOfHistory() throws Exception {
        Path table = data.resolve("table.npy");
        String state;
        try (Dataset dataset = Catalog.open(table)) {
            state = new LoaderState(dataset.fingerprint(), dataset.count(), "permutation", Map.of("seed", 3L), 1, 5120)
                    .withSteps(64, 4, false, true)
                    .toJson();
        }
        Path checkpoint = Files.writeString(folder.resolve("state.json"), state);
        Map<?, ?> page = page("history", "table.npy", "&step=90&record=5&checkpoint=" + encoded(state));
        assertEquals(command("history", checkpoint, "--step", 90).get("steps"), page.get("steps"));
        assertEquals(command("history", checkpoint, "--record", 5).get("places"), page.get("places"));
        assertEquals(command("history", checkpoint), page.get("checkpoint"));
    }

    @Test
    void theSpaceIsThatOfStoreStats() throws Exception {
        Map<?, ?> stats = (Map<?, ?>) page("store", "table.store", "").get("stats");
        Map<?, ?> printed = command("store", "stats", data.resolve("table.store"));
        stats.forEach((key, value) -> assertEquals(printed.get(key), value, key.toString()));
        assertEquals(printed.size() - 1, stats.size());
    }

    @Test
    void aStoredRunLeadsToItsDecodedForm() throws Exception {
        Map<?, ?> record = page("record", "runs.a2pack", "&index=1");
        assertTrue(((Map<?, ?>) record.get("facts")).containsKey("highest_tile"), record.toString());
        assertEquals(Map.of("dataset", "data/runs.a2pack#runs", "index", 1L), record.get("detail"));
        Map<?, ?> run = page("record", "runs.a2pack#runs", "&index=1");
        assertTrue(run.toString().contains("boards"));
    }

    @Test
    void aGroupHasItsRowsAndARowItsGroup() throws Exception {
        Map<?, ?> group = page("record", "steps#groups", "&index=1");
        Map<?, ?> rows = (Map<?, ?>) group.get("rows");
        assertEquals("data/steps", rows.get("dataset"));
        long start = (Long) rows.get("start");
        Map<?, ?> page = page("records", "steps", "&group=1&count=1");
        assertEquals((Long) rows.get("limit") - start, page.get("rowCount"));
        assertEquals(start, ((Map<?, ?>) ((List<?>) page.get("rows")).getFirst()).get("index"));
        Map<?, ?> row = page("record", "steps", "&index=" + start);
        assertEquals(1L, ((Map<?, ?>) row.get("group")).get("index"));
        assertNotNull(((Map<?, ?>) row.get("group")).get("attributes"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}

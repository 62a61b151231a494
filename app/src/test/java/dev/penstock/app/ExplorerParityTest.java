// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.catalog.Catalog;
import dev.penstock.explorer.Explorer;
import dev.penstock.explorer.Shelf;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The pages of the explorer have the numbers of the command line.
@Tag("full")
final class ExplorerParityTest {
    @TempDir
    static Path folder;

    private static Path data;
    private static Shelf shelf;
    private static Explorer explorer;
    private static List<String> ids;

    @BeforeAll
    static void start() throws IOException {
        data = ExplorerData.write(folder);
        shelf = Shelf.of(List.of(Location.of(data)), Catalog.Options.DEFAULT);
        explorer = Explorer.start(shelf, Explorer.Options.DEFAULT);
        ids = new ArrayList<>();
        for (Object dataset : (List<?>) page("overview?").get("datasets")) {
            ids.add(((Map<?, ?>) dataset).get("id").toString());
        }
    }

    @AfterAll
    static void stop() {
        explorer.close();
        shelf.close();
    }

    private static byte[] answer(String method, String relative) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) explorer.url().resolve(relative).toURL().openConnection();
        connection.setRequestMethod(method);
        try (InputStream in = connection.getInputStream()) {
            return in.readAllBytes();
        }
    }

    private static Map<?, ?> page(String relative) throws IOException {
        return (Map<?, ?>) Json.parse(answer("GET", relative + "&format=json"));
    }

    private static Map<?, ?> work(String relative) throws IOException {
        String lines = new String(answer("POST", relative), StandardCharsets.UTF_8);
        String last = lines.lines().reduce((before, line) -> line).orElseThrow();
        return (Map<?, ?>) ((Map<?, ?>) Json.parse(last.getBytes(StandardCharsets.UTF_8))).get("result");
    }

    private static Object command(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return Json.parse(run.out().strip().getBytes(StandardCharsets.UTF_8));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static Path path(String id) {
        return folder.resolve(id);
    }

    @Test
    void everyDatasetOfTheFolderIsListed() {
        assertEquals(
                List.of(
                        "data/billion.npy",
                        "data/clips.npy",
                        "data/digits.npy",
                        "data/grouped",
                        "data/mixed.a2pack",
                        "data/names.act",
                        "data/photos.a2pack",
                        "data/runs.a2pack",
                        "data/steps",
                        "data/table.npy",
                        "data/table.store",
                        "data/tokens.npy"),
                ids);
    }

    @Test
    void overviewIsInfo() throws IOException {
        for (String id : ids) {
            assertEquals(
                    command("info", path(id), "--json"),
                    page("overview?dataset=" + encoded(id)).get("info"),
                    id);
        }
    }

    @Test
    void verificationIsVerify() throws IOException {
        for (String id : ids) {
            if (!id.contains("billion")) {
                assertEquals(command("verify", path(id), "--json"), work("verify?dataset=" + encoded(id)), id);
            }
        }
    }

    @Test
    void recordIsGet() throws IOException {
        for (String id : ids) {
            if (!id.endsWith(".act")) {
                Map<?, ?> record = page("record?index=1&dataset=" + encoded(id));
                assertEquals(command("get", path(id), 1, "--json"), record.get("record"), id);
            }
        }
    }

    @Test
    void filterIsHeadWithACondition() throws IOException {
        for (String id : List.of("data/table.npy", "data/table.store", "data/grouped")) {
            String condition = "label == 3 and weight > 0.5";
            List<?> head = (List<?>) command("head", path(id), "--where", condition, "-n", 100_000, "--json");
            Map<?, ?> found = page("records?count=200&dataset=" + encoded(id) + "&where=" + encoded(condition));
            assertEquals((long) head.size(), ((Map<?, ?>) found.get("filter")).get("matches"), id);
            List<?> rows = (List<?>) found.get("rows");
            assertEquals(200, rows.size());
            for (int i = 0; i < rows.size(); i++) {
                Map<?, ?> row = (Map<?, ?>) rows.get(i);
                assertEquals(((Map<?, ?>) head.get(i)).get("index"), row.get("index"));
                assertEquals(((Map<?, ?>) head.get(i)).get("size"), row.get("size"));
            }
        }
    }

    @Test
    void shuffledRowsAreThoseOfPlan() throws IOException {
        Map<?, ?> plan = (Map<?, ?>) command("plan", path("data/table.npy"), "--seed", 7, "--batch", 50, "--json");
        List<?> rows =
                (List<?>) page("records?dataset=data/table.npy&seed=7&count=50").get("rows");
        assertEquals(
                plan.get("indices"),
                rows.stream().map(row -> ((Map<?, ?>) row).get("index")).toList());
    }

    @Test
    void serveNeedsADataset() {
        CommandRun run = CommandRun.of("serve", folder.resolve("photos"), "--no-browser");
        assertEquals(Failures.USAGE, run.exitCode());
        assertTrue(run.err().contains("there is no dataset in"), run.err());
        CommandRun absent = CommandRun.of("serve", folder.resolve("nothing"), "--no-browser");
        assertEquals(Failures.DISK, absent.exitCode(), absent.err());
    }
}

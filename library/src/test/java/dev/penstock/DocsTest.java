// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Layouts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemoryLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The documentation pages match the code.
final class DocsTest {
    /// The pages about the Python package, whose names and code are checked by its own tests.
    private static final List<String> PYTHON_PAGES =
            List.of("docs/python.md", "docs/python-sources.md", "docs/loaderx.md", "python/README.md");

    private static final List<String> PAGES = pages();

    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)\\)");
    private static final Pattern CLASS_NAME = Pattern.compile("[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+");

    /// Names of the platform and its libraries that the pages mention.
    private static final Set<String> FOREIGN = Set.of(
            "DeprecationWarning",
            "TypeError",
            "ValueError",
            "UnsupportedVersionError",
            "InternalError",
            "IOException",
            "InterruptedIOException",
            "IllegalStateException",
            "IllegalArgumentException",
            "OutOfMemoryError",
            "MemorySegment",
            "StructLayout",
            "HashMap",
            "TreeMap",
            "DataLoader",
            "StatefulDataLoader",
            "IterableDataset",
            "JUnit",
            "SerialGC");

    /// The pages in the root and in `docs`, without the pages about the Python package.
    private static List<String> pages() {
        try (Stream<Path> root = Files.list(Project.root());
                Stream<Path> docs = Files.walk(Project.root().resolve("docs"))) {
            return Stream.concat(root, docs)
                    .map(file -> Project.root().relativize(file).toString())
                    .filter(name -> name.endsWith(".md") && !PYTHON_PAGES.contains(name))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> ownClassNames() {
        return Project.sources().stream()
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toSet());
    }

    @Test
    void classesThatThePagesNameExist() {
        Set<String> own = ownClassNames();
        List<String> unknown = new ArrayList<>();
        for (String page : PAGES) {
            for (String name : classNames(Project.read(Path.of(page)))) {
                if (!own.contains(name) && !FOREIGN.contains(name)) {
                    unknown.add(page + " names " + name);
                }
            }
        }
        assertEquals("", String.join("\n", unknown));
        assertEquals(List.of("NoSuchThing"), classNames("see `NoSuchThing.open` and `X` and `a b`"));
    }

    private static List<String> classNames(String page) {
        return CODE.matcher(page)
                .results()
                .map(code -> code.group(1).split("[.(<#\\[ ]")[0])
                .filter(word -> CLASS_NAME.matcher(word).matches())
                .toList();
    }

    /// The table "Where would I change" of CONTRIBUTING.md has one file for each question.
    @Test
    void filesThatAnswerQuestionsExist() {
        String page = Project.read(Path.of("CONTRIBUTING.md"));
        int start = page.indexOf("## Where would I change");
        String table = page.substring(start, page.indexOf("\n## ", start));
        List<String> files = Pattern.compile("\\| `([^`]+)` \\|")
                .matcher(table)
                .results()
                .map(match -> match.group(1))
                .toList();
        assertTrue(files.size() >= 10, files.toString());
        for (String file : files) {
            assertTrue(Files.isRegularFile(Project.root().resolve(file)), "there is no " + file);
        }
    }

    @Test
    void linksLeadSomewhere() {
        int linkCount = 0;
        for (String page : Stream.concat(PAGES.stream(), PYTHON_PAGES.stream()).toList()) {
            for (MatchResult link :
                    LINK.matcher(Project.read(Path.of(page))).results().toList()) {
                assertTrue(
                        Files.exists(Project.root().resolve(page).resolveSibling(link.group(1))),
                        page + " links to " + link.group(1));
                linkCount++;
            }
        }
        assertTrue(linkCount > 3, "links were found");
    }

    @Test
    void everyFormatIsInTheTableOfFormats() {
        String page = Project.read(Path.of("docs/formats.md"));
        Project.sources().stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> name.matches("[A-Z][a-z]+Format\\.java"))
                .forEach(name -> assertTrue(page.contains("/" + name + ")"), "docs/formats.md does not link " + name));
    }

    @Test
    void everyReasonIsReported() {
        String sources = Project.sources().stream()
                .filter(file -> file.toString().contains("/src/main/"))
                .map(Project::read)
                .collect(Collectors.joining());
        List<String> reasons = Pattern.compile("static final Reason ([A-Z_0-9]+) =")
                .matcher(sources)
                .results()
                .map(match -> match.group(1))
                .toList();
        assertTrue(reasons.contains("BAD_MAGIC") && reasons.contains("BAD_GROUPS"), "the reasons of all modules");
        reasons.forEach(reason -> assertTrue(sources.contains("Reason." + reason), reason + " is reported nowhere"));
    }

    @Test
    void aTableThatDriftedIsNoticed() {
        String right = """
            /// ### HEAD
            /// | 0 | 4 | u32 | size | any |
            /// | 4 | 8 | u64 | count | any |
            """;
        MemoryLayout[] members = {Layouts.U32.withName("size"), Layouts.U64.withName("count")};
        LayoutTables.parse(right).requireEqual("HEAD", MemoryLayout.structLayout(members));
        for (String wrong : List.of(
                right.replace("| 4 | 8", "| 8 | 8"),
                right.replace("size", "length"),
                right.replace("u64", "u32"),
                right.replace("HEAD", "TAIL"))) {
            assertThrows(
                    AssertionError.class,
                    () -> LayoutTables.parse(wrong).requireEqual("HEAD", MemoryLayout.structLayout(members)));
        }
    }
}

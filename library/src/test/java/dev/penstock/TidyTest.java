// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Checks the house style, as far as a program can.
final class TidyTest {
    private static final int LINE_MAX = 120;

    /// The formatter breaks some longer lines so that their rest is not a comment any more.
    private static final int JAVADOC_LINE_MAX = 115;

    private static final int METHOD_LINES_MAX = 70;
    private static final Pattern IMPORT =
            Pattern.compile("^import (?:static )?(dev\\.penstock(?:\\.[a-z0-9]+)*)\\.[A-Z*]", Pattern.MULTILINE);

    /// The packages of the library that the command line and the bridge use. Plug-ins are found as services.
    private static final String LIBRARY = "file view rows query loader pack shards store table tree ";

    /// What only the modules `loaderx`, `groups` and `game2048` know.
    private static final Pattern PLUGIN = Pattern.compile(
            "(?i)game ?2048|\\b(game|games) of|\\.a2run|loaderx|penstock\\.groups|penstock (runs|steps)\\b");

    private static final Pattern OPTION = Pattern.compile("^[^/\n]*\"[^\"\n]*--[a-z][^\"\n]*\"", Pattern.MULTILINE);

    /// The packages that a package may use, without the common start of their names. All may use the root
    /// package and [dev.penstock.file.Location]. Packages that are not listed may use all.
    private static final Map<String, String> ARROWS = Map.ofEntries(
            Map.entry("", ""),
            Map.entry("file", ""),
            Map.entry("file.cache", "file"),
            Map.entry("view", "file"),
            Map.entry("rows.kernel", "file"),
            Map.entry("rows", "file rows.kernel"),
            Map.entry("pack", "file"),
            Map.entry("table", "file rows rows.kernel"),
            Map.entry("shards", "file rows rows.kernel"),
            Map.entry("store", "file store.journal"),
            Map.entry("store.journal", "file"),
            Map.entry("tree", "file"),
            Map.entry("query", "file view"),
            Map.entry("loader", "file view rows.kernel"),
            Map.entry("catalog", "file view pack shards store table tree"),
            Map.entry("convert", "file view query loader pack shards store table tree catalog"),
            Map.entry("container", "file table store catalog convert"),
            Map.entry("columnar", "file query catalog convert"),
            Map.entry("doctor", "file query table tree convert"),
            Map.entry("plugin", "file view query loader pack store table tree catalog convert"),
            Map.entry("objects", "file file.http"),
            Map.entry("loaderx", "file store catalog convert"),
            Map.entry("loaderx.plugin", "file store convert plugin loaderx"),
            Map.entry("groups", "file view query loader table catalog convert"),
            Map.entry("groups.plugin", "file view plugin groups"),
            Map.entry("game2048", "file view query loader pack table catalog convert groups"),
            Map.entry("game2048.plugin", "file loader pack plugin groups groups.plugin game2048"),
            Map.entry("explorer", "file view query loader store tree catalog plugin"),
            Map.entry("app", LIBRARY + "file.cache catalog convert columnar doctor plugin"),
            Map.entry("bridge", LIBRARY + "catalog convert doctor plugin app"));

    @Test
    void theSourcesAreFound() {
        assertTrue(Project.sources().size() > 40, "only " + Project.sources().size() + " sources found");
    }

    @Test
    void everySourceIsTidy() {
        List<String> findings = new ArrayList<>();
        for (Path file : Project.sources()) {
            for (String finding : findings(Project.read(file))) {
                findings.add(Project.root().relativize(file) + ": " + finding);
            }
        }
        assertEquals("", String.join("\n", findings));
    }

    @Test
    void aSourceThatBreaksTheRulesIsNoticed() {
        String licence = "// SPDX-License-Identifier: Apache-2.0\n";
        assertEquals(List.of(), findings(licence + "class A {}\n"));
        assertEquals(1, findings("class A {}\n").size(), "no licence");
        assertEquals(1, findings(licence + "x".repeat(121) + "\n").size(), "long line");
        assertEquals(1, findings(licence + "    " + "va" + "r x = 1;\n").size(), "untyped local");
        assertEquals(1, findings(licence + "// TO" + "DO\n").size(), "left open");
        assertEquals(1, findings(licence + "/// a\n// b\n").size(), "broken Javadoc");
        String longMethod = "class A {\n    void a() {\n" + "        b();\n".repeat(71) + "    }\n}\n";
        assertEquals(1, findings(licence + longMethod).size(), "long method");
    }

    private static List<String> findings(String source) {
        List<String> findings = new ArrayList<>();
        if (!source.startsWith("// SPDX-License-Identifier: Apache-2.0\n")) {
            findings.add("does not start with the licence");
        }
        List<String> lines = source.lines().toList();
        String previous = "";
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String where = "line " + (i + 1) + ": ";
            boolean isJavadoc = line.strip().startsWith("///");
            if (line.length() > (isJavadoc && !line.contains("|") ? JAVADOC_LINE_MAX : LINE_MAX)) {
                findings.add(where + line.length() + " columns");
            }
            if (line.matches("\\s*(for \\(|try \\()?(final )?va" + "r \\w+ .*")) {
                findings.add(where + "a local without its type");
            }
            if (line.matches(".*\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b.*")) {
                findings.add(where + "left open");
            }
            if (previous.strip().startsWith("///") && line.strip().matches("//[^/].*")) {
                findings.add(where + "a comment that cuts the Javadoc above it in two");
            }
            previous = line;
        }
        findings.addAll(longMethods(lines));
        return findings;
    }

    private static List<String> longMethods(List<String> lines) {
        List<String> findings = new ArrayList<>();
        for (int start = 0; start < lines.size(); start++) {
            if (isMethodStart(lines.get(start))) {
                int bodyLines = bodyLines(lines, start);
                if (bodyLines > METHOD_LINES_MAX) {
                    findings.add("line " + (start + 1) + ": a method of " + bodyLines + " lines");
                }
            }
        }
        return findings;
    }

    private static boolean isMethodStart(String line) {
        return line.matches("\\s+[\\w@<].*\\) (throws [\\w., ]+ )?\\{")
                && !line.contains("->")
                && !line.contains(" = ")
                && !line.matches("\\s+(if|for|while|switch|try|synchronized|return|} ).*");
    }

    /// In a formatted source, a method ends at the same indentation at which it starts.
    private static int bodyLines(List<String> lines, int start) {
        int header = start;
        while (!lines.get(header).contains("(")) {
            header--;
        }
        String first = lines.get(header);
        if (first.matches(".*\\brecord \\w+(<.*>)?\\(.*")) {
            // This is the head of a type, not of a method.
            return 0;
        }
        String end = " ".repeat(first.length() - first.stripLeading().length()) + "}";
        int limit = start;
        while (limit < lines.size() && !lines.get(limit).equals(end)) {
            limit++;
        }
        return limit - start - 1;
    }

    @Test
    void packagesUseOnlyThoseBelowThem() {
        List<String> findings = new ArrayList<>();
        for (Path file : mainSources()) {
            String source = Project.read(file);
            for (String used : forbidden(source)) {
                findings.add(Project.root().relativize(file) + " uses " + used);
            }
        }
        assertEquals("", String.join("\n", findings));
    }

    @Test
    void anArrowThatGoesUpIsNoticed() {
        String pack = "package dev.penstock.pack;\n";
        assertEquals(Set.of(), forbidden(pack + "import dev.penstock.Batch;\nimport dev.penstock.file.Disk;\n"));
        assertEquals(Set.of("dev.penstock.rows"), forbidden(pack + "import dev.penstock.rows.RowFiles;\n"));
        assertEquals(Set.of(), forbidden("package dev.penstock;\nimport dev.penstock.file.Location;\n"));
        assertEquals(Set.of("dev.penstock.file"), forbidden("package dev.penstock;\nimport dev.penstock.file.Disk;\n"));
    }

    private static Set<String> forbidden(String source) {
        String own = packageOf(source);
        String allowed = ARROWS.get(own.replaceFirst("dev\\.penstock\\.?", ""));
        if (allowed == null) {
            return Set.of();
        }
        Set<String> used = new TreeSet<>(usedPackages(source));
        used.removeAll(List.of("dev.penstock", own));
        Stream.of(allowed.split(" ")).forEach(name -> used.remove("dev.penstock." + name));
        return used;
    }

    private static List<Path> mainSources() {
        return Project.sources().stream()
                .filter(file -> file.toString().contains("/src/main/"))
                .toList();
    }

    private static String packageOf(String source) {
        Matcher matcher =
                Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE).matcher(source);
        assertTrue(matcher.find(), "no package");
        return matcher.group(1);
    }

    private static Set<String> usedPackages(String source) {
        return IMPORT.matcher(source.replace("import dev.penstock.file.Location;", ""))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
    }

    @Test
    void everyPackageIsDocumented() {
        for (Path file : mainSources()) {
            Path info = file.resolveSibling("package-info.java");
            assertTrue(Files.exists(info), file.getParent() + " has no package-info.java");
            String source = Project.read(info);
            assertTrue(
                    source.contains("/// ")
                            && source.contains("[")
                            && source.toLowerCase().contains("start"),
                    info + " does not say where to start");
        }
    }

    /// The library, conversions and the command line work without any plug-in, and their texts name none.
    @Test
    void nothingNamesAPlugin() {
        List<String> findings = new ArrayList<>();
        for (Path file : mainSources()) {
            if (file.toString().matches(".*/(library|convert|plugin|app)/src/.*")) {
                PLUGIN.matcher(Project.read(file))
                        .results()
                        .forEach(match -> findings.add(Project.root().relativize(file) + ": " + match.group()));
            }
        }
        assertEquals("", String.join("\n", findings));
        assertTrue(PLUGIN.matcher("see `penstock runs`, or a game of 2048").find());
    }

    /// Java and Python callers have no options, so messages of the library and its plug-ins name none.
    @Test
    void onlyTheCommandLineNamesItsOptions() {
        List<String> findings = new ArrayList<>();
        for (Path file : mainSources()) {
            if (!file.toString().contains("/app/") && !isForCommands(file)) {
                OPTION.matcher(Project.read(file))
                        .results()
                        .forEach(match -> findings.add(Project.root().relativize(file) + ": " + match.group()));
            }
        }
        assertEquals("", String.join("\n", findings));
        assertTrue(OPTION.matcher("\"use --" + "wide\"").find());
    }

    /// Command classes of plug-ins declare options.
    private static boolean isForCommands(Path file) {
        return Project.read(file).contains("picocli") || file.toString().contains("/benchmarks/");
    }

    @Test
    void noFileNamesAMachine() {
        for (Path file : Project.sources()) {
            assertFalse(Project.read(file).contains("/wo" + "rk/"), file + " names a folder of one machine");
        }
    }
}

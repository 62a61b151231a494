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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Checks the house style, as far as a program can.
final class TidyTest {
    private static final int LINE_MAX = 120;

    /// The formatter breaks some longer lines so that their rest is not a comment any more.
    private static final int JAVADOC_LINE_MAX = 115;

    private static final int METHOD_LINES_MAX = 70;
    private static final Pattern IMPORT =
            Pattern.compile("^import (?:static )?(dev\\.penstock(?:\\.[a-z0-9]+)*)\\.[A-Z*]", Pattern.MULTILINE);

    /// The packages that a package of the library may use. Packages that are not listed may use all.
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
            Map.entry("dev.penstock", Set.of()),
            Map.entry("dev.penstock.memory", Set.of("dev.penstock")),
            Map.entry("dev.penstock.pack", Set.of("dev.penstock", "dev.penstock.memory")),
            Map.entry("dev.penstock.query", Set.of("dev.penstock", "dev.penstock.memory")),
            Map.entry("dev.penstock.loader", Set.of("dev.penstock", "dev.penstock.memory")),
            Map.entry("dev.penstock.rows", Set.of("dev.penstock", "dev.penstock.memory")),
            Map.entry("dev.penstock.store", Set.of("dev.penstock", "dev.penstock.memory")),
            Map.entry(
                    "dev.penstock.store.upstream", Set.of("dev.penstock", "dev.penstock.memory", "dev.penstock.store")),
            Map.entry("dev.penstock.table", Set.of("dev.penstock", "dev.penstock.memory", "dev.penstock.rows")),
            Map.entry("dev.penstock.shards", Set.of("dev.penstock", "dev.penstock.memory", "dev.penstock.rows")),
            Map.entry("dev.penstock.tree", Set.of("dev.penstock", "dev.penstock.memory")),
            Map.entry(
                    "dev.penstock.groups",
                    Set.of(
                            "dev.penstock",
                            "dev.penstock.memory",
                            "dev.penstock.query",
                            "dev.penstock.loader",
                            "dev.penstock.table",
                            "dev.penstock.catalog")),
            Map.entry(
                    "dev.penstock.game2048",
                    Set.of(
                            "dev.penstock",
                            "dev.penstock.memory",
                            "dev.penstock.pack",
                            "dev.penstock.query",
                            "dev.penstock.loader",
                            "dev.penstock.table",
                            "dev.penstock.catalog",
                            "dev.penstock.groups")),
            Map.entry(
                    "dev.penstock.catalog",
                    Set.of(
                            "dev.penstock",
                            "dev.penstock.memory",
                            "dev.penstock.query",
                            "dev.penstock.loader",
                            "dev.penstock.pack",
                            "dev.penstock.shards",
                            "dev.penstock.store",
                            "dev.penstock.table",
                            "dev.penstock.tree")));

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
            Set<String> allowed = ARROWS.get(packageOf(source));
            for (String used : usedPackages(source)) {
                if (allowed != null && !used.equals(packageOf(source)) && !allowed.contains(used)) {
                    findings.add(Project.root().relativize(file) + " uses " + used);
                }
            }
        }
        assertEquals("", String.join("\n", findings));
        assertEquals(Set.of("dev.penstock.pack"), usedPackages("import dev.penstock.pack.PackReader;\n"));
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
        return IMPORT.matcher(source).results().map(match -> match.group(1)).collect(Collectors.toSet());
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

    @Test
    void noFileNamesAMachine() {
        for (Path file : Project.sources()) {
            assertFalse(Project.read(file).contains("/wo" + "rk/"), file + " names a folder of one machine");
        }
    }
}

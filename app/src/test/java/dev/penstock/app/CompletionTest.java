// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.penstock.plugin.Colours;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Scripts that complete commands, the manual page, colours, and the hint at the end of `info`.
final class CompletionTest {
    @TempDir
    Path folder;

    /// Words are given to the function of the script as bash gives them.
    private static final String BASH = """
            source "$1"; shift
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            _complete_penstock
            printf '%s\\n' "${COMPREPLY[@]}"
            """;

    /// The same with the bash completion of zsh, which compares the candidates with the word afterwards.
    private static final String ZSH = """
            autoload -Uz compinit && compinit -u
            source "$1"; shift
            [[ $_comps[penstock] = *_complete_penstock* ]] || exit 1
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            emulate ksh
            _complete_penstock
            for one in "${COMPREPLY[@]}"; do [[ $one == "${COMP_WORDS[-1]}"* ]] && echo "$one"; done
            """;

    @Test
    void bashCompletesCommandsOptionsAndValues() throws IOException, InterruptedException {
        completes("bash", (script, words) -> command(words, "bash", "-c", BASH, "bash", script.toString()));
    }

    @Test
    void zshCompletesCommandsOptionsAndValues() throws IOException, InterruptedException {
        assumeTrue(isInstalled("zsh"), "needs zsh");
        completes("zsh", (script, words) -> command(words, "zsh", "-f", "-c", ZSH, "zsh", script.toString()));
    }

    private static List<String> command(List<String> words, String... first) {
        return Stream.concat(Stream.of(first), words.stream()).toList();
    }

    @Test
    void fishCompletesCommandsOptionsAndValues() throws IOException, InterruptedException {
        assumeTrue(isInstalled("fish"), "needs fish");
        completes(
                "fish",
                (script, words) -> List.of(
                        "fish", "-c", "source '" + script + "'; complete -C '" + String.join(" ", words) + "'"));
    }

    private void completes(String shell, BiFunction<Path, List<String>, List<String>> command)
            throws IOException, InterruptedException {
        Path script = folder.resolve("penstock." + shell);
        Files.writeString(script, CommandRun.of("completion", shell).out());
        Map<String, List<String>> expected = Map.of(
                "penstock inf", List.of("info"),
                "penstock pack build --over", List.of("--overwrite"),
                "penstock a2pack buil", List.of("build"),
                "penstock store snapshot cr", List.of("create"),
                "penstock info --io mm", List.of("mmap"),
                "penstock pack build --compress zs", List.of("zstd"),
                "penstock completion fi", List.of("fish"),
                "penstock help stor", List.of("store"));
        for (Map.Entry<String, List<String>> one : expected.entrySet()) {
            List<String> words = List.of(one.getKey().split(" "));
            assertEquals(one.getValue(), output(command.apply(script, words)), shell + ": " + one.getKey());
        }
        assertTrue(
                output(command.apply(script, List.of("penstock", "pack", ""))).contains("build"), shell);
    }

    /// The first column of the lines that a command prints; fish prints a description behind it.
    private List<String> output(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD);
        // The shells read no settings of the user and leave no files in the user's folders.
        builder.environment().keySet().removeIf(name -> name.startsWith("XDG_"));
        builder.environment().putAll(Map.of("HOME", folder.toString(), "ZDOTDIR", folder.toString()));
        Process process = builder.start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text.lines().map(line -> line.split("\t")[0].strip()).toList();
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    @Test
    void everyShellHasAScriptOfEveryCommand() {
        assertTrue(CommandRun.of("completion", "zsh").out().contains("bashcompinit"));
        String fish = CommandRun.of("completion", "fish").out();
        for (String words : CommandPages.commands().keySet()) {
            String last = words.substring(words.lastIndexOf(' ') + 1);
            assertTrue(words.isEmpty() || fish.contains(" -a " + last + " -d "), words);
        }
        assertEquals(Failures.USAGE, CommandRun.of("completion", "powershell").exitCode());
        assertEquals(Failures.USAGE, CommandRun.of("completion").exitCode());
    }

    @Test
    void theManualPageHasEveryCommand() {
        String page = CommandRun.of("man").out();
        assertTrue(page.startsWith(".TH PENSTOCK 1"), page);
        for (String words : CommandPages.commands().keySet()) {
            assertTrue(words.isEmpty() || page.contains(".SH \"penstock " + words + "\"\n"), words);
        }
        assertFalse(page.lines().anyMatch(line -> line.startsWith(".") && !line.matches("\\.(TH|SH|nf|fi).*")));
    }

    @Test
    void theReferencePagesAreThoseOfTheHelpTexts() throws IOException {
        Path reference = CommandRun.root().resolve("docs/reference");
        for (Map.Entry<String, String> page : CommandPages.markdown().entrySet()) {
            Path file = reference.resolve(page.getKey());
            assertTrue(Files.exists(file), file + " is missing; ./penstock man --markdown docs/reference makes it");
            assertEquals(
                    page.getValue(),
                    Files.readString(file),
                    file + " differs from the help text; ./penstock man --markdown docs/reference makes it again");
        }
        try (Stream<Path> files = Files.list(reference)) {
            assertEquals(CommandPages.markdown().size(), files.count(), "a page of no command is in " + reference);
        }
    }

    @Test
    void coloursAreOffInPipesAndWithNoColor() {
        Map<String, String> forced = Map.of("FORCE_COLOR", "1");
        assertTrue(Colours.of(1, forced).isOn());
        assertFalse(Colours.of(1, Map.of("FORCE_COLOR", "1", "NO_COLOR", "1")).isOn());
        assertTrue(Colours.of(1, Map.of("FORCE_COLOR", "1", "NO_COLOR", "")).isOn());
        assertFalse(Colours.of(99, Map.of("TERM", "dumb")).isOn());
        assertEquals("\u001b[1;31mx\u001b[0m", Colours.of(2, forced).bad("x"));
        assertEquals("x", Colours.NONE.bad("x"));
        assertFalse(CommandRun.of("--help").out().contains("\u001b"));
    }

    @Test
    void infoSuggestsTheNextCommandToPeopleAndNotToScripts() throws IOException {
        Path table = folder.resolve("it's a table.npy");
        Files.copy(CommandRun.testdata("table/rec.npy"), table);
        String quoted = "'" + folder + "/it'\\''s a table.npy'";
        CommandRun run = CommandRun.of("info", table);
        assertTrue(run.err().startsWith("next: penstock head " + quoted), run.err());
        assertFalse(run.out().contains("next:"), run.out());
        CommandRun several = CommandRun.of("info", table, table);
        assertTrue(several.err().startsWith("next: penstock head " + quoted + " " + quoted + " shows"), several.err());
        Path raw = Files.write(folder.resolve("raw.bin"), new byte[8]);
        CommandRun typed = CommandRun.of("info", raw, "--dtype", "<u2");
        String words = raw + " --dtype '<u2'";
        assertEquals(
                "next: penstock head " + words + " shows records; penstock stats " + words + " summarises the fields\n",
                typed.err());
        assertEquals("", CommandRun.of("info", table, "--json").err());
        assertEquals("", CommandRun.of("info", table, "--quiet").err());
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// Every command explains itself.
final class HelpTest {
    @Test
    void everyCommandHasHelpWithAnExample() {
        List<String> seen = new ArrayList<>();
        check(Main.commandLine(null), List.of(), seen);
        assertTrue(seen.contains("pack build"), seen.toString());
        assertTrue(seen.contains("verify"), seen.toString());
    }

    private static void check(CommandLine command, List<String> words, List<String> seen) {
        List<Object> call = new ArrayList<>(words);
        call.add("--help");
        CommandRun run = CommandRun.of(call.toArray());
        assertEquals(0, run.exitCode(), words.toString());
        assertTrue(run.out().contains("Usage: penstock"), run.out());
        assertTrue(run.out().contains("Example:\n  penstock "), words + " shows no example");
        seen.add(String.join(" ", words));
        command.getSubcommands().values().stream().distinct().forEach(below -> {
            List<String> longer = new ArrayList<>(words);
            longer.add(below.getCommandName());
            assertTrue(
                    command.getSubcommands().containsKey(below.getCommandName()),
                    longer + " is listed under another name");
            check(below, longer, seen);
        });
    }

    @Test
    void helpShowsWhatTheOptionShows() {
        assertEquals(CommandRun.of("--help").out(), CommandRun.of("help").out());
        assertEquals(
                CommandRun.of("pack", "build", "--help").out(),
                CommandRun.of("help", "pack", "build").out());
        CommandRun unknown = CommandRun.of("help", "pack", "bild");
        assertEquals(Failures.USAGE, unknown.exitCode());
        assertTrue(
                unknown.err()
                        .startsWith("penstock: there is no command bild in penstock pack; the commands are build,"),
                unknown.err());
    }

    @Test
    void anUnknownCommandOrArgumentIsNamed() {
        CommandRun command = CommandRun.of("inf");
        assertEquals(Failures.USAGE, command.exitCode());
        assertTrue(command.err().startsWith("penstock: there is no command inf in penstock\n"), command.err());
        assertTrue(command.err().contains("info"), command.err());
        CommandRun argument = CommandRun.of("completion", "bash", "more");
        assertEquals(Failures.USAGE, argument.exitCode());
        assertTrue(argument.err().startsWith("penstock: penstock completion does not expect more\n"), argument.err());
    }

    @Test
    void everyReportingCommandTakesJson() {
        for (List<Object> words : List.<List<Object>>of(
                List.of("info"),
                List.of("verify"),
                List.of("fingerprint"),
                List.of("head"),
                List.of("get"),
                List.of("demo"),
                List.of("plan"),
                List.of("bench"),
                List.of("export"),
                List.of("stats"),
                List.of("table", "write"),
                List.of("table", "append"),
                List.of("table", "select"),
                List.of("pack", "build"),
                List.of("pack", "validate"),
                List.of("pack", "stats"),
                List.of("pack", "extract"),
                List.of("pack", "inspect"),
                List.of("pack", "to-jsonl"),
                List.of("runs", "play"),
                List.of("runs", "show"),
                List.of("runs", "check"),
                List.of("runs", "upgrade"),
                List.of("runs", "split"),
                List.of("store", "create"),
                List.of("store", "append"),
                List.of("store", "get"),
                List.of("store", "update"),
                List.of("store", "delete"),
                List.of("store", "stats"),
                List.of("store", "checkpoint"),
                List.of("store", "import"),
                List.of("tree", "build"),
                List.of("tree", "get"),
                List.of("tree", "ls"),
                List.of("tree", "dump"),
                List.of("tree", "stats"))) {
            List<Object> call = new ArrayList<>(words);
            call.add("--help");
            assertTrue(CommandRun.of(call.toArray()).out().contains("--json"), words.toString());
        }
    }
}

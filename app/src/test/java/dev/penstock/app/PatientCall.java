// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Runs a command in a thread of its own and judges how it ends: with data or a typed error, in time, and with
/// little memory.
final class PatientCall {
    /// An operation takes milliseconds; this is for a machine that is busy.
    private static final long SECONDS_MAX = 60;

    /// A manifest of 64 MB is still read, by some commands twice.
    private static final long BYTES_MAX = 256L << 20;

    private static final Set<Integer> EXIT_CODES = Set.of(0, 1, 2, 3);

    /// The first line of a stack trace that `--debug` prints.
    private static final Pattern THROWN =
            Pattern.compile("^([\\w.$]+(?:Exception|Error|\\$\\w+))(?::|$)", Pattern.MULTILINE);

    private static final Pattern TYPED =
            Pattern.compile("dev\\.penstock\\.(DatasetException\\$\\w+|loader\\.LoaderException)"
                    + "|dev\\.penstock\\.(memory\\.FileInUseException|app\\.BadInput)"
                    + "|java\\.(io|nio\\.file)\\.\\w+|picocli\\.CommandLine\\$\\w+"
                    + "|java\\.lang\\.(IllegalArgument|IndexOutOfBounds)Exception");

    private PatientCall() {}

    /// How a command ended.
    ///
    /// @param run     null when it did not end
    /// @param problem what is wrong with it, or an empty text
    record Ended(CommandRun run, String problem) {}

    /// Runs a command, which gets `--debug`.
    ///
    /// @param pipe a pipe that a command may hang at, to be released
    static Ended of(Path pipe, Object... words) throws IOException, InterruptedException {
        long[] bytes = new long[1];
        FutureTask<CommandRun> task = new FutureTask<>(() -> {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            CommandRun run = CommandRun.of(words);
            bytes[0] = threads.getCurrentThreadAllocatedBytes() - before;
            return run;
        });
        Thread.ofPlatform().daemon().name("hostile").start(task);
        try {
            CommandRun run = task.get(SECONDS_MAX, TimeUnit.SECONDS);
            return new Ended(run, bytes[0] > BYTES_MAX ? "took " + bytes[0] + " bytes of memory" : judge(run));
        } catch (TimeoutException e) {
            return new Ended(null, "did not end" + (isReleased(task, pipe) ? ": it waits for a pipe" : ""));
        } catch (ExecutionException e) {
            return new Ended(null, "ended with " + e.getCause());
        }
    }

    private static String judge(CommandRun run) {
        if (!EXIT_CODES.contains(run.exitCode())) {
            return "has the exit code " + run.exitCode() + ": " + run.err();
        }
        if (run.err().contains("out of memory")) {
            return "needs too much memory";
        }
        Matcher thrown = THROWN.matcher(run.err());
        boolean isTyped = !thrown.find() || TYPED.matcher(thrown.group(1)).matches();
        return isTyped
                ? ""
                : "has an untyped error: " + run.err().lines().limit(4).toList();
    }

    /// Ends a thread that waits for the other side of a pipe.
    private static boolean isReleased(FutureTask<?> task, Path pipe) throws IOException, InterruptedException {
        for (int attempt = 0; attempt < 200 && !task.isDone(); attempt++) {
            new RandomAccessFile(pipe.toFile(), "rw").close();
            Thread.sleep(5);
        }
        return task.isDone();
    }
}

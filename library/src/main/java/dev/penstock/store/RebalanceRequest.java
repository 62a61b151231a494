// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Progress;
import dev.penstock.memory.Disk;
import dev.penstock.memory.FileInUseException;
import dev.penstock.memory.NewFile;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// Rebalances a store that a writer in another process may have open.
///
/// Only the writer of a store can commit, and moving values is a commit. So a process that wants a rebalance
/// leaves a request in the folder of the store. The writer takes it after its next commit, rebalances, and leaves
/// an answer. If the writer closes or dies before that, the requesting process rebalances itself.
///
/// **Threads.** One thread.
public final class RebalanceRequest {
    private static final String REQUEST = "rebalance.request";
    private static final Pattern ANSWER = Pattern.compile("rebalance-[0-9a-f-]{36}\\.answer");
    private static final long LOOK_MILLIS = 100;

    private final Path store;
    private final Disk disk;
    private final StoreOptions storeOptions;
    private final RebalanceOptions options;

    private RebalanceRequest(Path store, StoreOptions storeOptions, RebalanceOptions options) {
        this.store = store;
        this.disk = storeOptions.disk();
        this.storeOptions = storeOptions;
        this.options = options;
    }

    static Path requestFile(Path store) {
        return store.resolve(REQUEST);
    }

    /// Each request has its own answer file, so that no process takes the answer of another.
    private static Path answerFile(Path store, String id) {
        return store.resolve("rebalance-" + id + ".answer");
    }

    /// Deletes answers that no process has read within the life of a writer: the processes that asked were killed.
    /// A process that still waits rebalances the store itself when it can.
    static void deleteAnswers(Disk disk, Path store) throws IOException {
        for (Path file : disk.list(store)) {
            if (ANSWER.matcher(file.getFileName().toString()).matches()) {
                disk.delete(file);
            }
        }
    }

    /// Rebalances a store: in this process if no writer has it open, otherwise in the process of the writer.
    ///
    /// @param progress  receives the number of bytes if it happens in this process
    /// @param onWaiting receives the name of the writing process once
    /// @throws FileAlreadyExistsException when another process has asked and is not served yet
    /// @throws FileSystemException        when a writer has the store open and the options have an order, which a
    ///                                    request cannot carry
    /// @throws IOException                also when the writer failed; the message is the writer's
    public static RebalanceReport run(
            Path store,
            StoreOptions storeOptions,
            RebalanceOptions options,
            Progress progress,
            Consumer<String> onWaiting)
            throws IOException {
        return new RebalanceRequest(store, storeOptions, options).run(progress, onWaiting);
    }

    private RebalanceReport run(Progress progress, Consumer<String> onWaiting) throws IOException {
        try {
            return rebalanceHere(progress);
        } catch (FileInUseException e) {
            if (options.order() != null) {
                throw e;
            }
            onWaiting.accept(e.holder());
            return ask(progress);
        }
    }

    private RebalanceReport rebalanceHere(Progress progress) throws IOException {
        try (StoreWriter writer = StoreWriter.open(store, storeOptions)) {
            return writer.rebalance(options, progress);
        }
    }

    private RebalanceReport ask(Progress progress) throws IOException {
        StoreStats before = stats();
        Question question = new Question(UUID.randomUUID().toString(), options);
        question.write(disk, store);
        try {
            while (true) {
                Waiting.pause(LOOK_MILLIS);
                Answer answer = Answer.read(disk, answerFile(store, question.id));
                if (answer != null) {
                    return answer.report(store, before, stats());
                }
                try {
                    return rebalanceHere(progress);
                } catch (FileInUseException e) {
                    // The writer is still running.
                }
            }
        } finally {
            withdraw(question.id);
            disk.delete(answerFile(store, question.id));
        }
    }

    private void withdraw(String id) throws IOException {
        try {
            if (Question.read(disk, requestFile(store)).id.equals(id)) {
                disk.delete(requestFile(store));
            }
        } catch (NoSuchFileException e) {
            // The writer has taken the request.
        }
    }

    private StoreStats stats() throws IOException {
        try (StoreReader reader = StoreReader.open(store, disk)) {
            return reader.stats(Progress.NONE);
        }
    }

    /// The request to the writer.
    record Question(String id, RebalanceOptions options) {
        private static final String APART = "apart.";

        void write(Disk disk, Path store) throws IOException {
            Properties values = new Properties();
            values.setProperty("id", id);
            values.setProperty("minGarbage", Double.toString(options.minGarbage()));
            for (int i = 0; i < options.apart().size(); i++) {
                values.setProperty(APART + i, options.apart().get(i));
            }
            try {
                RebalanceRequest.write(disk, requestFile(store), values);
            } catch (FileAlreadyExistsException e) {
                throw new FileAlreadyExistsException(
                        requestFile(store).toString(),
                        null,
                        "another process has asked the writer for a rebalance and waits; if it was killed, the writer"
                                + " serves its request after the next commit");
            }
        }

        static Question read(Disk disk, Path file) throws IOException {
            Properties values = RebalanceRequest.read(disk, file);
            List<String> apart = new ArrayList<>();
            while (values.containsKey(APART + apart.size())) {
                apart.add(values.getProperty(APART + apart.size()));
            }
            try {
                double minGarbage = Double.parseDouble(values.getProperty("minGarbage", ""));
                return new Question(values.getProperty("id", ""), new RebalanceOptions(minGarbage, apart, null));
            } catch (IllegalArgumentException e) {
                disk.delete(file);
                throw new IOException(file + " is no request for a rebalance: " + e.getMessage(), e);
            }
        }
    }

    /// The answer of the writer.
    ///
    /// @param failure the reason of a failure, or null
    record Answer(String id, String failure, long[] figures) {
        private static final List<String> NAMES =
                List.of("chunks", "values", "copiedBytes", "deletedBytes", "waitingBytes");

        static Answer of(String id, RebalanceReport report) {
            return new Answer(id, null, new long[] {
                report.chunkCount(),
                report.movedCount(),
                report.movedBytes(),
                report.deletedBytes(),
                report.waitingBytes()
            });
        }

        static Answer failed(String id, String message) {
            return new Answer(id, String.valueOf(message), new long[NAMES.size()]);
        }

        void write(Disk disk, Path store) throws IOException {
            Properties values = new Properties();
            values.setProperty("id", id);
            if (failure != null) {
                values.setProperty("failure", failure);
            }
            for (int i = 0; i < NAMES.size(); i++) {
                values.setProperty(NAMES.get(i), Long.toString(figures[i]));
            }
            RebalanceRequest.write(disk, answerFile(store, id), values);
        }

        /// @return null when there is no answer
        static Answer read(Disk disk, Path file) throws IOException {
            Properties values;
            try {
                values = RebalanceRequest.read(disk, file);
            } catch (NoSuchFileException e) {
                return null;
            }
            long[] figures = NAMES.stream()
                    .mapToLong(name -> Long.parseLong(values.getProperty(name, "0")))
                    .toArray();
            return new Answer(values.getProperty("id", ""), values.getProperty("failure"), figures);
        }

        RebalanceReport report(Path store, StoreStats before, StoreStats after) throws IOException {
            if (failure != null) {
                throw new IOException(store + ": the writer could not rebalance the store: " + failure);
            }
            return new RebalanceReport(before, after, figures[0], figures[1], figures[2], figures[3], figures[4]);
        }
    }

    private static void write(Disk disk, Path file, Properties values) throws IOException {
        StringWriter text = new StringWriter();
        values.store(text, null);
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        try (NewFile target = NewFile.create(disk, file, false)) {
            target.write(MemorySegment.ofArray(bytes), 0);
            target.publishUnforced();
        }
    }

    private static Properties read(Disk disk, Path file) throws IOException {
        try (Disk.Readable readable = disk.open(file)) {
            byte[] bytes = new byte[Math.toIntExact(Math.min(readable.size(), 1 << 20))];
            long count = readable.read(0, MemorySegment.ofArray(bytes));
            Properties values = new Properties();
            values.load(new StringReader(new String(bytes, 0, (int) count, StandardCharsets.UTF_8)));
            return values;
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is no request for a rebalance: " + e.getMessage(), e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.game2048.StepsDataset;
import dev.penstock.game2048.StepsOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// Steps datasets of several sizes: the games of the `runs` benchmark, repeated for the large ones.
final class StepsData {
    private static final String DATABASE = "metadata.db";
    private static final String FILE = "steps.npy";
    private static final int HEADER_SIZE = 256;

    final Settings settings;
    final Report report;
    private final RunsBenchmark.Data runs;

    StepsData(Settings settings, Report report) throws IOException {
        this.settings = settings;
        this.report = report;
        this.runs = RunsBenchmark.data(settings, report);
    }

    /// A pack of runs with about a million steps.
    Path pack() {
        return runs.pack();
    }

    Path file(String name) {
        return settings.dir().resolve(name);
    }

    /// The steps of the pack as one file.
    Path small() throws IOException {
        Path folder = file("steps-of-" + pack().getFileName());
        if (!Files.exists(folder.resolve(DATABASE))) {
            StepsDataset.build(pack(), folder);
        }
        return folder;
    }

    /// A dataset of at least `rowCount` rows in shards of about a million, made by appending the pack repeatedly.
    Path shards(long rowCount) throws IOException {
        Path folder = file("steps-shards-" + rowCount);
        if (!Files.exists(folder.resolve(DATABASE))) {
            StepsDataset.build(pack(), folder, StepsOptions.DEFAULT.withShardRows(1L << 40));
        }
        long found = rows(folder);
        while (found < rowCount) {
            report.note(folder.getFileName() + ": " + found + " rows");
            found += StepsDataset.append(folder, pack(), StepsOptions.DEFAULT).stepCount();
        }
        return folder;
    }

    /// The same rows in one file.
    Path single(long rowCount) throws IOException {
        Path folder = file("steps-single-" + rowCount);
        if (!Files.exists(folder.resolve(DATABASE))) {
            Path shards = shards(rowCount);
            Files.createDirectories(folder);
            writeHeader(folder.resolve(FILE), rows(shards));
            try (OutputStream target = Files.newOutputStream(folder.resolve(FILE), StandardOpenOption.APPEND);
                    Stream<Path> files = Files.list(shards)) {
                for (Path shard : files.filter(file -> file.toString().endsWith(".npy"))
                        .sorted()
                        .toList()) {
                    try (FileChannel source = FileChannel.open(shard)) {
                        source.transferTo(HEADER_SIZE, source.size() - HEADER_SIZE, Channels.newChannel(target));
                    }
                }
            }
            Files.copy(shards.resolve(DATABASE), folder.resolve(DATABASE));
        }
        return folder;
    }

    static long rows(Path folder) throws IOException {
        try (StepsDataset dataset = StepsDataset.open(folder)) {
            return dataset.count();
        }
    }

    private static void writeHeader(Path file, long rowCount) throws IOException {
        String text = "{'descr': [('board', '<u8'), ('move', '|u1'), ('ev_legal', '|u1'), ('ev_values', '<f4', (4,)),"
                + " ('run_id', '<u4'), ('step_index', '<u2')], 'fortran_order': False, 'shape': (" + rowCount + ",)}";
        byte[] header = new byte[HEADER_SIZE];
        Arrays.fill(header, (byte) ' ');
        byte[] head = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) (HEADER_SIZE - 10), 0};
        System.arraycopy(head, 0, header, 0, head.length);
        System.arraycopy(text.getBytes(StandardCharsets.US_ASCII), 0, header, head.length, text.length());
        header[HEADER_SIZE - 1] = '\n';
        Files.write(file, header);
    }

    /// Removes a folder of files.
    static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            List<Path> files;
            try (Stream<Path> all = Files.list(folder)) {
                files = all.toList();
            }
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        }
    }
}

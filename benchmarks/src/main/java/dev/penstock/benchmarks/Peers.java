// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The programs to compare with: one in C, one with NumPy, and our own gather in another runtime.
///
/// If the machine has no C compiler or no NumPy, that program is skipped with a note.
final class Peers {
    private final Path root = Path.of(System.getProperty("penstock.root", "")).toAbsolutePath();
    private final Optional<String> program;
    private final Optional<String> python;

    Peers(Report report) throws IOException, InterruptedException {
        this.program = compile();
        if (program.isEmpty()) {
            report.note("skipped: the C loop, because there is no working gcc");
        }
        this.python = python();
        if (python.isEmpty()) {
            report.note("skipped: NumPy, because .mvn/numpy.sh finds no Python with it");
        }
    }

    private Optional<String> compile() throws InterruptedException {
        Path source = root.resolve("benchmarks/src/main/c/gather.c");
        Path target = root.resolve("benchmarks/target/gather");
        try {
            Command.run("gcc", "-O3", "-march=native", "-pthread", "-o", target.toString(), source.toString());
            return Optional.of(target.toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Optional<String> python() throws IOException, InterruptedException {
        String path = Command.run(root.resolve(".mvn/numpy.sh").toString()).strip();
        return path.isEmpty() ? Optional.empty() : Optional.of(path);
    }

    boolean hasC() {
        return program.isPresent();
    }

    boolean hasPython() {
        return python.isPresent();
    }

    /// The C program with a file in memory.
    Optional<Peer> c(TableReader reader) throws IOException {
        if (program.isEmpty()) {
            return Optional.empty();
        }
        long rowSize = reader.rowType().size();
        long offset = Files.size(reader.location().path()) - reader.count() * rowSize;
        return Optional.of(Peer.start(List.of(
                program.get(),
                reader.location().toString(),
                Long.toString(offset),
                Long.toString(rowSize),
                Long.toString(reader.count()))));
    }

    /// The C program with the records of a pack in memory.
    Optional<Peer> c(Path pack) throws IOException {
        return program.isEmpty() ? Optional.empty() : Optional.of(Peer.start(List.of(program.get(), pack.toString())));
    }

    /// NumPy with a file in memory.
    Optional<Peer> numpy(Path file) throws IOException {
        return python.isEmpty() ? Optional.empty() : Optional.of(Peer.start(numpyWords(file, "resident")));
    }

    /// The command line of a script, if there is a Python with NumPy.
    Optional<List<String>> script(String name, String... arguments) {
        return python.map(path -> {
            List<String> words = new ArrayList<>(List.of(
                    path, root.resolve("benchmarks/src/main/python/" + name).toString()));
            words.addAll(List.of(arguments));
            return words;
        });
    }

    /// The command line of NumPy with a file in memory or only mapped.
    List<String> numpyWords(Path file, String how) {
        return script("gather.py", file.toString(), how).orElseThrow();
    }

    /// The command line of our own gather in another runtime, with or without vectors.
    static List<String> ownWords(Path file, boolean hasVectors) {
        return Command.java(TablePeer.class, file.toString(), hasVectors ? "vector" : "scalar").stream()
                .filter(word -> hasVectors || !word.startsWith("--add-modules"))
                .toList();
    }
}

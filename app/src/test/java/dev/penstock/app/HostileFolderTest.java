// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Puts links, pipes, devices, sockets, folders, empty and huge files in the place of each file and folder of each
/// format, and runs all commands that read or write it. Every command ends soon, with the right data or a typed
/// error, with little memory, and changes nothing outside the dataset.
///
/// The files are on the real disk, because the subject is the file system.
@Tag("full")
final class HostileFolderTest {
    private static final boolean IS_LONG = Boolean.getBoolean("penstock.long");

    /// One case in so many is tried in the ordinary form.
    private static final int STRIDE = 100;

    /// Cases that are always tried, with every command.
    private static final Set<String> PINNED = Set.of(
            "store: data/.lock LINK_TO_FILE",
            "store: data/.lease PIPE",
            "store: data/journal LINK_TO_FOLDER",
            "store: data/chunk PIPE",
            "store: data/chunk/2.zr LINK_TO_FOLDER",
            "store: data/note.offset HUGE",
            "store: data/snapshot FOLDER",
            "store: data/snapshot LINK_TO_COPY",
            "store: data/snapshot/v2 LINK_TO_FOLDER",
            "store: data/snapshot/v1/chunk/0.zr FOLDER",
            "groups: data/metadata.db LINK_TO_COPY",
            "table-file: " + HostileDatasets.temporary("data.npy") + " PIPE",
            "converting-table: .data.converting/replaced FOLDER");

    @TempDir
    Path root;

    private Path templates;
    private Path inputs;
    private Path outside;
    private Path special;
    private Path pipe;
    private FolderState outsideBefore;
    private final List<String> problems = new ArrayList<>();
    private long callCount;
    private int pinnedCount;

    /// One thing in one place.
    private record Case(String home, HostileDataset dataset, Path place, HostileEntry entry) {
        boolean isPinned() {
            return PINNED.contains(toString());
        }

        @Override
        public String toString() {
            return home + ": " + place + " " + entry;
        }
    }

    private void prepare() throws IOException, InterruptedException {
        templates = Files.createDirectory(root.resolve("templates"));
        inputs = Files.createDirectory(root.resolve("inputs"));
        outside = root.resolve("outside");
        special = Files.createDirectory(root.resolve("special"));
        pipe = special.resolve(HostileEntry.PIPE.name());
        run("mkfifo", pipe);
        run("mknod", special.resolve(HostileEntry.DEVICE.name()), "c", "1", "5");
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(special.resolve(HostileEntry.SOCKET.name())));
        }
    }

    /// Without permission there is no device, and its cases are left out.
    private static void run(Object... words) throws IOException, InterruptedException {
        List<String> command = Stream.of(words).map(Object::toString).toList();
        new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private void makeOutside() throws IOException {
        FolderState.delete(outside);
        Files.createDirectories(outside.resolve("folder/inner"));
        Files.writeString(outside.resolve("file"), "a file of somebody else ".repeat(50));
        for (String name : List.of("folder/0.zr", "folder/1.zj", "folder/data.npy", "folder/inner/meta.json")) {
            Files.writeString(outside.resolve(name), "precious");
        }
    }

    @Test
    void hostileFoldersDoNoHarm() throws IOException, InterruptedException {
        prepare();
        Map<String, HostileDataset> datasets = HostileDatasets.write(templates, inputs);
        long seed = Long.parseLong(System.getProperty("seed", "").isEmpty() ? "1" : System.getProperty("seed"));
        Random random = new Random(seed);
        for (Map.Entry<String, HostileDataset> one : datasets.entrySet()) {
            Map<List<String>, String> expected = expected(one.getKey(), one.getValue());
            for (Case next : cases(one.getKey(), one.getValue())) {
                if (IS_LONG || next.isPinned() || random.nextInt(STRIDE) == 0) {
                    pinnedCount += next.isPinned() ? 1 : 0;
                    tryReading(next, expected);
                    tryWriting(next, random);
                }
            }
        }
        assertEquals(PINNED.size(), pinnedCount);
        System.out.println("figure: commands on hostile folders: " + callCount);
        assertEquals("", String.join("\n", problems), problems.size() + " problems");
    }

    private List<Case> cases(String home, HostileDataset dataset) throws IOException {
        Path template = templates.resolve(home);
        List<Path> places = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(template)) {
            paths.filter(path -> !path.equals(template)).sorted().forEach(places::add);
        }
        dataset.planted().forEach(name -> places.add(HostileDatasets.planted(template, name)));
        List<Case> cases = new ArrayList<>();
        for (Path place : places) {
            for (HostileEntry entry : HostileEntry.values()) {
                Case one = new Case(home, dataset, template.relativize(place), entry);
                // The path that a user gives may be a link, and a pipe as the text input of a command.
                boolean isOwnPath = place.equals(template.resolve(dataset.name()));
                boolean isInput = home.equals("paths") && entry == HostileEntry.PIPE;
                if (!(isOwnPath && (entry.isLinkOutside() || isInput))) {
                    cases.add(one);
                }
            }
        }
        return cases;
    }

    /// What the reading commands print about the sound dataset, by command.
    private Map<List<String>, String> expected(String home, HostileDataset dataset)
            throws IOException, InterruptedException {
        Map<List<String>, String> expected = new HashMap<>();
        Path folder = root.resolve("case");
        FolderState.copy(templates.resolve(home), folder);
        for (List<String> command : dataset.reading()) {
            PatientCall.Ended ended = PatientCall.of(pipe, dataset.words(command, folder, inputs));
            if (ended.run().exitCode() != 0) {
                problems.add(
                        home + " is not sound: " + command + ": " + ended.run().err());
            }
            expected.put(command, records(folder));
            deleteOutput(folder);
        }
        FolderState.delete(folder);
        return expected;
    }

    /// The exported records, or null when the command exports none.
    private static String records(Path folder) throws IOException {
        Path file = folder.resolve("out.jsonl");
        return Files.exists(file) ? Files.readString(file) : null;
    }

    private static void deleteOutput(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.startsWith("out") || name.startsWith(".out")) {
                    FolderState.delete(file);
                }
            }
        }
    }

    /// @return the folder of the case, or null when there is no such case
    private Path put(Case one) throws IOException {
        makeOutside();
        Path folder = root.resolve("case");
        FolderState.copy(templates.resolve(one.home), folder);
        Path place = folder.resolve(one.place);
        boolean isPut = Files.isDirectory(place.getParent()) && one.entry.put(place, outside, special);
        outsideBefore = FolderState.of(outside);
        return isPut ? folder : null;
    }

    private void tryReading(Case one, Map<List<String>, String> expected) throws IOException, InterruptedException {
        Path folder = put(one);
        for (List<String> command : folder == null ? List.<List<String>>of() : one.dataset.reading()) {
            PatientCall.Ended ended = call(one, command, folder);
            String found = records(folder);
            // Tables of stores have no checksum, and a slot of zeros is a missing value.
            boolean isUnchecked =
                    one.entry == HostileEntry.HUGE && one.place.toString().endsWith(".offset");
            boolean isWrong = !isUnchecked
                    && ended.run() != null
                    && ended.run().exitCode() == 0
                    && found != null
                    && !found.equals(expected.get(command));
            if (isWrong) {
                problems.add(one + ": " + command + " gave other records");
            }
            deleteOutput(folder);
        }
        FolderState.delete(root.resolve("case"));
    }

    private void tryWriting(Case one, Random random) throws IOException, InterruptedException {
        for (List<String> command : one.dataset.writing()) {
            if (!IS_LONG && !one.isPinned() && random.nextInt(3) > 0) {
                continue;
            }
            Path folder = put(one);
            if (folder != null) {
                call(one, command, folder);
                Path precious = folder.resolve(one.place).resolve(HostileEntry.PRECIOUS);
                if (one.entry == HostileEntry.FOLDER && !Files.exists(precious)) {
                    problems.add(one + ": " + command + " deleted a file that is not part of the dataset");
                }
            }
            FolderState.delete(root.resolve("case"));
        }
    }

    private PatientCall.Ended call(Case one, List<String> command, Path folder)
            throws IOException, InterruptedException {
        callCount++;
        PatientCall.Ended ended = PatientCall.of(pipe, one.dataset.words(command, folder, inputs));
        if (!ended.problem().isEmpty()) {
            problems.add(one + ": " + command + " " + ended.problem());
        }
        String difference = outsideBefore.difference(FolderState.of(outside));
        if (!difference.isEmpty()) {
            problems.add(one + ": " + command + " changed files outside:" + difference);
            outsideBefore = FolderState.of(outside);
        }
        return ended;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Buffer;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.RecordFamily;
import dev.penstock.plugin.IndexRanges;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.PackSelection;
import dev.penstock.plugin.PackfileCommand;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Extracts records of a pack to files.
@CommandLine.Command(
        name = "extract",
        header = "Extract records of a pack to files.",
        description =
                "Files get their original names if the pack has names, otherwise names such as record-000005.bin, or"
                        + " those of the plug-in that knows the records. All"
                        + " indices and names are checked before anything is written.",
        footer = {"", "Example:", "  penstock pack extract runs.a2pack --indices 0,5,10-20 --output out"})
final class PackExtractCommand extends PackfileCommand {
    @Mixin
    PackSelection selection;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "DIR",
            description = "The output folder.")
    Path output;

    @Mixin
    OverwriteOption overwrite;

    @Override
    public Integer call() throws IOException {
        try (PackReader pack = open();
                ProgressBar progress = progress("extract", ProgressBar.Unit.FILES)) {
            List<IndexRanges.Range> ranges = selection.ranges(pack, progress);
            long total = ranges.stream()
                    .mapToLong(range -> range.last() - range.first() + 1)
                    .sum();
            forEach(ranges, index -> {
                pack.size(index);
                requireFree(target(pack, index));
            });
            Files.createDirectories(output);
            long[] done = new long[3];
            forEach(ranges, index -> {
                if (!pack.entry(index).isTombstone()) {
                    done[0]++;
                    done[1] += write(pack, index);
                }
                progress.at(++done[2], total);
            });
            report(done[0], done[1]);
        }
        return 0;
    }

    /// An action on one record.
    private interface RecordAction {
        void run(long index) throws IOException;
    }

    private static void forEach(List<IndexRanges.Range> ranges, RecordAction action) throws IOException {
        for (IndexRanges.Range range : ranges) {
            for (long index = range.first(); index <= range.last(); index++) {
                action.run(index);
            }
        }
    }

    private void requireFree(Path target) throws IOException {
        if (!overwrite.isGiven && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(target.toString());
        }
    }

    /// The path to write a record to. Names from a file are not trusted: they must not lead out of the folder.
    private Path target(PackReader pack, long index) {
        String name = pack.name(index);
        if (name == null) {
            Optional<RecordFamily> family = RecordFamily.of(pack.kind(index));
            String noun = family.map(RecordFamily::noun).orElse("record");
            String extension =
                    family.map(known -> known.extensions().getFirst()).orElse(".bin");
            return top().resolve(String.format(Locale.ROOT, "%s-%06d%s", noun, index, extension));
        }
        Path target;
        try {
            target = top().resolve(name).normalize();
        } catch (InvalidPathException e) {
            throw badName(pack, index, name);
        }
        boolean isPlain = !name.isEmpty() && !name.contains("\0");
        if (!isPlain || !target.startsWith(top()) || target.equals(top())) {
            throw badName(pack, index, name);
        }
        return target;
    }

    /// The folder in a form in which paths can be compared; a relative one may be empty.
    private Path top() {
        return output.toAbsolutePath().normalize();
    }

    private static DatasetException badName(PackReader pack, long index, String name) {
        return new DatasetException.Corrupt(
                pack.location(),
                0,
                Reason.BAD_NAMES,
                "record " + index + " has the unsafe name " + Text.printable(name));
    }

    private long write(PackReader pack, long index) throws IOException {
        Path target = target(pack, index);
        requireNoLink(pack, index, target.getParent());
        Files.createDirectories(target.getParent());
        long size = pack.size(index);
        try (Buffer buffer = new Buffer();
                NewFile file = NewFile.create(Disk.real(), target, overwrite.isGiven)) {
            MemorySegment content = buffer.reserve(size).asSlice(0, size);
            pack.read(index, content);
            file.write(content, 0);
            file.publishUnforced();
        }
        return size;
    }

    /// A link below the output could lead out of it, where folders would be created.
    private void requireNoLink(PackReader pack, long index, Path folder) {
        for (Path path = folder; path.startsWith(top()) && !path.equals(top()); path = path.getParent()) {
            if (Files.isSymbolicLink(path)) {
                throw badName(pack, index, pack.name(index) + ", which leads out of the folder through a link");
            }
        }
    }

    private void report(long fileCount, long byteCount) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("files", fileCount);
            json.put("bytes", byteCount);
            printJson(json);
        } else {
            remark("Extracted " + Text.number(fileCount) + " records (" + Text.bytes(byteCount) + ") to " + output);
        }
    }
}

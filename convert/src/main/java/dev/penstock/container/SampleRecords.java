// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/// The samples of archives as WebDataset writes them, or the files of plain archives.
///
/// Files that follow each other and have the same key are one sample. A sample does not continue in the next
/// archive.
record SampleRecords(
        String kind, List<SourceFile> files, SampleShape.Opener opener, SampleShape shape, SourceOptions options)
        implements RecordSource {
    static SampleRecords open(String kind, List<SourceFile> files, SampleShape.Opener opener, SourceOptions options)
            throws IOException {
        for (String word : options.decoded()) {
            if (!MemberDecoder.KNOWN.contains(word)) {
                throw new IllegalArgumentException(
                        "files of an archive are decoded as txt, cls, json or npy, or all of them, not as " + word);
            }
        }
        return new SampleRecords(kind, files, opener, SampleShape.of(files, opener, options), options);
    }

    @Override
    public String name() {
        return SourceFile.name(files);
    }

    @Override
    public List<Field> fields() {
        return shape.fields();
    }

    @Override
    public String fingerprint() throws IOException {
        return SourceFile.fingerprint(kind + " 1 " + shape.fields(), files);
    }

    @Override
    public Optional<Dataset> dataset() {
        return Optional.empty();
    }

    @Override
    public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
        long total = SourceFile.bytes(files);
        long before = 0;
        try (Intake intake = new Intake(fields(), options, receiver)) {
            for (SourceFile file : files) {
                long first = before;
                try (Members members = opener.open(file)) {
                    new Pass(file, members, intake).run(done -> progress.at(first + done, total));
                } catch (DatasetException.Corrupt e) {
                    intake.giveUp(e);
                }
                before += file.size();
            }
            intake.flush();
        }
    }

    @Override
    public void close() {
        // Each pass opens the archives itself.
    }

    /// One pass over one archive.
    private final class Pass {
        private final SourceFile file;
        private final Members members;
        private final Intake intake;
        /// The position of the first value of each extension in a record.
        private final Map<String, Integer> positions = new LinkedHashMap<>();

        private final byte[][] values = new byte[fields().size()][];
        private final Set<String> seen = new HashSet<>();
        private String key;
        private Members.Member firstMember;
        private boolean isBad;

        Pass(SourceFile file, Members members, Intake intake) {
            this.file = file;
            this.members = members;
            this.intake = intake;
            int position = 1;
            if (!shape.isPlain()) {
                for (Map.Entry<String, MemberDecoder> entry : shape.decoders().entrySet()) {
                    positions.put(entry.getKey(), position);
                    position += entry.getValue().fields().size();
                }
            }
        }

        void run(LongConsumer progress) throws IOException {
            for (Members.Member one = members.next(); one != null; one = members.next()) {
                if (shape.isPlain()) {
                    values[0] = one.name().getBytes(StandardCharsets.UTF_8);
                    values[1] = members.content();
                    intake.add(values, file.location(), one.offset(), one.name());
                } else {
                    add(one);
                }
                if (intake.isProgressDue()) {
                    progress.accept(members.doneBytes());
                }
            }
            complete();
        }

        private void add(Members.Member member) throws IOException {
            SampleName name = SampleName.of(member.name());
            if (name == null) {
                return;
            }
            if (!name.key().equals(key)) {
                complete();
                key = name.key();
                firstMember = member;
            }
            try {
                set(member, name);
            } catch (BadMember e) {
                if (!isBad) {
                    intake.leaveOut(e.leftOut(file.location(), member, name));
                }
                isBad = true;
            }
        }

        private void set(Members.Member member, SampleName name) throws IOException, BadMember {
            MemberDecoder decoder = shape.decoders().get(name.extension());
            if (decoder == null) {
                throw new BadMember(Reason.SHARD_MISMATCH, "there was no such file in the first pass");
            }
            if (!seen.add(name.extension())) {
                throw new BadMember(Reason.BAD_NAMES, "the sample has two files " + member.name());
            }
            byte[][] decoded = decoder.decode(members.content());
            System.arraycopy(decoded, 0, values, positions.get(name.extension()), decoded.length);
        }

        /// Passes on the sample that is complete.
        private void complete() throws IOException {
            if (key != null && !isBad) {
                values[0] = key.getBytes(StandardCharsets.UTF_8);
                intake.add(values, file.location(), firstMember.offset(), key);
            }
            Arrays.fill(values, null);
            seen.clear();
            key = null;
            isBad = false;
        }
    }
}

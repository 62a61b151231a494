// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.convert.SourceOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The fields of the samples of archives, found by a first pass over the names of their files. Only what is
/// decoded to types is read for that.
///
/// Archives in which no sample has two files, and whose files have different extensions or none, are plain: each
/// file is a record with a name.
///
/// @param decoders the fields behind the key for each extension, in the order in which extensions first occur;
///                 null for plain archives
record SampleShape(Map<String, MemberDecoder> decoders) {
    static final Field KEY = Field.variable("__key__", ElementType.UTF8);
    static final List<Field> PLAIN =
            List.of(Field.variable("name", ElementType.UTF8), Field.variable("data", ElementType.BYTES));

    boolean isPlain() {
        return decoders == null;
    }

    List<Field> fields() {
        if (isPlain()) {
            return PLAIN;
        }
        List<Field> fields = new ArrayList<>(List.of(KEY));
        decoders.values().forEach(decoder -> fields.addAll(decoder.fields()));
        return List.copyOf(fields);
    }

    /// Opens one of the archives.
    @FunctionalInterface
    interface Opener {
        Members open(SourceFile file) throws IOException;
    }

    static SampleShape of(List<SourceFile> files, Opener opener, SourceOptions options) throws IOException {
        Map<String, MemberDecoder> decoders = new LinkedHashMap<>();
        Counts counts = new Counts();
        for (SourceFile file : files) {
            try (Members members = opener.open(file)) {
                for (Members.Member one = members.next(); one != null; one = members.next()) {
                    see(file, one, members, options, decoders, counts);
                }
            } catch (DatasetException.Corrupt e) {
                options.bad().add(e);
            }
        }
        boolean isPlain = !counts.hasShared && (counts.namelessCount > 0 || decoders.size() > 1) || decoders.isEmpty();
        return new SampleShape(isPlain ? null : decoders);
    }

    /// Whether any sample has several files, and how many files belong to none.
    private static final class Counts {
        private boolean hasShared;
        private long namelessCount;
        private String key;
    }

    private static void see(
            SourceFile file,
            Members.Member member,
            Members members,
            SourceOptions options,
            Map<String, MemberDecoder> decoders,
            Counts counts)
            throws IOException {
        SampleName name = SampleName.of(member.name());
        if (name == null) {
            counts.namelessCount++;
            return;
        }
        counts.hasShared |= name.key().equals(counts.key);
        counts.key = name.key();
        MemberDecoder decoder = decoders.computeIfAbsent(
                name.extension(), extension -> MemberDecoder.of(extension, options.decoded(), options.text()));
        if (decoder.isLearning()) {
            byte[] content = members.content();
            try {
                decoder.learn(content);
            } catch (BadMember e) {
                options.bad().add(e.leftOut(file.location(), member, name));
            }
        }
    }
}

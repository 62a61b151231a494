// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.ElementType;
import dev.penstock.convert.IndexSet;
import dev.penstock.convert.RecordChoice;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.TargetOptions;
import dev.penstock.plugin.ByteCount;
import dev.penstock.plugin.IndexFile;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.WhereOption;
import dev.penstock.store.StoreTypes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The options for the fields and records of a source, and for writing the target.
final class TargetOption {
    @Option(
            names = "--to",
            paramLabel = "FORMAT",
            completionCandidates = TargetFormats.class,
            description = "The format of the target: ${COMPLETION-CANDIDATES} (default: by the extension of its name;"
                    + " without one, convert makes a table if all fields"
                    + " have a fixed size and a store otherwise, and merge and sample use the format of their"
                    + " first source).")
    String format;

    @Option(
            names = "--field",
            paramLabel = "NAME|NAME:TYPE",
            description = "Convert only this field, as plain values: a pack, an array, or rows of shards. With a type,"
                    + " as in zip:utf8, this is the type of a field of CSV or JSON, instead of the guessed one; it may"
                    + " be given several times.")
    List<String> given = new ArrayList<>();

    @Option(
            names = "--fields",
            paramLabel = "LIST",
            description = "Convert only these fields, as in a,b (default: all).")
    String fields;

    @Mixin
    WhereOption where;

    @Option(
            names = "--without",
            paramLabel = "FILE",
            description = "Leave out the records whose indices are in this file: a NumPy array of integers (.npy), JSON"
                    + " (.json), as the explorer exports flags, or text with one index on each line.")
    Path without;

    @Option(
            names = "--cast",
            paramLabel = "f16|bf16|f32|f64",
            description = "Convert floating-point numbers to this type. Integers are converted as well if a"
                    + " record has one field only.")
    String cast;

    @Option(
            names = "--as",
            paramLabel = "TYPE",
            description = "Read values of bytes, such as the records of a pack, as rows of numbers of this type, for"
                    + " example float32. All must have the same size.")
    String type;

    @Option(
            names = "--compress",
            paramLabel = "HOW",
            description =
                    "For a pack none, zstd or lz4; for a store raw, flate, zstd or lz4 (default: none; from store to"
                            + " store that of the source).")
    String compression;

    @Option(names = "--level", paramLabel = "L", description = "For a pack: the compression level.")
    Integer level;

    @Option(names = "--align", paramLabel = "BYTES", description = "For a pack: the alignment of records in bytes.")
    Long alignment;

    @Option(
            names = "--shard-rows",
            paramLabel = "N",
            description = "For shards and for a table that is a folder: start a new file after N rows.")
    Long shardRows;

    @Option(
            names = "--shard-bytes",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "Likewise the largest size of a file, as in 2g (default: 1g).")
    Long shardBytes;

    @Mixin
    OverwriteOption overwrite;

    /// Whether there is an option that only a new dataset can have.
    boolean isWriting() {
        return overwrite.isGiven
                || Stream.of(format, cast, compression, level, alignment, shardRows, shardBytes)
                        .anyMatch(Objects::nonNull);
    }

    /// The name of the only field, or null.
    private String field() {
        List<String> names = given.stream().filter(text -> typeOf(text) == null).toList();
        if (names.size() > 1) {
            throw new IllegalArgumentException("--field takes one field; use --fields " + String.join(",", names)
                    + " for several, or give a type, as in " + names.getFirst() + ":int64");
        }
        return names.isEmpty() ? null : names.getFirst();
    }

    /// The types of fields, by name.
    Map<String, ElementType> types() {
        Map<String, ElementType> types = new LinkedHashMap<>();
        for (String text : given) {
            ElementType type = typeOf(text);
            String name = type == null ? text : text.substring(0, text.lastIndexOf(':'));
            if (type != null && types.put(name, type) != null) {
                throw new IllegalArgumentException("--field gives two types of the field " + name);
            }
        }
        return types;
    }

    /// Refuses types of fields, because datasets have types of their own.
    void requireNoTypes() {
        if (!types().isEmpty()) {
            throw new IllegalArgumentException("--field NAME:TYPE is for CSV and JSON, which convert reads; the types"
                    + " of datasets are stored in them");
        }
    }

    /// The type behind the last colon, or null if there is none.
    private static ElementType typeOf(String text) {
        int colon = text.lastIndexOf(':');
        return colon < 1 ? null : StoreTypes.find(text.substring(colon + 1));
    }

    /// The selected fields and records.
    RecordChoice choice() throws IOException {
        String field = field();
        if (field != null && fields != null) {
            throw new IllegalArgumentException("--field and --fields cannot be used together");
        }
        List<String> names = new ArrayList<>();
        if (field != null) {
            names.add(field);
        }
        if (fields != null) {
            for (String name : fields.split(",")) {
                names.add(name.strip());
            }
        }
        RecordChoice choice = RecordChoice.ALL.withFields(names).withCondition(where.condition);
        return without == null ? choice : choice.withoutRecords(IndexSet.of(IndexFile.read(without)));
    }

    /// The records, as rows of numbers if a type was given.
    RecordSource typed(RecordSource records) throws IOException {
        return type == null ? records : RecordSource.numbers(records, StoreTypes.of(type));
    }

    /// The options for writing the target.
    TargetOptions options() {
        return TargetOptions.DEFAULT
                .withCast(cast == null ? null : StoreTypes.of(cast))
                .withCompression(compression, level)
                .withAlignment(alignment)
                .withShards(shardRows, shardBytes)
                .withPlain(field() != null)
                .withReplacing(overwrite.isGiven);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.catalog.Candidate;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import dev.penstock.shards.FileRows;
import dev.penstock.shards.ResidualFolder;
import dev.penstock.shards.Safetensors;
import dev.penstock.table.RowType;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Opens rows of floating-point numbers of any location: NumPy arrays, safetensors, `residual_shard_bf16`
/// folders, shards, files of raw floats, and a field of any other source.
public final class RowSources {
    private static final String TENSORS = ".safetensors";

    private RowSources() {}

    /// Selects what to read from a location.
    ///
    /// @param tensor   the tensor of a `.safetensors` file, or null for all
    /// @param field    the field of records with several fields, or null
    /// @param rawWidth the width of rows in a file of f32 numbers without a header, or 0 for all other files
    public record Choice(String tensor, String field, long rawWidth) {
        /// Selects everything.
        public static final Choice ALL = new Choice(null, null, 0);
    }

    /// Opens a file, or a folder: a dataset, another source, a `residual_shard_bf16` folder, or any folder of
    /// `.npy` and `.safetensors` files, which are read in the byte order of their names. The records have one
    /// field, a row.
    ///
    /// @throws DatasetException         when an input is damaged
    /// @throws IllegalArgumentException when inputs differ in width, or are not floating-point
    public static RecordSource open(Location location, Choice choice, Catalog.Options options) throws IOException {
        if (isOther(location, choice, options)) {
            return fieldRows(location, choice, options);
        }
        List<RowRecords> found = new ArrayList<>();
        try {
            add(location, choice, options, found);
        } catch (Throwable e) {
            ChainedRecords.closeAll(found);
            throw e;
        }
        return ChainedRecords.of(location.toString(), found);
    }

    /// Whether the records come from a field that is chosen, or from a source that is not made of arrays.
    private static boolean isOther(Location location, Choice choice, Catalog.Options options) throws IOException {
        if (choice.field() != null || choice.tensor() != null || choice.rawWidth() > 0) {
            return choice.field() != null;
        }
        Optional<SourceKind> kind = Sources.kind(location, options);
        return kind.isPresent() && kind.get() != OwnKinds.SAFETENSORS && kind.get() != OwnKinds.RESIDUAL;
    }

    /// The values of one field of any source as rows.
    private static RecordSource fieldRows(Location location, Choice choice, Catalog.Options options)
            throws IOException {
        requireNoTensor(location, choice);
        List<String> fields = choice.field() == null ? List.of() : List.of(choice.field());
        RecordSource source = Sources.open(
                location, SourceOptions.DEFAULT.withCatalog(options).withChoice(RecordChoice.ALL.withFields(fields)));
        try {
            return FittedRecords.of(source, List.of(row(source)), true);
        } catch (Throwable e) {
            source.close();
            throw e;
        }
    }

    private static Field row(RecordSource source) {
        Field field = source.fields().getFirst();
        ElementType type = field.type();
        boolean isNumber = type.isFloat() || type.isInteger() || type == ElementType.BOOL;
        boolean isRow = !field.isVariable() && field.shape().size() == 1;
        if (source.fields().size() != 1 || !isNumber || !isRow) {
            throw new IllegalArgumentException(source.name() + " has the fields " + described(source.fields())
                    + "; shards can only be made from a single field with a fixed number of values, so choose one");
        }
        return RowRecords.field(
                type.isFloat() ? type : ElementType.F64, field.shape().getFirst());
    }

    /// The names, types and shapes of fields, for messages.
    private static String described(List<Field> fields) {
        return fields.stream()
                .map(field -> field.name() + " (" + field.type()
                        + (field.isVariable() ? ", variable" : field.shape().isEmpty() ? "" : " " + field.shape())
                        + ")")
                .collect(Collectors.joining(", "));
    }

    /// The floating-point tensors of a file in the order of their names, or one of them.
    ///
    /// @param tensor the name, or null for all
    static RecordSource tensors(Location file, String tensor, Catalog.Options options) throws IOException {
        return ChainedRecords.of(file.toString(), blocks(Safetensors.open(file, tensor, options.reading())));
    }

    /// The rows of a `residual_shard_bf16` folder.
    static RecordSource residual(Location folder, Catalog.Options options) throws IOException {
        return ChainedRecords.of(folder.toString(), blocks(ResidualFolder.open(folder, options.reading())));
    }

    /// The file that holds a tensor, if the candidate is `FILE.safetensors` or `FILE.safetensors/TENSOR`;
    /// otherwise null.
    static Location tensorFile(Candidate candidate) throws IOException {
        if (candidate.kind() == Candidate.Kind.FILE) {
            return candidate.location().name().endsWith(TENSORS) ? candidate.location() : null;
        }
        boolean isInside = candidate.kind() == Candidate.Kind.ABSENT
                && candidate.location().toString().contains(TENSORS + "/");
        for (Location at = candidate.location(); isInside && at != null; at = at.parent()) {
            boolean isFile = at.name().endsWith(TENSORS)
                    && Candidate.at(at, candidate.options()).kind() == Candidate.Kind.FILE;
            if (isFile) {
                return at;
            }
        }
        return null;
    }

    /// The name of the tensor in `FILE.safetensors/TENSOR`, or null for the file itself.
    static String tensor(Location location, Location file) {
        int fileLength = file.toString().length();
        return location.equals(file) ? null : location.toString().substring(fileLength + 1);
    }

    private static List<RowRecords> blocks(List<FileRows> rows) {
        List<RowRecords> blocks = new ArrayList<>();
        rows.forEach(block -> blocks.add(BlockRecords.of(block)));
        return blocks;
    }

    private static void add(Location location, Choice choice, Catalog.Options options, List<RowRecords> found)
            throws IOException {
        Candidate.Kind kind = Candidate.at(location, options.reading()).kind();
        if (kind == Candidate.Kind.FOLDER) {
            addFolder(location, choice, options, found);
        } else if (kind == Candidate.Kind.ABSENT
                && Catalog.format(location, options).isEmpty()) {
            throw new NoSuchFileException(location.toString());
        } else if (choice.rawWidth() > 0) {
            requireNoTensor(location, choice);
            RowType row = RowType.of(List.of(RowRecords.field(ElementType.F32, choice.rawWidth())));
            found.add(MatrixRecords.of(Catalog.open(location, options.withRawType(row))));
        } else if (location.name().endsWith(TENSORS)) {
            found.addAll(blocks(Safetensors.open(location, choice.tensor(), options.reading())));
        } else {
            addDataset(location, choice, options, found);
        }
    }

    private static void addFolder(Location folder, Choice choice, Catalog.Options options, List<RowRecords> found)
            throws IOException {
        if (choice.rawWidth() > 0) {
            throw new IllegalArgumentException(
                    "a width is for a single file without a header, but " + folder + " is a folder");
        }
        if (ResidualFolder.isResidual(folder, options.reading())) {
            requireNoTensor(folder, choice);
            found.addAll(blocks(ResidualFolder.open(folder, options.reading())));
        } else if (Catalog.format(folder, options).isPresent()) {
            addDataset(folder, choice, options, found);
        } else {
            addFiles(folder, choice, options, found);
        }
    }

    private static void addDataset(Location location, Choice choice, Catalog.Options options, List<RowRecords> found)
            throws IOException {
        requireNoTensor(location, choice);
        if (Catalog.format(location, options).isEmpty()) {
            throw new DatasetException.WrongFormat(
                    location,
                    "no known magic number; to read f32 numbers without a header, give the width of the rows");
        }
        found.add(MatrixRecords.of(Catalog.open(location, options)));
    }

    private static void requireNoTensor(Location location, Choice choice) {
        if (choice.tensor() != null) {
            throw new IllegalArgumentException("tensor " + choice.tensor() + " can be chosen only in a .safetensors"
                    + " file, but " + location + " is not one");
        }
    }

    private static void addFiles(Location folder, Choice choice, Catalog.Options options, List<RowRecords> found)
            throws IOException {
        Storage storage = options.reading().storageOf(folder);
        List<Location> files = storage.list(folder).stream()
                .filter(file -> file.name().endsWith(".npy") || file.name().endsWith(TENSORS))
                .sorted(FileRecords.BY_NAME)
                .toList();
        Location manifest = folder.resolve(ResidualFolder.MANIFEST);
        if (files.isEmpty() && storage.exists(manifest)) {
            throw new DatasetException.WrongFormat(
                    manifest,
                    "this is not the manifest of a residual_shard_bf16 folder, and the folder holds no .npy,"
                            + " .safetensors or .shard files");
        }
        if (files.isEmpty()) {
            throw new IllegalArgumentException(folder + " holds no .npy, .safetensors or .shard files, and no manifest"
                    + " of a residual_shard_bf16 folder");
        }
        for (Location file : files) {
            add(file, choice, options, found);
        }
    }
}

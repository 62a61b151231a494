// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.catalog.SampleDatasets;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordChoice;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.convert.TargetOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Folders of Hugging Face datasets and files of Parquet keep the shapes of arrays.
@ExtendWith(Seeds.class)
class SavedTargetTest {
    private static final RowType TYPE =
            RowType.of(DType.parse("[('board', '<u8'), ('ev', '<f4', (2, 3)), ('half', '<f2', (4,)), ('raw', 'V5')]"));

    @TempDir
    Path folder;

    private Path table;

    @BeforeEach
    void write() throws IOException {
        table = SampleDatasets.table(folder.resolve("rows.npy"), TYPE, 20_000, Seeds.random());
    }

    private static Conversion.Report convert(Path source, Path target, String format, TargetOptions options)
            throws IOException {
        try (RecordSource records = Sources.open(Location.of(source), SourceOptions.DEFAULT)) {
            return Conversion.of(records, target, format, options).run(Progress.NONE, Progress.NONE);
        }
    }

    private static List<List<Long>> shapes(Path path) throws IOException {
        try (RecordSource source = Sources.open(Location.of(path), SourceOptions.DEFAULT)) {
            return source.fields().stream().map(Field::shape).toList();
        }
    }

    @Test
    void aSavedFolderKeepsRecordsAndShapes() throws IOException {
        Path saved = folder.resolve("saved");
        TargetOptions options = TargetOptions.DEFAULT.withShards(6000L, null);
        assertEquals(20_000, convert(table, saved, "hf", options).records());
        Map<?, ?> state = (Map<?, ?>) Json.parse(Files.readAllBytes(saved.resolve("state.json")));
        List<?> files = (List<?>) state.get("_data_files");
        assertEquals(files.size() + 2, Files.list(saved).count());
        assertEquals(4, files.size());
        assertEquals(List.of(List.of(), List.of(2L, 3L), List.of(4L), List.of()), shapes(saved));
        assertEquals(
                20_000,
                convert(saved, folder.resolve("again"), "store", TargetOptions.DEFAULT)
                        .records());
    }

    @Test
    void anotherFolderIsNotReplaced() throws IOException {
        Path saved = folder.resolve("saved");
        convert(table, saved, "hf", TargetOptions.DEFAULT);
        assertThrows(FileAlreadyExistsException.class, () -> convert(table, saved, "hf", TargetOptions.DEFAULT));
        TargetOptions replacing = TargetOptions.DEFAULT.withReplacing(true);
        convert(table, folder.resolve("store"), "store", TargetOptions.DEFAULT);
        convert(folder.resolve("store"), saved, "hf", replacing);
        Files.writeString(saved.resolve("mine.txt"), "x");
        assertThrows(FileAlreadyExistsException.class, () -> convert(table, saved, "hf", replacing));
    }

    @Test
    void parquetKeepsShapesInFewRowGroups() throws IOException {
        try (RecordSource records = Sources.open(Location.of(table), SourceOptions.DEFAULT)) {
            RecordSource some = Sources.chosen(records, RecordChoice.ALL.withFields(List.of("board", "ev", "raw")));
            Conversion.of(some, folder.resolve("rows.parquet"), null, TargetOptions.DEFAULT)
                    .run(Progress.NONE, Progress.NONE);
        }
        Path parquet = folder.resolve("rows.parquet");
        assertEquals(List.of(List.of(), List.of(2L, 3L), List.of()), shapes(parquet));
        try (Disk.Readable file = Disk.real().open(parquet)) {
            assertEquals(1, ParquetFooter.read(Location.of(parquet), file).groupCount());
        }
    }
}

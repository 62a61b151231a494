// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Writes records to a new dataset of one format. A format that has one can be the target of a [Conversion].
///
/// Another module adds a target by naming its class in `META-INF/services/dev.penstock.convert.Target`.
///
/// **Threads.** Must be safe for any number of threads.
public interface Target {
    /// The name of the format, as returned by [dev.penstock.Dataset#format].
    String format();

    /// The file extensions of this format, such as `.npy`. The first is the usual one. Empty for a
    /// format that only its name can ask for.
    List<String> extensions();

    /// Patterns of the paths below a folder of this format, such as `*.shard`, or `chunk/` for a folder. A
    /// folder with any other name is not replaced. The list is empty for formats of a single file.
    default List<String> folderNames() {
        return List.of();
    }

    /// Whether this format supports missing values.
    default boolean hasMissing() {
        return false;
    }

    /// Whether text must have a fixed size. Guessed text then has that of the longest text.
    default boolean isTextFixed() {
        return false;
    }

    /// Whether an interrupted conversion can continue after the committed records. Otherwise it starts again.
    ///
    /// @param target the path of the target
    boolean isResumable(Path target);

    /// The fields that the target will have, one for each field of the source and in the same order.
    ///
    /// @param job the job, with the fields of the source
    /// @throws IllegalArgumentException when the format does not support such records; the message says what to
    ///                                  do
    List<Field> fields(Job job);

    /// Starts writing, or continues after the records that an interrupted conversion has committed.
    ///
    /// @param path the path to write to, which has the extension of the target
    /// @param job  the records and options
    RecordWriter open(Path path, Job job) throws IOException;

    /// Opens the written records for the comparison with those of the source. The fields are those of the job.
    ///
    /// @param path the path that was written to
    default RecordSource read(Path path, Job job) throws IOException {
        return Sources.open(
                path,
                SourceOptions.DEFAULT
                        .withCatalog(Catalog.Options.DEFAULT.withDisk(job.disk()))
                        .withText(TextRules.of(this).withFields(job.fields())));
    }

    /// A job: the records to write and the options.
    ///
    /// @param source  the source of the records
    /// @param target  the final path of the result
    /// @param fields  the fields of the records that the writer receives: the source's until [#fields] has
    ///                decided
    /// @param options the options for writing
    /// @param disk    the disk to write to
    record Job(RecordSource source, Path target, List<Field> fields, TargetOptions options, Disk disk) {
        Job withFields(List<Field> fields) {
            return new Job(source, target, fields, options, disk);
        }
    }
}

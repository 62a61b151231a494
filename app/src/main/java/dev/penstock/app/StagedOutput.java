// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.DatasetCopy;
import dev.penstock.file.CacheOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.UUID;
import picocli.CommandLine.Option;

/// Where an output is made: at its path, or, for one in object storage, in a local folder from which it is
/// copied when it is complete.
final class StagedOutput {
    @Option(
            names = "--stage",
            paramLabel = "FOLDER",
            description = "For output in object storage: the local folder in which it is made before it is copied"
                    + " (default: the folder for temporary files).")
    Path folder;

    /// The local path that the output is written to. The same output has the same path, so that an interrupted
    /// conversion is continued.
    ///
    /// @throws FileAlreadyExistsException when the output exists and may not be replaced
    Path begin(Location output, boolean isReplacing) throws IOException {
        if (output.isLocal()) {
            return output.path();
        }
        Storage storage = ReaderOptions.DEFAULT.withCache(CacheOptions.NONE).storageOf(output);
        storage.writer(output);
        if (!isReplacing && storage.exists(output)) {
            throw new FileAlreadyExistsException(output.toString());
        }
        Disk.real().createDirectory(place(output));
        return place(output).resolve(output.name());
    }

    private Path place(Location output) {
        Path parent = folder == null ? Path.of(System.getProperty("java.io.tmpdir")) : folder;
        UUID id = UUID.nameUUIDFromBytes(output.toString().getBytes(StandardCharsets.UTF_8));
        return parent.resolve("penstock-" + System.getProperty("user.name") + "-" + id);
    }

    /// Copies the output to where it belongs, and removes the local one.
    void finish(Command command, Location output, boolean isReplacing) throws IOException {
        if (output.isLocal()) {
            return;
        }
        Path place = place(output);
        try (ProgressBar progress = command.progress("upload", ProgressBar.Unit.BYTES)) {
            DatasetCopy.of(Location.of(place.resolve(output.name())), output)
                    .withReplacing(isReplacing)
                    .run(progress);
        } catch (IOException e) {
            command.remark("The complete output is in " + place + "; `penstock copy` continues from there.");
            throw e;
        }
        Disk.real().deleteAll(place);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The files of a dataset that is a folder, in the order in which a copy writes them.
///
/// @param names     the names inside the folder, with slashes; none leads out of it
/// @param hasCommit whether readers see a dataset only when it has the last of these files, such as a manifest
public record DatasetFiles(List<String> names, boolean hasCommit) {
    /// The object that says that a copy to a folder is under way. A dataset without a file that commits it is not
    /// opened while it is there.
    public static final String COPY_MARK = ".penstock-copy";

    public DatasetFiles {
        names = List.copyOf(names);
    }

    /// Files whose last one commits the dataset.
    public static DatasetFiles committed(List<String> files, String commit) {
        List<String> all = new ArrayList<>(files);
        all.remove(commit);
        all.add(commit);
        return new DatasetFiles(all, true);
    }

    /// The name of a file inside a folder or one of its folders.
    public static String name(Location folder, Location file) {
        return file.parent() == null || file.parent().equals(folder)
                ? file.name()
                : name(folder, file.parent()) + "/" + file.name();
    }

    /// Refuses a remote folder to which a copy is under way.
    ///
    /// @throws DatasetException.WrongFormat when it has the mark of a copy
    public static void requireComplete(Storage storage, Location folder) throws IOException {
        if (!folder.isLocal()) {
            requireComplete(folder, storage.list(folder));
        }
    }

    /// [#requireComplete(Storage, Location)] of a folder whose files are known.
    public static void requireComplete(Location folder, List<Location> files) {
        if (files.contains(folder.resolve(COPY_MARK))) {
            throw new DatasetException.WrongFormat(
                    folder, "a copy to this folder is under way or was interrupted; finish it first");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Dataset;
import dev.penstock.Progress;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A family of records that another module adds to packs: one or more [kinds][PackKind], such as the versions of a
/// file format, and what can be done with them.
///
/// A module names its families in `META-INF/services/dev.penstock.pack.RecordFamily`. Only the kinds, the
/// extensions and how to tell the kinds apart are required.
public interface RecordFamily {
    /// All families on the class path.
    static List<RecordFamily> all() {
        return RecordFamilies.ALL;
    }

    /// The family whose records are all records of a pack, if there is one.
    static Optional<RecordFamily> of(PackReader pack) {
        return pack.count() == 0 || pack.kindCount(PackKind.OPAQUE) == pack.count()
                ? Optional.empty()
                : all().stream().filter(family -> family.isOnly(pack)).findFirst();
    }

    /// The family of a kind, which is empty for bytes.
    static Optional<RecordFamily> of(PackKind kind) {
        return kind.equals(PackKind.OPAQUE)
                ? Optional.empty()
                : all().stream().filter(family -> family.kinds().contains(kind)).findFirst();
    }

    /// What one record is called in messages and in names of extracted files, such as `run`.
    String noun();

    /// The kinds of the family.
    List<PackKind> kinds();

    /// The extensions of files that become such records, such as `.png`. Files with a later extension are used
    /// if there are none with an earlier one.
    List<String> extensions();

    /// The kind of a file with one of the extensions.
    ///
    /// @param head the content, or at least its first 16 bytes, valid during the call only
    PackKind kind(MemorySegment head);

    /// Creates an examination of the files that are packed.
    ///
    /// @param isSkipping whether invalid files are left out; otherwise the first one stops the build
    default Optional<PackIntake> intake(boolean isSkipping) {
        return Optional.empty();
    }

    /// Whether a pack has records, and all of them are of this family.
    default boolean isOnly(PackReader pack) {
        return pack.count() > 0 && kinds().stream().mapToLong(pack::kindCount).sum() == pack.count();
    }

    /// The main figures of a pack of this family, which `pack stats` prints as text.
    default Map<String, Object> summary(PackReader pack, Progress progress) throws IOException {
        return Map.of();
    }

    /// All figures of a pack of this family.
    default Map<String, Object> statistics(PackReader pack, Progress progress) throws IOException {
        return summary(pack, progress);
    }

    /// The content of one record of this family; empty if it cannot be interpreted.
    default Map<String, Object> describe(PackReader pack, long index) throws IOException {
        return Map.of();
    }

    /// The names of the views of a pack of this family. The first has one record for each record of the pack, the
    /// last has the most detailed records.
    default List<String> views() {
        return List.of();
    }

    /// A view of a pack of this family. Closing the view leaves the pack open.
    ///
    /// @param name one of [#views]
    default Dataset view(PackReader pack, String name, Progress progress) throws IOException {
        throw new IllegalArgumentException("packs of a " + noun() + " have no view " + name);
    }

    /// The records of a pack that match a condition, ascending.
    ///
    /// @throws IllegalArgumentException when the condition is invalid, or the family has no conditions
    default long[] where(PackReader pack, String condition, Progress progress) throws IOException {
        throw new IllegalArgumentException("packs of a " + noun() + " have no conditions");
    }
}

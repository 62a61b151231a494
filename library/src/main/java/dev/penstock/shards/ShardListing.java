// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The manifest of a folder, compared with the headers of its shards.
///
/// @param manifest the manifest, or null when there is none that can be read
/// @param isExact  whether the manifest lists exactly the existing shards
/// @param findings the differences
record ShardListing(ShardManifest manifest, boolean isExact, List<Problem> findings) {
    static final ShardListing NONE = new ShardListing(null, false, List.of());

    /// @throws DatasetException when the manifest cannot be used, or shards are missing or differ from it, and the
    ///                          options are not lenient
    static ShardListing of(Storage storage, ShardPaths paths, ShardFiles shards, boolean isLenient) throws IOException {
        if (paths.folder() == null) {
            return NONE;
        }
        ShardManifest manifest;
        try {
            manifest = ShardManifest.read(storage, paths.folder());
        } catch (DatasetException e) {
            if (!isLenient) {
                throw e;
            }
            return new ShardListing(null, false, e.problems());
        }
        if (manifest == null) {
            return NONE;
        }
        List<Problem> findings = compare(manifest, paths, shards);
        List<Problem> errors = findings.stream()
                .filter(finding -> finding.severity() == Severity.ERROR)
                .toList();
        if (!errors.isEmpty() && !isLenient) {
            throw DatasetException.Corrupt.of(errors);
        }
        return new ShardListing(manifest, findings.isEmpty(), findings);
    }

    private static List<Problem> compare(ShardManifest manifest, ShardPaths paths, ShardFiles shards) {
        List<Problem> findings = new ArrayList<>();
        Location list = paths.folder().resolve(ShardFormat.MANIFEST);
        if (manifest.width() != shards.width()
                || !manifest.dtype().equals(shards.type().toString())) {
            findings.add(error(
                    list,
                    Reason.SHARD_MISMATCH,
                    "it lists rows of " + manifest.width() + " " + manifest.dtype() + ", but the shards have rows of "
                            + shards.width() + " " + shards.type()));
        }
        Map<String, Integer> found = new HashMap<>();
        for (Location file : paths.files()) {
            found.put(file.name(), found.size());
        }
        for (Published listed : manifest.shards()) {
            Location file = paths.folder().resolve(listed.name());
            Integer index = found.remove(listed.name());
            if (index == null) {
                findings.add(error(
                        file, Reason.MISSING_SHARD, "the shard is listed in " + ShardFormat.MANIFEST + " but missing"));
            } else if (shards.headers().get(index).rowCount() != listed.rows()
                    || shards.group().files().get(index).size() != listed.bytes()) {
                findings.add(error(
                        file,
                        Reason.SHARD_MISMATCH,
                        shards.headers().get(index).rowCount() + " rows in "
                                + shards.group().files().get(index).size() + " bytes, but the manifest lists "
                                + listed.rows() + " rows in "
                                + listed.bytes() + " bytes"));
            }
        }
        for (String name : found.keySet().stream().sorted().toList()) {
            findings.add(new Problem(
                    paths.folder().resolve(name),
                    0,
                    Severity.WARNING,
                    Reason.UNLISTED_SHARD,
                    "the shard is read but not listed in " + ShardFormat.MANIFEST));
        }
        return findings;
    }

    private static Problem error(Location file, Reason reason, String what) {
        return new Problem(file, 0, Severity.ERROR, reason, what);
    }

    /// The checksums in the manifest, by the names of the shards.
    Map<String, String> checksums() {
        Map<String, String> checksums = new HashMap<>();
        if (manifest != null) {
            manifest.shards().forEach(shard -> checksums.put(shard.name(), shard.crc()));
        }
        return checksums;
    }

    /// Remarks for the user about the manifest.
    List<String> remarks() {
        return findings.isEmpty()
                ? List.of()
                : List.of(ShardFormat.MANIFEST + " does not match the shards, so it is ignored: "
                        + findings.getFirst().file() + ": "
                        + findings.getFirst().what());
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.catalog.Candidate;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// Finds the Arrow files of a folder: those that `save_to_disk` of Hugging Face names in `state.json`, or all.
final class ArrowFiles {
    private static final String STATE = "state.json";
    private static final String SPLITS = "dataset_dict.json";
    private static final int STATE_SIZE_MAX = 8 << 20;

    private ArrowFiles() {}

    /// Whether a folder has Arrow files, or splits that have.
    static boolean isFolder(Candidate candidate) throws IOException {
        if (candidate.kind() != Candidate.Kind.FOLDER) {
            return false;
        }
        Storage storage = candidate.storage();
        return storage.list(candidate.location()).stream()
                .anyMatch(file -> isArrow(file) || file.name().equals(SPLITS));
    }

    private static boolean isArrow(Location file) {
        return !file.name().startsWith(".")
                && (file.name().endsWith(".arrow") || file.name().endsWith(".feather"));
    }

    /// The files at a location, in order.
    ///
    /// @throws IllegalArgumentException when a folder has several splits
    static List<Location> at(Candidate candidate) throws IOException {
        Location location = candidate.location();
        if (candidate.kind() != Candidate.Kind.FOLDER) {
            return List.of(location);
        }
        Storage storage = candidate.storage();
        if (storage.exists(location.resolve(SPLITS))) {
            Object splits = json(storage, location.resolve(SPLITS)).get("splits");
            throw new IllegalArgumentException(location + " has the splits " + splits
                    + "; convert one of them, such as "
                    + location.resolve(
                            splits instanceof List<?> list && !list.isEmpty() ? "" + list.getFirst() : "train"));
        }
        Location state = location.resolve(STATE);
        if (storage.exists(state) && json(storage, state).get("_data_files") instanceof List<?> named) {
            List<Location> files = new ArrayList<>();
            for (Object one : named) {
                if (one instanceof Map<?, ?> file && file.get("filename") instanceof String name && isName(name)) {
                    files.add(location.resolve(name));
                }
            }
            return files;
        }
        return storage.list(location).stream()
                .filter(ArrowFiles::isArrow)
                .sorted(Comparator.comparing(Location::name))
                .toList();
    }

    /// A name of a file in the folder, and not a path that leads out of it.
    private static boolean isName(String name) {
        return !name.isEmpty() && !name.contains("/") && !name.equals("..");
    }

    private static Map<?, ?> json(Storage storage, Location location) throws IOException {
        try (Disk.Readable file = storage.open(location)) {
            byte[] text = new byte[(int) Math.min(STATE_SIZE_MAX, file.size())];
            int size = (int) file.read(0, MemorySegment.ofArray(text));
            return Json.parse(Arrays.copyOf(text, size)) instanceof Map<?, ?> map ? map : Map.of();
        } catch (IllegalArgumentException e) {
            return Map.of();
        }
    }
}

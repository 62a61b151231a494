// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A dataset that a sweep puts hostile files into, with the commands that read and write it.
///
/// @param name    its path below the folder of the case; a folder or a file
/// @param planted names that writers use and that the dataset does not have
/// @param reading commands that only read
/// @param writing commands that change it
record HostileDataset(String name, List<String> planted, List<List<String>> reading, List<List<String>> writing) {
    /// Stands for the path of the dataset in a command.
    static final String IT = "IT";

    /// Stands for a path for the output of a command, which is free.
    static final String OUT = "OUT";

    /// Begins a path in the folder with the inputs, which stay as they are.
    static final String IN = "IN/";

    static HostileDataset of(String name) {
        return new HostileDataset(name, List.of(), List.of(), List.of());
    }

    HostileDataset plant(String... names) {
        List<String> all = new ArrayList<>(planted);
        all.addAll(List.of(names));
        return new HostileDataset(name, all, reading, writing);
    }

    /// With the commands that read any dataset.
    HostileDataset readByAll() {
        return read(
                "info IT",
                "verify IT",
                "head IT",
                "get IT 0",
                "stats IT",
                "fingerprint --full IT",
                "export IT -o OUT.jsonl",
                "sample IT --fraction 0.5",
                "plan IT --batch 4 --seed 1");
    }

    HostileDataset read(String... commands) {
        List<List<String>> all = new ArrayList<>(reading);
        for (String command : commands) {
            all.add(List.of(command.split(" ")));
        }
        return new HostileDataset(name, planted, all, writing);
    }

    HostileDataset write(String... commands) {
        List<List<String>> all = new ArrayList<>(writing);
        for (String command : commands) {
            all.add(List.of(command.split(" ")));
        }
        return new HostileDataset(name, planted, reading, all);
    }

    /// The words of a command.
    ///
    /// @param folder the folder of the case
    /// @param inputs the folder with the inputs
    Object[] words(List<String> command, Path folder, Path inputs) {
        List<Object> words = new ArrayList<>();
        for (String word : command) {
            words.add(word.replace(OUT, folder.resolve("out").toString())
                    .replace(IN, inputs + "/")
                    .replace(IT, folder.resolve(name).toString()));
        }
        words.add("--debug");
        return words.toArray();
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.memory.Access;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a tree is, from its first and last bytes alone: the answer of `info`, since a tree is no dataset.
final class TreeInfo {
    private TreeInfo() {}

    static int print(Command command, Path path, Access access) throws IOException {
        TreeReader.Options options =
                TreeReader.Options.DEFAULT.withStrict(false).withAccess(access);
        try (TreeReader tree = TreeReader.open(path, options)) {
            if (command.isJson) {
                Map<String, Object> info = new LinkedHashMap<>();
                info.put("path", path);
                info.put("format", "tree");
                info.put("version", TreeFormat.VERSION);
                info.put("bytes", tree.bytes());
                info.put("root", tree.root());
                info.put("merges", tree.rootHistory().size() - 1);
                info.put("fingerprint", tree.fingerprint());
                info.put("fingerprintExact", tree.isFingerprintExact());
                command.printJson(info);
            } else {
                command.print(path + ": tree, version " + TreeFormat.VERSION);
                command.print(Text.row("bytes", Text.number(tree.bytes()) + " (" + Text.bytes(tree.bytes()) + ")"));
                command.print(Text.row("root", tree.root()));
                command.print(Text.row("merges", tree.rootHistory().size() - 1));
                command.print(Text.row(
                        "fingerprint", InfoCommand.fingerprint(tree.fingerprint(), tree.isFingerprintExact())));
                command.remark("`tree stats` counts the paths: the format keeps no count");
            }
        }
        return 0;
    }
}

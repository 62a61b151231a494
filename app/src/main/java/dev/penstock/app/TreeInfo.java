// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Access;
import dev.penstock.file.Location;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.Text;
import dev.penstock.tree.TreeFormat;
import dev.penstock.tree.TreeReader;
import java.io.IOException;

/// Prints the `info` of a tree from its first and last bytes, because a tree is not a dataset.
final class TreeInfo {
    private TreeInfo() {}

    static int print(Command command, Location path, Access access) throws IOException {
        TreeReader.Options options =
                TreeReader.Options.DEFAULT.withStrict(false).withAccess(access);
        try (TreeReader tree = TreeReader.open(path, options)) {
            if (command.isJson) {
                command.printJson(Description.of(path, tree));
            } else {
                command.print(path + ": tree, version " + TreeFormat.VERSION);
                command.print(Text.row("bytes", Text.number(tree.bytes()) + " (" + Text.bytes(tree.bytes()) + ")"));
                command.print(Text.row("root", tree.root()));
                command.print(Text.row("merges", tree.rootHistory().size() - 1));
                command.print(Text.row(
                        "fingerprint", InfoCommand.fingerprint(tree.fingerprint(), tree.isFingerprintExact())));
                String name = NextCommand.quoted(path);
                command.remark(command.console
                        .errColours()
                        .hint("next: penstock tree ls " + name
                                + " lists paths; penstock tree stats " + name
                                + " counts them, because the format keeps no count"));
            }
        }
        return 0;
    }
}

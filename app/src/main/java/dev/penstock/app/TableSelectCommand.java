// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import picocli.CommandLine;

@CommandLine.Command(name = "select")
final class TableSelectCommand extends DatasetCommand {
    @Override
    public Integer call() {
        return 0;
    }
}

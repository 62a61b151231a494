// SPDX-License-Identifier: Apache-2.0
package example.toy;

import dev.penstock.Dataset;
import dev.penstock.Indices;
import dev.penstock.catalog.Catalog;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.CommandPlugin;
import dev.penstock.plugin.VerbPlugin;
import dev.penstock.plugin.VerbRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Parameters;

/// Adds up numbers: the command `penstock sum PATH`, and the verb `toy.sum` for Python.
public final class ToyPlugin implements CommandPlugin, VerbPlugin {
    @Override
    public void list(String group, Map<String, Class<?>> commands) {
        if (group.equals("penstock")) {
            commands.put("sum", SumCommand.class);
        }
    }

    @Override
    public String name() {
        return "toy";
    }

    @Override
    public Object answer(String verb, VerbRequest request) throws IOException {
        if (!verb.equals("sum")) {
            throw new IllegalArgumentException("the plug-in toy has no verb " + verb);
        }
        return sum(request.dataset());
    }

    private static long sum(Dataset dataset) throws IOException {
        long sum = 0;
        for (long i = 0; i < dataset.count(); i++) {
            sum += dataset.get(i).value(0).get(Indices.LAYOUT, 0);
        }
        return sum;
    }

    @CommandLine.Command(name = "sum", header = "Add up the numbers of a toy dataset.")
    public static final class SumCommand extends Command {
        @Parameters(paramLabel = "PATH", description = "The dataset.")
        Path path;

        @Override
        public Integer call() throws IOException {
            try (Dataset dataset = Catalog.open(path)) {
                print("sum " + sum(dataset));
                return 0;
            }
        }
    }
}

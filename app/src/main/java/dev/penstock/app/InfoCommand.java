// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreTypes;
import dev.penstock.view.Concat;
import java.io.IOException;
import picocli.CommandLine;

/// Describes a dataset, from its headers only.
@HelpSection(HelpSection.Name.LOOK)
@CommandLine.Command(
        name = "info",
        header = "Describe a dataset without reading its records.",
        footer = {"", "Example:", "  penstock info runs.a2pack --json", "  penstock info 'day-*'"})
final class InfoCommand extends DatasetsCommand {
    @Override
    public Integer call() throws IOException {
        if (Catalog.isTree(path)) {
            return TreeInfo.print(this, path, io.access);
        }
        try (Dataset dataset = open()) {
            if (isJson) {
                printJson(Description.of(dataset));
            } else {
                printText(dataset);
                remark(console.errColours().hint(NextCommand.after(dataset, paths(), opening())));
            }
        }
        return 0;
    }

    /// A fingerprint and its coverage.
    static String fingerprint(String text, boolean isExact) {
        return text + (isExact ? " (covers every record)" : " (covers samples of 256 KiB in total)");
    }

    private void printText(Dataset dataset) throws IOException {
        String title = dataset.location() + ": " + dataset.format() + ", version " + dataset.version();
        print(console.outColours().title(title));
        print(Text.row("records", dataset.count()));
        print(Text.row("bytes", Text.number(dataset.bytes()) + " (" + Text.bytes(dataset.bytes()) + ")"));
        for (Field field : dataset.fields()) {
            String shape = field.shape().isEmpty() ? "" : " " + field.shape();
            String size = field.isVariable() ? ", variable" : shape;
            print(Text.row("field " + Text.printable(field.name()), StoreTypes.longName(field.type()) + size));
        }
        print(Text.row("fingerprint", fingerprint(dataset.fingerprint(), dataset.isFingerprintExact())));
        dataset.facts()
                .forEach((label, value) ->
                        print(Text.row(label, value instanceof String text ? Text.printable(text) : value)));
        if (dataset instanceof Concat concat) {
            for (Dataset part : concat.parts()) {
                print(Text.row(
                        "part",
                        part.location() + ": " + part.format() + ", " + Text.number(part.count()) + " records"));
            }
        }
        dataset.remarks().forEach(remark -> print(Text.row("remark", Text.printable(remark))));
        dataset.metadata().forEach((label, value) -> print(Text.row(Text.printable(label), Text.printable(value))));
    }
}

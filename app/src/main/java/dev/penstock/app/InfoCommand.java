// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.plugin.Text;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;

/// Describes a dataset, from its headers only.
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
                printJson(describe(dataset));
            } else {
                printText(dataset);
                remark(console.errColours().hint(NextCommand.after(dataset, paths(), opening())));
            }
        }
        return 0;
    }

    private static Map<String, Object> describe(Dataset dataset) throws IOException {
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("path", dataset.location());
        info.put("format", dataset.format());
        info.put("version", dataset.version());
        info.put("records", dataset.count());
        info.put("bytes", dataset.bytes());
        info.put("fields", dataset.fields().stream().map(InfoCommand::describe).toList());
        info.put("fingerprint", dataset.fingerprint());
        info.put("fingerprintExact", dataset.isFingerprintExact());
        info.put("metadata", dataset.metadata());
        info.put("facts", dataset.facts());
        if (dataset instanceof Concat concat) {
            info.put(
                    "parts",
                    concat.parts().stream().map(InfoCommand::describePart).toList());
        }
        info.put("remarks", dataset.remarks());
        dataset.facts().forEach(info::putIfAbsent);
        return info;
    }

    private static Map<String, Object> describePart(Dataset part) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("path", part.location());
        description.put("format", part.format());
        description.put("records", part.count());
        return description;
    }

    private static Map<String, Object> describe(Field field) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", field.name());
        description.put("type", field.type());
        description.put("shape", field.shape());
        description.put("variable", field.isVariable());
        return description;
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
            print(Text.row("field " + Text.printable(field.name()), field.type() + size));
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

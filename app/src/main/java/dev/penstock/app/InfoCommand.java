// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;

/// What a dataset is, from its headers alone.
@CommandLine.Command(
        name = "info",
        header = "Say what a dataset is, without reading its records.",
        footer = {"", "Example:", "  penstock info runs.a2pack --json"})
final class InfoCommand extends DatasetCommand {
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
        info.put("remarks", dataset.remarks());
        dataset.facts().forEach(info::putIfAbsent);
        return info;
    }

    private static Map<String, Object> describe(Field field) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", field.name());
        description.put("type", field.type());
        description.put("shape", field.shape());
        description.put("variable", field.isVariable());
        return description;
    }

    /// A fingerprint with what it covers.
    static String fingerprint(String text, boolean isExact) {
        return text + (isExact ? " (covers every record)" : " (covers samples of 256 KiB in total)");
    }

    private void printText(Dataset dataset) throws IOException {
        print(dataset.location() + ": " + dataset.format() + ", version " + dataset.version());
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
        dataset.remarks().forEach(remark -> print(Text.row("remark", Text.printable(remark))));
        dataset.metadata().forEach((label, value) -> print(Text.row(Text.printable(label), Text.printable(value))));
    }
}

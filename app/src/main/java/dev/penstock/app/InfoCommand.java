// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.FieldsReport;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.Text;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        Optional<SourceKind> kind = more.isEmpty() ? Sources.kind(path, options()) : Optional.empty();
        if (kind.isPresent()) {
            printSource(kind.get());
            return 0;
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

    /// Describes a source of conversions, which is no dataset. Text is not read for its types.
    private void printSource(SourceKind kind) throws IOException {
        List<Field> fields = List.of();
        if (!kind.isByName()) {
            try (RecordSource source = kind.open(path, SourceOptions.DEFAULT.withCatalog(options()))) {
                fields = source.fields();
            }
        }
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("path", path);
            json.put("kind", kind.description());
            json.put("fields", fields.stream().map(Field::name).toList());
            json.put("types", fields.stream().map(FieldsReport::type).toList());
            json.put("advice", kind.advice());
            printJson(json);
            return;
        }
        print(console.outColours().title(path + ": " + kind.description()));
        for (Field field : fields) {
            print(Text.row("field " + Text.printable(field.name()), FieldsReport.type(field)));
        }
        String name = NextCommand.quoted(path);
        remark(console.errColours()
                .hint("next: penstock convert " + name + " TARGET --dry-run shows what the fields become; without"
                        + " --dry-run it copies the records into a dataset"));
    }

    private void printText(Dataset dataset) throws IOException {
        String title = dataset.location() + ": " + dataset.format() + ", version " + dataset.version();
        print(console.outColours().title(title));
        print(Text.row("records", dataset.count()));
        print(Text.row("bytes", Text.number(dataset.bytes()) + " (" + Text.bytes(dataset.bytes()) + ")"));
        for (Field field : dataset.fields()) {
            print(Text.row("field " + Text.printable(field.name()), FieldsReport.type(field)));
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

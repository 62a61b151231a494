// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.ElementType;
import dev.penstock.convert.CountingStream;
import dev.penstock.convert.ValueText;
import dev.penstock.file.Json;
import dev.penstock.plugin.IndexRanges;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Changes values of a record.
@CommandLine.Command(
        name = "update",
        header = "Change values of a record of a store.",
        description = "Other fields are not changed. All changes are one commit.",
        footer = {
            "",
            "Example:",
            "  penstock store update images 17 --set label=3",
            "  penstock store update points 0 --set position=[1,2.5,3] --missing note",
            "  penstock store update photos 17 --file jpeg=better.jpg"
        })
final class StoreUpdateCommand extends StorefileCommand {
    @Parameters(index = "1", arity = "1", paramLabel = "INDEX", description = "The index of the record, from 0.")
    long index;

    @Option(
            names = "--set",
            paramLabel = "FIELD=VALUE",
            description = "A new value: plain text for a field of bytes or text, otherwise JSON such as 3 or [1,2].")
    Map<String, String> values = new LinkedHashMap<>();

    @Option(names = "--file", paramLabel = "FIELD=FILE", description = "Use the bytes of a file as the new value.")
    Map<String, Path> files = new LinkedHashMap<>();

    @Option(names = "--missing", paramLabel = "FIELD", description = "Remove the value of this field.")
    List<String> missing = List.of();

    @Option(
            names = "--bytes",
            paramLabel = "HOW",
            defaultValue = "utf8",
            description = "Encoding of bytes in text: utf8, base64 or hex (default: ${DEFAULT-VALUE}).")
    ValueText.Bytes bytes;

    @Override
    public Integer call() throws IOException {
        if (values.isEmpty() && files.isEmpty() && missing.isEmpty()) {
            throw usage("nothing to change: give --set FIELD=VALUE, --file FIELD=FILE or --missing FIELD");
        }
        change("Updated record {index} of {store}", (writer, figures) -> {
            writer.update(IndexRanges.require(index, writer.count(), path), record(writer));
            figures.put("index", index);
        });
        return 0;
    }

    private Map<String, byte[]> record(StoreWriter writer) throws IOException {
        Map<String, byte[]> record = new LinkedHashMap<>();
        for (Map.Entry<String, String> value : values.entrySet()) {
            record.put(value.getKey(), value(writer, value.getKey(), value.getValue()));
        }
        for (Map.Entry<String, Path> file : files.entrySet()) {
            record.put(file.getKey(), bytes(file.getValue()));
        }
        missing.forEach(field -> record.put(field, null));
        if (record.size() < values.size() + files.size() + missing.size()) {
            throw usage("a field is named twice");
        }
        return record;
    }

    private static byte[] bytes(Path file) throws IOException {
        try (CountingStream stream = CountingStream.open(file)) {
            return stream.readAllBytes();
        }
    }

    private byte[] value(StoreWriter writer, String name, String text) {
        StoreField field = writer.fields().stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no field " + name + "; the fields are "
                        + String.join(
                                ", ",
                                writer.fields().stream().map(StoreField::name).toList())));
        ValueText reader = new ValueText(field.column(), bytes);
        ElementType type = field.column().type();
        boolean isText = field.column().isVariable() && (type == ElementType.BYTES || type == ElementType.UTF8);
        return isText ? reader.ofText(text) : reader.ofJson(json(name, text));
    }

    private static Object json(String name, String text) {
        try {
            return Json.parse(text.getBytes(StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the value of field " + name + " is not JSON such as 3 or [1,2]: " + Text.printable(text) + " ("
                            + e.getMessage() + ")",
                    e);
        }
    }
}

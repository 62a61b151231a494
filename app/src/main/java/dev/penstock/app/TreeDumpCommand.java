// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Disk;
import dev.penstock.file.NewFileStream;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.Text;
import dev.penstock.tree.KeyText;
import dev.penstock.tree.PathsWriter;
import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeScan;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Writes all keys of a tree, in order.
@CommandLine.Command(
        name = "dump",
        header = "Write the keys of a tree, in order, with their values.",
        description = {
            "tsv    one line for each key: key (escaped as described in `tree --help`), tab, value",
            "paths  only the keys, compressed; needs --output",
            "kv     binary: 4 bytes length of the key, the key, 8 bytes value; little-endian"
        },
        footer = {
            "",
            "Example:",
            "  penstock tree dump words.act --prefix app",
            "  penstock tree dump words.act --format kv" + " --output words.kv"
        })
final class TreeDumpCommand extends TreefileCommand {
    enum Format {
        TSV,
        PATHS,
        KV
    }

    @Option(names = "--prefix", paramLabel = "P", description = "Write only keys that begin with P.")
    String prefix = "";

    @Option(
            names = "--format",
            paramLabel = "tsv|paths|kv",
            defaultValue = "tsv",
            description = "The output format (default: ${DEFAULT-VALUE}).")
    Format format;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "The output file (default: standard output).")
    Path output;

    @Mixin
    OverwriteOption overwrite;

    private long count;

    @Override
    public Integer call() throws IOException {
        try (TreeReader tree = open()) {
            TreeScan scan = tree.scanPrefix(key(prefix));
            if (format == Format.PATHS) {
                writePaths(scan);
            } else if (output == null) {
                write(scan, data());
            } else {
                writeFile(scan);
            }
        }
        report();
        return 0;
    }

    private void writePaths(TreeScan scan) throws IOException {
        if (output == null) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--format paths needs --output");
        }
        PathsWriter writer = PathsWriter.create(output, overwrite.isGiven, Disk.real());
        try {
            for (; scan.next(); count++) {
                writer.append(scan.pathBytes(), 0, scan.pathSize());
            }
        } catch (Throwable e) {
            writer.abort();
            throw e;
        }
        writer.close();
    }

    private void writeFile(TreeScan scan) throws IOException {
        try (NewFileStream file = NewFileStream.create(Disk.real(), output, overwrite.isGiven)) {
            BufferedOutputStream out = new BufferedOutputStream(file, 1 << 20);
            write(scan, out);
            out.flush();
            file.publish();
        }
    }

    private void write(TreeScan scan, OutputStream out) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer value = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (; scan.next(); count++) {
            if (format == Format.KV) {
                out.write(head.putInt(0, scan.pathSize()).array());
                out.write(scan.pathBytes(), 0, scan.pathSize());
                out.write(value.putLong(0, scan.value()).array());
            } else {
                String line = KeyText.of(scan.path()) + "\t" + Long.toUnsignedString(scan.value()) + "\n";
                out.write(line.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private void report() {
        if (isJson && output != null) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("keys", count);
            printJson(json);
        } else if (output != null) {
            remark("Wrote " + Text.number(count) + " keys to " + output);
        }
    }
}

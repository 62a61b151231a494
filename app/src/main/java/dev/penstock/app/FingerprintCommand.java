// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Prints the fingerprint of a dataset.
@HelpSection(HelpSection.Name.CHECK)
@CommandLine.Command(
        name = "fingerprint",
        header = "Print a short text that identifies the records of a dataset and their order.",
        description =
                "Without --full it takes little time for any size: it covers the checksums stored by the writer, or"
                        + " 256 KiB of samples if there are none. With --full every byte of every record is read; the"
                        + " result differs from the quick one, and is equal for equal records in any files and"
                        + " formats.",
        footer = {"", "Example:", "  penstock fingerprint steps --full"})
final class FingerprintCommand extends DatasetsCommand {
    @Option(names = "--full", description = "Read every byte of every record.")
    boolean isFull;

    @Override
    public Integer call() throws IOException {
        if (Catalog.isTree(path)) {
            TreeReader.Options options =
                    TreeReader.Options.DEFAULT.withStrict(false).withAccess(io.access);
            try (TreeReader tree = TreeReader.open(path, options);
                    ProgressBar progress = progress("fingerprint", ProgressBar.Unit.BYTES)) {
                report("tree", isFull ? tree.fullFingerprint(progress) : tree.fingerprint(), tree.isFingerprintExact());
            }
            return 0;
        }
        try (Dataset dataset = open();
                ProgressBar progress = progress("fingerprint", ProgressBar.Unit.RECORDS)) {
            String fingerprint = isFull ? dataset.fullFingerprint(progress) : dataset.fingerprint();
            report(dataset.format(), fingerprint, dataset.isFingerprintExact());
        }
        return 0;
    }

    private void report(String format, String fingerprint, boolean isExact) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("path", path);
            json.put("format", format);
            json.put("fingerprint", fingerprint);
            json.put("full", isFull);
            json.put("exact", isFull || isExact);
            printJson(json);
            return;
        }
        print(fingerprint);
        if (!isFull && !isExact) {
            remark("The fingerprint covers samples of 256 KiB in total. Use --full to cover every record.");
        }
    }
}

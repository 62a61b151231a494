// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.game2048.Deviation;
import dev.penstock.game2048.Run;
import dev.penstock.game2048.RunDecoder;
import dev.penstock.game2048.RunFile;
import dev.penstock.game2048.RunVersion;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Converts runs of version 1 to version 2.
@CommandLine.Command(
        name = "upgrade",
        header = "Convert runs of version 1 to version 2.",
        description = {
            "The bytes are the same as those of the original program's migrate. Runs of version 2 are copied. A folder"
                    + " becomes a"
                    + " folder with the same names, ending in .a2run2.",
            "As in the original program, moves above 3 become up and extra bytes are dropped. This is"
                    + " reported, and an error with --strict."
        },
        footer = {"", "Example:", "  penstock game2048 runs upgrade old --output new"})
final class RunsUpgradeCommand extends Command {
    @Parameters(arity = "1", paramLabel = "PATH", description = "The path of a run, or of a folder of runs.")
    Path path;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "PATH",
            description = "The output file or folder.")
    Path output;

    @Option(names = "--strict", description = "Reject runs that no known writer produces.")
    boolean isStrict;

    /// Accepted for command lines of the original program; it is the default.
    @Option(names = "--lenient", hidden = true)
    boolean isLenient;

    @Mixin
    OverwriteOption overwrite;

    private long copiedCount;

    @Override
    public Integer call() throws IOException {
        List<Path> files = RunFiles.list(path);
        try (ProgressBar progress = progress("upgrade", ProgressBar.Unit.FILES)) {
            long done = 0;
            for (Path file : files) {
                upgrade(file, target(file));
                progress.at(++done, files.size());
            }
        }
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("runs", (long) files.size());
            json.put("upgraded", files.size() - copiedCount);
            json.put("copied", copiedCount);
            printJson(json);
        } else {
            remark("Upgraded " + Text.number(files.size() - copiedCount) + " runs"
                    + (copiedCount == 0 ? "" : " and copied " + Text.number(copiedCount) + " of version 2") + " to "
                    + output);
        }
        return 0;
    }

    private Path target(Path file) {
        if (Files.isDirectory(path)) {
            return output.resolve(renamed(path.relativize(file)));
        }
        return Files.isDirectory(output) ? output.resolve(renamed(file.getFileName())) : output;
    }

    private static Path renamed(Path file) {
        String name = file.getFileName().toString();
        String stem = name.replaceFirst("\\.a2run2?$", "");
        return file.resolveSibling(stem + RunVersion.V2.extension());
    }

    private void upgrade(Path file, Path target) throws IOException {
        byte[] bytes = RunFile.bytes(file);
        List<Deviation> deviations = new ArrayList<>();
        Run run = isStrict ? RunDecoder.decode(bytes, file) : RunDecoder.decodeLeniently(bytes, file, deviations);
        deviations.forEach(deviation -> remark("warning: " + file
                + (deviation.step() < 0 ? "" : ", step " + deviation.step()) + ": " + deviation.what()));
        boolean isOld = run.version() == RunVersion.V1;
        copiedCount += isOld ? 0 : 1;
        Path folder = target.toAbsolutePath().getParent();
        Files.createDirectories(folder);
        RunFile.write(target, isOld ? RunDecoder.encode(run, RunVersion.V2) : bytes, overwrite.isGiven);
    }
}

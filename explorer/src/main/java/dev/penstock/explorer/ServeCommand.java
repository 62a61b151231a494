// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.file.Access;
import dev.penstock.file.Location;
import dev.penstock.plugin.AccessOption;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.HelpSection;
import dev.penstock.plugin.LocationText;
import java.io.IOException;
import java.net.BindException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Shows datasets in a browser until it is interrupted.
@HelpSection(HelpSection.Name.LOOK)
@CommandLine.Command(
        name = "serve",
        header = "Look at datasets in a browser.",
        description = {
            "Prints an address with a secret token, opens it in a browser, and runs until it is interrupted. Only"
                    + " somebody who knows the address can read the data. Nothing is written unless --no-read-only is"
                    + " given, and then only a list of flagged records, when a button on the page asks for it.",
            "A folder that is not a dataset itself shows the datasets in it. Files are read by position unless"
                    + " --io=mmap is given, so that the server needs at most 256 MB."
        },
        footer = {"", "Example:", "  penstock serve photos.a2pack", "  penstock serve data --port 8123 --no-browser"})
final class ServeCommand extends Command {
    /// The memory for pages of files, unless it is given. A person looks at little of a large file.
    private static final long MEMORY_BYTES = 64 << 20;

    /// The ports from here on are below those that systems give to outgoing connections.
    private static final int PORT_MIN = 20_000;

    private static final int PORTS = 10_000;

    @Spec
    CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "PATH",
            converter = LocationText.class,
            description = "The path or address of a dataset in any format, or of a folder of datasets.")
    List<Location> paths;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            defaultValue = "127.0.0.1",
            description = "Address to listen on (default: ${DEFAULT-VALUE}, which only this machine reaches). The"
                    + " connection is not encrypted; from another machine use an SSH tunnel.")
    String host;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Port to listen on (default: one that depends on the paths, so that the browser finds the flags"
                            + " of the last time, or any free one).")
    int port;

    @Option(
            names = "--read-only",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Write nothing (default). With --no-read-only, flags can be written to NAME.flags.npy beside the"
                            + " dataset.")
    boolean isReadOnly;

    @Option(names = "--no-browser", description = "Print the address only.")
    boolean isWithoutBrowser;

    @Mixin
    AccessOption io = new AccessOption();

    @Override
    public Integer call() throws IOException {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("--port must be from 0 to 65535, got " + port);
        }
        if (!spec.commandLine().getParseResult().hasMatchedOption("--io")) {
            // Mapped pages of a scanned file would count as memory of the server.
            io.access = Access.READ;
        }
        io.memoryBytes = io.memoryBytes == null ? Long.valueOf(MEMORY_BYTES) : io.memoryBytes;
        try (Shelf shelf = Shelf.of(paths, io.options());
                Explorer explorer = start(shelf)) {
            announce(explorer);
            if (!isWithoutBrowser) {
                Browser.open(explorer.url());
            }
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            remark("Stopped.");
        }
        return 0;
    }

    private Explorer start(Shelf shelf) throws IOException {
        Explorer.Options options = Explorer.Options.DEFAULT.withReadOnly(isReadOnly);
        try {
            return Explorer.start(shelf, options.withAddress(host, port == 0 ? usualPort() : port));
        } catch (BindException e) {
            if (port != 0) {
                throw e;
            }
            return Explorer.start(shelf, options.withAddress(host, 0));
        }
    }

    /// Browsers keep flags by host and port.
    private int usualPort() {
        return PORT_MIN + Math.floorMod(paths.toString().hashCode(), PORTS);
    }

    private void announce(Explorer explorer) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("url", explorer.url());
            printJson(json);
        } else {
            print(explorer.url().toString());
            remark("Stop with Ctrl-C.");
        }
        data().flush();
        console.err().flush();
    }
}

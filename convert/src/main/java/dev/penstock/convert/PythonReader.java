// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.file.Location;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A process of the Python package that reads a file or folder, as the program of [StreamedRecords].
final class PythonReader implements StreamedRecords.Program {
    private static final long PATIENCE_SECONDS = 10;

    private final Location location;
    private final String description;
    private final String extra;
    private final List<String> fields;
    private Path errors;
    private Process process;

    /// @param description what is read, as in `an HDF5 file`
    /// @param extra       the extra of the Python package that reads it
    /// @param fields      the fields to read, or none for all
    private PythonReader(Location location, String description, String extra, List<String> fields) {
        this.location = location;
        this.description = description;
        this.extra = extra;
        this.fields = fields;
    }

    static RecordSource open(Location location, String description, String extra, RecordChoice choice)
            throws IOException {
        if (!location.isLocal()) {
            throw new IllegalArgumentException(
                    location + " is " + description + ", which is read from local files only; copy it first");
        }
        // A condition may name fields that are not chosen.
        List<String> fields = choice.condition() == null ? choice.fields() : List.of();
        return StreamedRecords.open(location, new PythonReader(location, description, extra, fields));
    }

    @Override
    public InputStream start() throws IOException {
        stop();
        errors = Files.createTempFile("penstock-", ".log");
        try {
            process = PythonProgram.start(
                    errors.toFile(),
                    "_reading",
                    location.path().toAbsolutePath().toString());
        } catch (IOException e) {
            throw new IOException(advice("it could not be started: " + e.getMessage()), e);
        }
        process.getOutputStream().close();
        return process.getInputStream();
    }

    private String advice(String why) {
        return location + " is " + description + ", which Python reads, and " + PythonProgram.interpreter() + " does"
                + " not: " + why + ". Install the package with `pip install penstock[" + extra
                + "]` and run its penstock, or name a Python that has it in PENSTOCK_PYTHON";
    }

    @Override
    public String explanation() throws IOException {
        try {
            process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String text = Files.readString(errors).strip();
        String last = text.substring(text.lastIndexOf('\n') + 1);
        boolean isAbsent = last.contains("No module named penstock") || last.contains("No module named 'penstock");
        if (isAbsent || last.contains("No module named 'numpy'")) {
            throw new IOException(advice(last));
        }
        int code = process.isAlive() ? 0 : process.exitValue();
        return !last.isEmpty() ? last : code > 128 ? "it was killed by signal " + (code - 128) : "exit code " + code;
    }

    @Override
    public void stop() throws IOException {
        if (process != null) {
            process.destroy();
            process = null;
        }
        if (errors != null) {
            Files.deleteIfExists(errors);
            errors = null;
        }
    }
}

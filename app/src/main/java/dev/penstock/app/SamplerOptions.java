// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// In which order records are drawn.
final class SamplerOptions {
    /// The orders there are.
    enum Kind {
        PERMUTATION,
        SEQUENTIAL,
        BLOCK,
        WINDOW,
        UNIFORM,
        WEIGHTED,
        SHARE,
        BUCKET;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec(Spec.Target.MIXEE)
    CommandSpec spec;

    @Option(
            names = "--sampler",
            paramLabel = "NAME",
            defaultValue = "permutation",
            description = "The order: permutation, sequential, block, window, uniform, weighted, share or bucket"
                    + " (default: ${DEFAULT-VALUE}).")
    Kind kind;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "0",
            converter = Seed.class,
            description = "Of orders that are random; 64 bits, from -2^63 to 2^64 - 1 (default: ${DEFAULT-VALUE}).")
    long seed;

    @Option(
            names = "--block",
            paramLabel = "N",
            description = "block, share: records of a block (default: so many as make about 1 MiB).")
    Long blockSize;

    @Option(names = "--window", paramLabel = "N", description = "block, share: blocks that are mixed (default: 64).")
    Long windowBlocks;

    @Option(names = "--size", paramLabel = "N", description = "window: records of a window.")
    Long size;

    @Option(
            names = "--stride",
            paramLabel = "N",
            description = "window: records from the start of one to that of the next (default: its size).")
    Long stride;

    @Option(
            names = "--length",
            paramLabel = "N",
            description = "uniform, weighted: samples of an epoch (default: as many as records).")
    Long length;

    @Option(names = "--weights", paramLabel = "FIELD", description = "weighted: the field of numbers that has them.")
    String weightField;

    @Option(
            names = "--shares",
            paramLabel = "N",
            description = "share: into how many the records are divided, a multiple of --world (default: --world).")
    Integer shareCount;

    @Option(
            names = "--bucket-field",
            paramLabel = "FIELD",
            description = "bucket: the variable field whose lengths count (default: the only one).")
    String bucketField;

    @Option(
            names = "--run",
            paramLabel = "N",
            description = "bucket: records of about one length that come together (default: a step of all ranks).")
    Integer runSize;

    @Option(
            names = "--pool",
            paramLabel = "N",
            description = "bucket: records that are sorted together, a multiple of --run (default: 32 runs).")
    Integer poolSize;

    @Option(names = "--where", paramLabel = "COND", description = "Only records that match, as for table select.")
    String condition;

    /// @throws CommandLine.ParameterException when options do not go together
    void check() {
        requireOf("--block", blockSize, EnumSet.of(Kind.BLOCK, Kind.SHARE));
        requireOf("--window", windowBlocks, EnumSet.of(Kind.BLOCK, Kind.SHARE));
        requireOf("--size", size, EnumSet.of(Kind.WINDOW));
        requireOf("--stride", stride, EnumSet.of(Kind.WINDOW));
        requireOf("--length", length, EnumSet.of(Kind.UNIFORM, Kind.WEIGHTED));
        requireOf("--weights", weightField, EnumSet.of(Kind.WEIGHTED));
        requireOf("--shares", shareCount, EnumSet.of(Kind.SHARE));
        requireOf("--bucket-field", bucketField, EnumSet.of(Kind.BUCKET));
        requireOf("--run", runSize, EnumSet.of(Kind.BUCKET));
        requireOf("--pool", poolSize, EnumSet.of(Kind.BUCKET));
        if (kind == Kind.WINDOW && size == null) {
            throw usage("--sampler window needs --size, the records of a window");
        }
        if (kind == Kind.WEIGHTED && weightField == null) {
            throw usage("--sampler weighted needs --weights, the field that has them");
        }
    }

    private void requireOf(String option, Object value, Set<Kind> kinds) {
        if (value == null) {
            return;
        }
        if (!kinds.contains(kind)) {
            throw usage(option + " does not go with --sampler " + kind + " but with "
                    + String.join(", ", kinds.stream().map(Kind::toString).toList()));
        }
        if (value instanceof Number number && number.longValue() < (option.equals("--length") ? 0 : 1)) {
            throw usage(option + " is " + value + ", and has to be at least 1");
        }
    }

    CommandLine.ParameterException usage(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }
}

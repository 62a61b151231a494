// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The options for the sampler. Without a command line, messages name them without dashes.
public final class SamplerOptions {
    /// The samplers.
    public enum Kind {
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
            description = "The sampler: permutation, sequential, block, window, uniform, weighted, share or bucket"
                    + " (default: ${DEFAULT-VALUE}).")
    public Kind kind = Kind.PERMUTATION;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "0",
            converter = Seed.class,
            description = "Random seed, a 64-bit number from -2^63 to 2^64 - 1 (default: ${DEFAULT-VALUE}).")
    public long seed;

    @Option(
            names = "--block",
            paramLabel = "N",
            description = "block, share: number of records in a block (default: about 1 MiB of records).")
    public Long blockSize;

    @Option(
            names = "--window",
            paramLabel = "N",
            description = "block, share: number of blocks that are shuffled together (default: 64).")
    public Long windowBlocks;

    @Option(names = "--size", paramLabel = "N", description = "window: number of records in a window.")
    public Long size;

    @Option(
            names = "--stride",
            paramLabel = "N",
            description = "window: number of records from one window to the next (default: --size).")
    public Long stride;

    @Option(
            names = "--length",
            paramLabel = "N",
            description = "uniform, weighted: number of samples in an epoch (default: the number of records).")
    public Long length;

    @Option(names = "--weights", paramLabel = "FIELD", description = "weighted: the numeric field with the weights.")
    public String weightField;

    @Option(
            names = "--shares",
            paramLabel = "N",
            description = "share: number of shares that the records are divided into, a multiple of --world (default:"
                    + " --world).")
    public Integer shareCount;

    @Option(
            names = "--bucket-field",
            paramLabel = "FIELD",
            description = "bucket: the variable field whose lengths are used (default: the only one).")
    public String bucketField;

    @Option(
            names = "--run",
            paramLabel = "N",
            description =
                    "bucket: number of records of similar length that stay together (default: a step of all ranks).")
    public Integer runSize;

    @Option(
            names = "--pool",
            paramLabel = "N",
            description =
                    "bucket: number of records that are sorted together, a multiple of --run (default: 32 times).")
    public Integer poolSize;

    @Mixin
    public WhereOption where = new WhereOption();

    /// @throws RuntimeException when options cannot be combined
    public void check() {
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
            throw usage("--sampler window needs --size, the number of records in a window");
        }
        if (kind == Kind.WEIGHTED && weightField == null) {
            throw usage("--sampler weighted needs --weights, the field with the weights");
        }
    }

    private void requireOf(String option, Object value, Set<Kind> kinds) {
        if (value == null) {
            return;
        }
        if (!kinds.contains(kind)) {
            throw usage(option + " cannot be used with --sampler " + kind + ", only with "
                    + String.join(", ", kinds.stream().map(Kind::toString).toList()));
        }
        if (value instanceof Number number && number.longValue() < (option.equals("--length") ? 0 : 1)) {
            throw usage(option + " must be at least 1, got " + value);
        }
    }

    /// The exception for options that cannot be used like this.
    ///
    /// @param message a text in which `{block}` stands for the option with this name
    public RuntimeException usage(String message) {
        return spec == null
                ? new IllegalArgumentException(message.replaceAll("\\{([a-z-]+)}|--(?=[a-z])", "$1"))
                : new CommandLine.ParameterException(spec.commandLine(), message.replaceAll("\\{([a-z-]+)}", "--$1"));
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.ElementType;
import java.util.ArrayList;
import java.util.List;

/// Options for writing the target of a conversion. An option that is null was not given. An option that the format
/// does not support is rejected.
///
/// @param cast        the type of floating-point numbers in the target
/// @param compression the compression of records or values, by the name that the format uses
/// @param level       the compression level
/// @param alignment   the alignment of records in bytes
/// @param shardRows   the number of rows after which a new shard begins
/// @param shardBytes  the largest size of a shard
/// @param isPlain     whether records of one field lose its name and become plain values
/// @param isReplacing whether an existing target is replaced
public record TargetOptions(
        ElementType cast,
        String compression,
        Integer level,
        Long alignment,
        Long shardRows,
        Long shardBytes,
        boolean isPlain,
        boolean isReplacing) {
    public static final TargetOptions DEFAULT = new TargetOptions(null, null, null, null, null, null, false, false);

    public TargetOptions {
        if (cast != null && !cast.isFloat()) {
            throw new IllegalArgumentException("numbers can be converted to f16, bf16, f32 or f64, but not to " + cast);
        }
        requirePositive("alignment", alignment);
        requirePositive("the rows of a shard", shardRows);
        requirePositive("the bytes of a shard", shardBytes);
    }

    private static void requirePositive(String what, Long value) {
        if (value != null && value < 1) {
            throw new IllegalArgumentException(what + " must be at least 1, got " + value);
        }
    }

    public TargetOptions withCast(ElementType cast) {
        return new TargetOptions(cast, compression, level, alignment, shardRows, shardBytes, isPlain, isReplacing);
    }

    public TargetOptions withCompression(String compression, Integer level) {
        return new TargetOptions(cast, compression, level, alignment, shardRows, shardBytes, isPlain, isReplacing);
    }

    public TargetOptions withAlignment(Long alignment) {
        return new TargetOptions(cast, compression, level, alignment, shardRows, shardBytes, isPlain, isReplacing);
    }

    public TargetOptions withShards(Long shardRows, Long shardBytes) {
        return new TargetOptions(cast, compression, level, alignment, shardRows, shardBytes, isPlain, isReplacing);
    }

    public TargetOptions withPlain(boolean isPlain) {
        return new TargetOptions(cast, compression, level, alignment, shardRows, shardBytes, isPlain, isReplacing);
    }

    public TargetOptions withReplacing(boolean isReplacing) {
        return new TargetOptions(cast, compression, level, alignment, shardRows, shardBytes, isPlain, isReplacing);
    }

    /// The options that only some formats have.
    public enum Kind {
        COMPRESSION,
        LEVEL,
        ALIGNMENT,
        SHARDS
    }

    /// Rejects options that a format does not support.
    ///
    /// @param what the name of the format in the message, as in `a pack`
    /// @throws IllegalArgumentException when another option was given
    public void requireOnly(String what, Kind... known) {
        List<String> unknown = new ArrayList<>();
        refuse(Kind.COMPRESSION, compression, "compression", known, unknown);
        refuse(Kind.LEVEL, level, "a compression level", known, unknown);
        refuse(Kind.ALIGNMENT, alignment, "an alignment", known, unknown);
        refuse(Kind.SHARDS, shardRows, "rows of a shard", known, unknown);
        refuse(Kind.SHARDS, shardBytes, "bytes of a shard", known, unknown);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    what + " does not support this option: " + String.join(", ", unknown) + "; leave it out");
        }
    }

    private static void refuse(Kind kind, Object value, String words, Kind[] known, List<String> unknown) {
        if (value != null && !List.of(known).contains(kind)) {
            unknown.add(words);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.file.Json;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/// A checkpoint of a loader, smaller than a kilobyte.
///
/// It does not depend on batches, ranks or threads: it is the same on all ranks, and can be resumed on any number
/// of ranks.
///
/// @param fingerprint the fingerprint of the dataset
/// @param recordCount the number of records of the dataset
/// @param sampler     the name of the sampler
/// @param parameters  the parameters of the sampler, including the seed
/// @param delivered   the number of samples of the epoch that all ranks together have delivered
public record LoaderState(
        String fingerprint,
        long recordCount,
        String sampler,
        Map<String, Object> parameters,
        long epoch,
        long delivered) {
    private static final int VERSION = 1;

    /// Larger than any checkpoint.
    static final int SIZE_MAX = 1024;

    public LoaderState {
        Objects.requireNonNull(fingerprint, "fingerprint");
        Objects.requireNonNull(sampler, "sampler");
        Map<String, Object> plain = new LinkedHashMap<>();
        parameters.forEach((key, value) -> plain.put(key, plain(value)));
        parameters = Collections.unmodifiableMap(plain);
        if (epoch < 0 || delivered < 0 || recordCount < 0) {
            throw new IllegalArgumentException("epoch, delivered samples and records must not be negative");
        }
    }

    /// Normalises a value to what it is after a round trip through JSON, so that values compare equal. An unsigned
    /// 64-bit seed becomes the signed number with the same bits.
    private static Object plain(Object value) {
        return switch (value) {
            case Byte number -> number.longValue();
            case Short number -> number.longValue();
            case Integer number -> number.longValue();
            case Float number -> number.doubleValue();
            case BigInteger number when number.signum() > 0 && number.bitLength() <= Long.SIZE -> number.longValue();
            case null, default -> value;
        };
    }

    /// Writes one line of JSON.
    public String toJson() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("version", VERSION);
        values.put("dataset", fingerprint);
        values.put("records", recordCount);
        values.put("sampler", sampler);
        values.put("parameters", parameters);
        values.put("epoch", epoch);
        values.put("delivered", delivered);
        String text = Json.text(values);
        if (text.length() > SIZE_MAX) {
            throw new IllegalStateException(
                    "the checkpoint has " + text.length() + " characters, but the limit is " + SIZE_MAX);
        }
        return text;
    }

    /// Parses the output of [#toJson].
    ///
    /// @throws IllegalArgumentException when the text is not a checkpoint
    public static LoaderState parse(String json) {
        if (json.length() > SIZE_MAX || !(Json.parse(json.getBytes(StandardCharsets.UTF_8)) instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException("this is not a checkpoint of a loader");
        }
        if (!Long.valueOf(VERSION).equals(map.get("version"))) {
            throw new IllegalArgumentException(
                    "the checkpoint has version " + map.get("version") + ", but this program reads version " + VERSION);
        }
        try {
            Map<String, Object> parameters = new LinkedHashMap<>();
            ((Map<?, ?>) map.get("parameters")).forEach((key, value) -> parameters.put((String) key, value));
            return new LoaderState(
                    (String) map.get("dataset"),
                    (Long) map.get("records"),
                    (String) map.get("sampler"),
                    parameters,
                    (Long) map.get("epoch"),
                    (Long) map.get("delivered"));
        } catch (ClassCastException | NullPointerException e) {
            throw new IllegalArgumentException("the checkpoint of a loader is incomplete: " + json, e);
        }
    }

    /// The sampler for the number of records of the checkpoint.
    ///
    /// @throws IllegalArgumentException when the sampler is bound to its number of records
    Sampler resizing(Sampler order) {
        try {
            return order.resized(recordCount);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the checkpoint has " + recordCount + " records, the dataset has " + order.recordCount() + ", and "
                            + e.getMessage(),
                    e);
        }
    }

    /// Checks that a checkpoint belongs to this sampler and dataset.
    ///
    /// @param fingerprint the fingerprint of the dataset at the length of the sampler, or null when the format
    ///                    does not grow
    /// @param isSame      whether the dataset recognises the fingerprint of this checkpoint
    /// @param count       the present number of records of the dataset
    /// @throws IllegalArgumentException when it does not; the message shows both sides
    void requireOf(String fingerprint, boolean isSame, long count, Sampler order) {
        if (!isSame || recordCount != order.recordCount()) {
            throw new IllegalArgumentException("the checkpoint belongs to another dataset: it has " + recordCount
                    + " records and fingerprint " + this.fingerprint + ", but this dataset has " + count
                    + " records and "
                    + (fingerprint == null ? "no fingerprint" : "fingerprint " + fingerprint)
                    + (count > recordCount ? " at that length; records may only be added at the end" : ""));
        }
        LoaderState own = new LoaderState(this.fingerprint, recordCount, order.name(), order.parameters(), 0, 0);
        if (!sampler.equals(own.sampler) || !parameters.equals(own.parameters)) {
            throw new IllegalArgumentException("the checkpoint belongs to another sampler: " + sampler + " "
                    + parameters + ", but this loader has " + order.name() + " " + order.parameters());
        }
    }
}

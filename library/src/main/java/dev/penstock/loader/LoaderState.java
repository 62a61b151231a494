// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.memory.Json;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/// Where a loader is, in less than a kilobyte.
///
/// It holds nothing of batches, ranks or threads: it is the same on all ranks, and can be resumed on any number.
///
/// @param fingerprint of the dataset
/// @param recordCount records it had
/// @param sampler     the name of the order
/// @param parameters  those of the order, the seed among them
/// @param delivered   samples of the epoch that all ranks together have handed out
public record LoaderState(
        String fingerprint,
        long recordCount,
        String sampler,
        Map<String, Object> parameters,
        long epoch,
        long delivered) {
    private static final int VERSION = 1;

    /// Larger than any state there is.
    static final int SIZE_MAX = 1024;

    public LoaderState {
        Objects.requireNonNull(fingerprint, "fingerprint");
        Objects.requireNonNull(sampler, "sampler");
        Map<String, Object> plain = new LinkedHashMap<>();
        parameters.forEach((key, value) -> plain.put(key, plain(value)));
        parameters = Collections.unmodifiableMap(plain);
        if (epoch < 0 || delivered < 0 || recordCount < 0) {
            throw new IllegalArgumentException("epoch, delivered samples and records cannot be negative");
        }
    }

    /// A value as it is after it went through JSON, so that it is equal to itself. Seeds have 64 bits, so a number
    /// that needs all of them without a sign is the signed one with the same bits.
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

    /// One line of JSON.
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
            throw new IllegalStateException("the state has " + text.length() + " characters, more than " + SIZE_MAX);
        }
        return text;
    }

    /// Reads what [#toJson] wrote.
    ///
    /// @throws IllegalArgumentException when it is none
    public static LoaderState parse(String json) {
        if (json.length() > SIZE_MAX || !(Json.parse(json.getBytes(StandardCharsets.UTF_8)) instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException("this is no state of a loader");
        }
        if (!Long.valueOf(VERSION).equals(map.get("version"))) {
            throw new IllegalArgumentException(
                    "a state of version " + map.get("version") + "; " + VERSION + " is read");
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
            throw new IllegalArgumentException("a state of a loader lacks something: " + json, e);
        }
    }

    /// An order for as many records as there were.
    ///
    /// @throws IllegalArgumentException when the order is bound to the records it was made for
    Sampler resizing(Sampler order) {
        try {
            return order.resized(recordCount);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the state is of " + recordCount + " records, the dataset has " + order.recordCount() + ", and "
                            + e.getMessage(),
                    e);
        }
    }

    /// Checks that a state is one of this order of this dataset.
    ///
    /// @param fingerprint of the dataset at the length of the order, or null when the format does not grow
    /// @param isSame      whether the dataset recognises the fingerprint of this state
    /// @param count       records that the dataset has now
    /// @throws IllegalArgumentException showing both sides when it is not
    void requireOf(String fingerprint, boolean isSame, long count, Sampler order) {
        if (!isSame || recordCount != order.recordCount()) {
            throw new IllegalArgumentException("the state is of another dataset: it has " + recordCount
                    + " records and fingerprint " + this.fingerprint + ", this one has " + count + " records and "
                    + (fingerprint == null ? "does not grow by appending" : "fingerprint " + fingerprint)
                    + (count > recordCount && fingerprint != null ? " at that length" : ""));
        }
        LoaderState own = new LoaderState(this.fingerprint, recordCount, order.name(), order.parameters(), 0, 0);
        if (!sampler.equals(own.sampler) || !parameters.equals(own.parameters)) {
            throw new IllegalArgumentException("the state is of another order: " + sampler + " " + parameters
                    + ", and this loader has " + order.name() + " " + order.parameters());
        }
    }
}

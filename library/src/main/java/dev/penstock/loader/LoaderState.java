// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.file.Json;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;

/// A checkpoint of a loader, about a kilobyte for one dataset.
///
/// It is the same on all ranks, and can be resumed with any number of ranks, batch size and threads. It describes
/// the whole order, so that [History] answers questions about it without the program that made it.
///
/// @param fingerprint the fingerprint of the dataset
/// @param recordCount the number of records of the dataset
/// @param sampler     the name of the sampler
/// @param parameters  the parameters of the sampler, including the seed
/// @param delivered   the number of samples of the epoch that all ranks together have delivered
/// @param segments    how epochs were divided into steps so far; empty in version 1
/// @param order       the description of the sampler ([Sampler#recipe]); empty in version 1
/// @param source      the description of the dataset ([dev.penstock.Dataset#recipe]); empty in version 1
public record LoaderState(
        String fingerprint,
        long recordCount,
        String sampler,
        Map<String, Object> parameters,
        long epoch,
        long delivered,
        List<Segment> segments,
        Map<String, Object> order,
        Map<String, Object> source) {
    private static final int VERSION = 2;
    private static final int VERSION_MIN = 1;

    /// Larger than any checkpoint.
    static final int SIZE_MAX = 4 << 20;

    public LoaderState {
        Objects.requireNonNull(fingerprint, "fingerprint");
        Objects.requireNonNull(sampler, "sampler");
        Map<String, Object> plain = new LinkedHashMap<>();
        parameters.forEach((key, value) -> plain.put(key, plain(value)));
        parameters = Collections.unmodifiableMap(plain);
        segments = List.copyOf(segments);
        order = plainMap(order);
        source = plainMap(source);
        if (epoch < 0 || delivered < 0 || recordCount < 0) {
            throw new IllegalArgumentException("epoch, delivered samples and records must not be negative");
        }
    }

    /// A checkpoint without descriptions, as in version 1.
    public LoaderState(
            String fingerprint,
            long recordCount,
            String sampler,
            Map<String, Object> parameters,
            long epoch,
            long delivered) {
        this(fingerprint, recordCount, sampler, parameters, epoch, delivered, List.of(), Map.of(), Map.of());
    }

    /// The same checkpoint of a run that divided all epochs into steps like this, for a checkpoint that does not
    /// say.
    public LoaderState withSteps(long batchSize, int worldSize, boolean isDroppingLast, boolean isEven) {
        Segment whole = new Segment(0, 0, recordCount, batchSize, worldSize, isDroppingLast, isEven, -1, -1);
        return new LoaderState(
                fingerprint, recordCount, sampler, parameters, epoch, delivered, List.of(whole), order, source);
    }

    /// The description of the sampler. In version 1 it has the parameters only.
    public Map<String, Object> orderRecipe() {
        return order.isEmpty() ? Map.of("sampler", sampler, "records", recordCount, "parameters", parameters) : order;
    }

    static Map<String, Object> plainMap(Map<?, ?> map) {
        Map<String, Object> plain = new LinkedHashMap<>();
        map.forEach((key, value) -> plain.put((String) key, plain(value)));
        return Collections.unmodifiableMap(plain);
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
            case Map<?, ?> map -> plainMap(map);
            case List<?> list -> list.stream().map(LoaderState::plain).toList();
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
        values.put("segments", segments.stream().map(Segment::json).toList());
        values.put("order", order);
        values.put("source", source);
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
        if (!(map.get("version") instanceof Long version) || version < VERSION_MIN || version > VERSION) {
            throw new IllegalArgumentException("the checkpoint has version " + map.get("version")
                    + ", but this program reads versions " + VERSION_MIN + " to " + VERSION);
        }
        try {
            Map<String, Object> parameters = plainMap((Map<?, ?>) map.get("parameters"));
            List<?> segments = map.get("segments") instanceof List<?> list ? list : List.of();
            return new LoaderState(
                    (String) map.get("dataset"),
                    (Long) map.get("records"),
                    (String) map.get("sampler"),
                    parameters,
                    (Long) map.get("epoch"),
                    (Long) map.get("delivered"),
                    segments.stream().map(one -> Segment.parse((Map<?, ?>) one)).toList(),
                    map.get("order") instanceof Map<?, ?> order ? plainMap(order) : Map.of(),
                    map.get("source") instanceof Map<?, ?> source ? plainMap(source) : Map.of());
        } catch (ClassCastException | NullPointerException | NoSuchElementException | ArithmeticException e) {
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

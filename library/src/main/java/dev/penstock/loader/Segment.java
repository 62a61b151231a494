// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A part of training in which epochs were divided into steps in the same way. A resume with another batch size or
/// number of ranks begins a new segment, and so do records that were added and an epoch that was left early.
///
/// @param epoch          the epoch in which the segment begins
/// @param delivered      the number of samples of that epoch that were delivered before
/// @param recordCount    the number of records to sample from
/// @param batchSize      the number of records in a batch of one rank
/// @param isDroppingLast whether the incomplete last step of an epoch is dropped
/// @param isEven         whether all ranks have the same number of records in every step
/// @param endEpoch       the epoch in which the segment ends, if the next one does not begin where it ends;
///                       otherwise -1
/// @param endDelivered   the number of samples of that epoch that were delivered; otherwise -1
public record Segment(
        long epoch,
        long delivered,
        long recordCount,
        long batchSize,
        int worldSize,
        boolean isDroppingLast,
        boolean isEven,
        long endEpoch,
        long endDelivered) {
    public Segment {
        if (epoch < 0 || delivered < 0 || recordCount < 0 || batchSize < 1 || worldSize < 1) {
            throw new IllegalArgumentException("a segment of a checkpoint has numbers that are out of range");
        }
    }

    static Segment of(long epoch, long delivered, long recordCount, LoaderOptions options) {
        return new Segment(
                epoch,
                delivered,
                recordCount,
                options.batchSize(),
                options.ranks().worldSize(),
                options.isDroppingLast(),
                options.isEven(),
                -1,
                -1);
    }

    boolean hasEnd() {
        return endEpoch >= 0;
    }

    Segment endingAt(long endEpoch, long endDelivered) {
        return new Segment(
                epoch, delivered, recordCount, batchSize, worldSize, isDroppingLast, isEven, endEpoch, endDelivered);
    }

    /// Whether nothing was delivered in it.
    boolean isEmpty() {
        return hasEnd() && (endEpoch < epoch || endEpoch == epoch && endDelivered <= delivered);
    }

    /// Whether it divides epochs in the same way as another one.
    boolean isLike(Segment other) {
        return recordCount == other.recordCount
                && batchSize == other.batchSize
                && worldSize == other.worldSize
                && isDroppingLast == other.isDroppingLast
                && isEven == other.isEven;
    }

    /// Values for JSON.
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("epoch", epoch);
        json.put("delivered", delivered);
        json.put("records", recordCount);
        json.put("batch", batchSize);
        json.put("world", (long) worldSize);
        if (isDroppingLast) {
            json.put("dropLast", true);
        }
        if (!isEven) {
            json.put("even", false);
        }
        if (hasEnd()) {
            json.put("end", List.of(endEpoch, endDelivered));
        }
        return json;
    }

    static Segment parse(Map<?, ?> json) {
        List<?> end = json.get("end") instanceof List<?> list ? list : List.of(-1L, -1L);
        return new Segment(
                (Long) json.get("epoch"),
                (Long) json.get("delivered"),
                (Long) json.get("records"),
                (Long) json.get("batch"),
                Math.toIntExact((Long) json.get("world")),
                Boolean.TRUE.equals(json.get("dropLast")),
                !Boolean.FALSE.equals(json.get("even")),
                (Long) end.getFirst(),
                (Long) end.getLast());
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.file.Crc32c;
import dev.penstock.view.Selection;
import dev.penstock.view.ViewRecipe;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Applies another sampler to some of the records.
public final class SubsetSampler implements Sampler {
    private final long recordCount;
    private final long[] records;
    private final Sampler inner;
    private final String recordsCrc;

    /// @param recordCount the number of records of the dataset
    /// @param records     the selected records, ascending
    /// @param inner       the sampler, which has as many records as are selected
    public SubsetSampler(long recordCount, long[] records, Sampler inner) {
        this.recordCount = recordCount;
        this.records = records.clone();
        this.inner = inner;
        if (inner.recordCount() != records.length) {
            throw new IllegalArgumentException(
                    "the sampler has " + inner.recordCount() + " records, but the subset has " + records.length);
        }
        for (int i = 0; i < records.length; i++) {
            if (records[i] < (i == 0 ? 0 : records[i - 1] + 1) || records[i] >= recordCount) {
                throw new IllegalArgumentException("record " + records[i] + " at position " + i
                        + " of the subset is out of order or out of range: the dataset's number of records is "
                        + recordCount);
            }
        }
        this.recordsCrc = HexFormat.of().toHexDigits(Crc32c.of(MemorySegment.ofArray(records)));
    }

    /// The records that a mask selects.
    public static long[] records(boolean[] mask) {
        long[] records = new long[mask.length];
        int count = 0;
        for (int i = 0; i < mask.length; i++) {
            if (mask[i]) {
                records[count++] = i;
            }
        }
        return Arrays.copyOf(records, count);
    }

    /// The sampler over the records of the subset.
    Sampler inner() {
        return inner;
    }

    @Override
    public String name() {
        return "subset";
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("records", (long) records.length);
        parameters.put("recordsCrc", recordsCrc);
        parameters.put("order", inner.name());
        inner.parameters().forEach((key, value) -> parameters.put("order." + key, value));
        return parameters;
    }

    @Override
    public long recordCount() {
        return recordCount;
    }

    @Override
    public long length() {
        return inner.length();
    }

    @Override
    public long index(long epoch, long position) {
        return records[(int) inner.index(epoch, position)];
    }

    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        inner.fill(epoch, position, target);
        translate(target);
    }

    @Override
    public void fill(long epoch, long position, long stride, MemorySegment target) {
        inner.fill(epoch, position, stride, target);
        translate(target);
    }

    private void translate(MemorySegment places) {
        for (long at = 0; at < places.byteSize(); at += U64.byteSize()) {
            places.set(U64, at, records[(int) places.get(U64, at)]);
        }
    }

    @Override
    public int shareCount() {
        return inner.shareCount();
    }

    @Override
    public long repeatsFrom() {
        return inner.repeatsFrom();
    }

    @Override
    public boolean isRepeat(long position) {
        return inner.isRepeat(position);
    }

    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        int place = Arrays.binarySearch(records, recordIndex);
        return place < 0 ? OptionalLong.empty() : inner.position(epoch, place);
    }

    @Override
    public long[] positions(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        int place = Arrays.binarySearch(records, recordIndex);
        return place < 0 ? new long[0] : inner.positions(epoch, place);
    }

    /// Has the records as ranges, if they are few.
    @Override
    public Map<String, Object> recipe() {
        Map<String, Object> recipe = Sampler.super.recipe();
        ViewRecipe.addRanges(recipe, Selection.of(records));
        recipe.put("order", inner.recipe());
        return recipe;
    }

    @Override
    public boolean isPermutation() {
        return inner.isPermutation() && records.length == recordCount;
    }

    /// Records that were added later are not part of the subset.
    @Override
    public Sampler resized(long recordCount) {
        return new SubsetSampler(recordCount, records, inner);
    }

    @Override
    public long spreadCount() {
        return inner.spreadCount();
    }

    /// Selected records are rarely neighbours, unless all were selected.
    @Override
    public long neighbourCount() {
        return records.length == recordCount ? inner.neighbourCount() : 1;
    }
}

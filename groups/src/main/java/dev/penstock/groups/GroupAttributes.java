// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Batch;
import dev.penstock.Field;
import dev.penstock.Indices;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import dev.penstock.query.Where;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/// Attributes of groups in conditions, and selections of groups.
final class GroupAttributes {
    private static final String PREFIX = "group.";

    private GroupAttributes() {}

    /// The field for an attribute in conditions. It is named `group.NAME` if the rows have a field of the same
    /// name.
    static Field named(Field attribute, List<Field> rowFields) {
        boolean isTaken = rowFields.stream().anyMatch(field -> field.name().equals(attribute.name()));
        return isTaken ? renamed(attribute, PREFIX + attribute.name()) : attribute;
    }

    /// The attribute for a field of a condition.
    static Field attribute(Groups groups, Field field) {
        String name = field.name();
        boolean isPrefixed = name.startsWith(PREFIX)
                && groups.fields().stream().noneMatch(one -> one.name().equals(name));
        return isPrefixed ? renamed(field, name.substring(PREFIX.length())) : field;
    }

    private static Field renamed(Field field, String name) {
        return new Field(name, field.type(), field.elementSize(), field.shape(), field.isVariable());
    }

    /// The groups that match a condition on attributes only.
    static int[] matching(Groups groups, Where where) throws IOException {
        try (Batch batch = Batch.create(where.fields())) {
            int[] all = IntStream.range(0, (int) groups.count()).toArray();
            for (int i = 0; i < batch.columns().size(); i++) {
                groups.copy(attribute(groups, batch.fields().get(i)), all, all.length, batch.column(i));
            }
            batch.complete(all.length);
            return LongStream.of(where.test(batch).toIndices(0))
                    .mapToInt(Math::toIntExact)
                    .toArray();
        }
    }

    /// Fills a batch with fields of rows and attributes of their groups. Fields of rows are gathered into a
    /// separate batch, whose memory is taken over without a copy.
    ///
    /// @param own       the fields of rows
    /// @param inTable   the indices of the rows in the table
    /// @param inGroups  the indices of the same rows in the view that the groups belong to
    static void gather(
            TableReader rows,
            MemorySegment inTable,
            List<Field> own,
            Groups groups,
            MemorySegment inGroups,
            Batch batch)
            throws IOException {
        int count = Math.toIntExact(Indices.count(inGroups));
        int[] rowGroups = groups.groupsOf(inGroups, count);
        try (Batch rowBatch = Batch.create(own)) {
            if (!own.isEmpty()) {
                rows.gather(inTable, rowBatch);
            }
            for (int i = 0; i < batch.columns().size(); i++) {
                Field field = batch.fields().get(i);
                if (own.contains(field)) {
                    batch.column(i).exchange(rowBatch.column(field.name()));
                } else {
                    groups.copy(attribute(groups, field), rowGroups, count, batch.column(i));
                }
            }
            batch.complete(count);
        } catch (Throwable e) {
            batch.clear();
            throw e;
        }
    }

    /// The numbers from 0 up to a count in shuffled order.
    static int[] shuffled(int count, long seed) {
        Sampler order = new PermutationSampler(count, seed);
        return LongStream.range(0, count).mapToInt(i -> (int) order.index(0, i)).toArray();
    }
}

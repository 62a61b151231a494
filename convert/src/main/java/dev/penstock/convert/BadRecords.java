// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Json;
import dev.penstock.file.Location;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What happens with records of a source that cannot be read: the first one is an error, or all are left out and
/// listed.
///
/// The list begins anew with every pass over the source, so it belongs to the last one.
///
/// **Threads.** One thread at a time, except for [#REFUSED].
public final class BadRecords {
    /// The first record that cannot be read is an error.
    public static final BadRecords REFUSED = new BadRecords(false);

    /// More bad records than this are not single defects: the source is something else, or lost.
    public static final int LEFT_OUT_MAX = 100_000;

    /// A record, or the rest of a file, that was left out.
    ///
    /// @param file   the file
    /// @param offset the offset of the defect in the file, after it was unpacked; 0 where only its line or row is
    ///               known
    /// @param reason the machine-readable reason
    /// @param record the number or name of the record in the file, or null when it is not known
    /// @param field  the field whose value is bad, or null for the whole record
    /// @param what   what is bad, in words
    public record LeftOut(Location file, long offset, Reason reason, String record, String field, String what) {
        @Override
        public String toString() {
            return file + ": " + sentence() + " (byte " + offset + ") [" + reason + "]";
        }

        private String sentence() {
            return (record == null ? "" : "record " + record + ": ")
                    + (field == null ? "" : "field " + field + ": ")
                    + what;
        }

        /// The values as they are listed in JSON.
        public Map<String, Object> description() {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("file", file.toString());
            values.put("offset", offset);
            values.put("reason", reason.name());
            values.put("record", record);
            values.put("field", field);
            values.put("what", what);
            return values;
        }
    }

    private final boolean isSkipping;
    private final List<LeftOut> leftOut = new ArrayList<>();

    private BadRecords(boolean isSkipping) {
        this.isSkipping = isSkipping;
    }

    /// Leaves out and lists records that cannot be read.
    public static BadRecords skipped() {
        return new BadRecords(true);
    }

    /// Whether records are left out.
    public boolean isSkipping() {
        return isSkipping;
    }

    /// Notes a record that the source leaves out, or throws the error.
    ///
    /// @throws DatasetException.Corrupt when bad records are not left out, or there are too many
    public void add(LeftOut record) {
        if (!isSkipping) {
            throw new DatasetException.Corrupt(record.file, record.offset, record.reason, record.sentence());
        }
        if (leftOut.size() == LEFT_OUT_MAX) {
            throw new DatasetException.Corrupt(
                    record.file,
                    record.offset,
                    record.reason,
                    "more than " + LEFT_OUT_MAX + " records cannot be read, so nothing is converted; the next one is "
                            + record.sentence());
        }
        leftOut.add(record);
    }

    /// Notes that the rest of a file cannot be read, or throws the error.
    public void add(DatasetException.Corrupt rest) {
        if (!isSkipping) {
            throw rest;
        }
        add(new LeftOut(rest.file(), rest.offset(), rest.reason(), null, null, rest.what() + "; the rest of the file"));
    }

    /// What the last pass left out, in order.
    public List<LeftOut> leftOut() {
        return List.copyOf(leftOut);
    }

    /// What the last pass left out as JSON Lines.
    public String lines() {
        StringBuilder lines = new StringBuilder();
        leftOut.forEach(one -> lines.append(Json.text(one.description())).append('\n'));
        return lines.toString();
    }

    /// Begins a new pass.
    void begin() {
        leftOut.clear();
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Reason;
import dev.penstock.convert.BadRecords.LeftOut;
import dev.penstock.file.Location;

/// What happens with lines of a text file that cannot be read.
///
/// @param file the file, or null for a stream whose first bad line is an error
record BadLines(TextFile file, BadRecords bad) {
    /// The first bad line is an error.
    static final BadLines REFUSED = new BadLines(null, BadRecords.REFUSED);

    /// Where text is not UTF-8 although bad lines are left out. It is not a character, so no text has it.
    static final char UNDECODED = '\uFFFF';

    private static final String NOT_UTF8 = "the text is not UTF-8";

    /// The same without a list, for a pass that only looks for types.
    BadLines unlisted() {
        return isSkipping() ? new BadLines(file, BadRecords.skipped()) : this;
    }

    boolean isSkipping() {
        return bad.isSkipping();
    }

    /// Leaves out a line whose text was not UTF-8.
    ///
    /// @return false when it was
    boolean isUndecoded(long line, String text) {
        boolean isUndecoded = isSkipping() && text != null && text.indexOf(UNDECODED) >= 0;
        if (isUndecoded) {
            add(line, null, NOT_UTF8);
        }
        return isUndecoded;
    }

    /// Leaves out a line.
    ///
    /// @param field the field whose value is bad, or null
    void add(long line, String field, String what) {
        bad.add(new LeftOut(location(), 0, Reason.UNREADABLE, "line " + line, field, what));
    }

    /// Leaves out what follows, because nothing behind the defect can be read.
    ///
    /// @param line the line of the defect, or one before it
    void addRest(long line, BadInput e) {
        String name = file.name();
        String what = e.getMessage().startsWith(name) ? e.getMessage().substring(name.length() + 2) : e.getMessage();
        add(line, null, what + "; the rest of the file");
    }

    private Location location() {
        return file.location();
    }
}

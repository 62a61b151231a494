// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Reason;
import dev.penstock.convert.BadRecords;
import dev.penstock.file.Location;

/// A value that is not what it should be, in a file that can be read on: the content of a file of an archive, or a
/// record.
final class BadMember extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Reason reason;

    BadMember(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }

    BadRecords.LeftOut leftOut(Location archive, Members.Member member, SampleName name) {
        return new BadRecords.LeftOut(
                archive,
                member.offset(),
                reason,
                name == null ? member.name() : name.key(),
                name == null ? null : name.extension(),
                getMessage());
    }
}

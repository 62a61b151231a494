// SPDX-License-Identifier: Apache-2.0
/// The log of the commits of a store: checksummed frames in numbered files, and their replay after a crash.
///
/// Start from [Journal], which documents the bytes. [JournalWriter] appends frames, [JournalReplay] reads them.
package dev.penstock.store.journal;

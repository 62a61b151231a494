// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Findings;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import java.util.Set;

/// Checks every node of a tree and lists the problems.
///
/// A deviation that only a strict reader rejects is a warning, because all paths can be read. Children that are
/// out of order or overlap are errors, because lookups would miss them.
///
/// The format has no checksums, so a changed value or a changed byte of a path is not noticed.
final class TreeVerifier extends TreeSurvey {
    private static final Set<Reason> READABLE =
            Set.of(Reason.NOT_CANONICAL, Reason.UNKNOWN_FLAGS, Reason.NONZERO_PADDING);
    private static final long PROGRESS_EVERY = 1 << 16;

    private final TreeBytes bytes;
    private final Progress progress;
    /// Offsets times two, plus one for errors: a warning at a byte must not hide an error at the same byte.
    private final OffsetSet reported;

    private final Findings findings = new Findings();

    TreeVerifier(TreeBytes bytes, Progress progress) {
        super(bytes.size());
        this.bytes = bytes.withDeviations(this::deviation);
        this.progress = progress;
        this.reported = new OffsetSet(2 * bytes.size() + 1);
    }

    Verification verify(long root) {
        walk(bytes, root, bytes.size());
        TreeTrailer.requirePlausible(bytes, root);
        progress.at(bytes.size(), bytes.size());
        long checkedBytes = knownBytes() + TreeFormat.HEADER_SIZE + TreeFormat.PADDING_SIZE;
        return findings.result(Math.min(bytes.size(), checkedBytes));
    }

    @Override
    boolean enter(TreeNode node, TreeNode parent) {
        boolean isNew = super.enter(node, parent);
        if (isNew && nodeCount() % PROGRESS_EVERY == 0) {
            progress.at(knownBytes(), bytes.size());
        }
        return isNew;
    }

    @Override
    void refuse(DatasetException refusal) {
        report(refusal, false);
    }

    private void deviation(DatasetException deviation) {
        if (!READABLE.contains(deviation.reason())) {
            throw deviation;
        }
        report(deviation, true);
    }

    /// Adds a problem to the findings. A node that several parents share is reported once.
    private void report(DatasetException problem, boolean isWarning) {
        if (!reported.add(2 * Math.clamp(problem.offset(), 0, bytes.size()) + (isWarning ? 0 : 1))) {
            return;
        }
        if (isWarning) {
            findings.warning(problem.file(), problem.offset(), problem.reason(), problem.what());
        } else {
            findings.error(problem);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Looks at every node of a tree and lists what is wrong.
///
/// What only a strict reader refuses is a warning, since all paths can be read; the exceptions are children out
/// of order or in one another's place, which lookups would miss.
///
/// The format has no checksums: a changed value, or a byte of a path, cannot be noticed.
final class TreeVerifier extends TreeSurvey {
    private static final Set<Reason> READABLE =
            EnumSet.of(Reason.NOT_CANONICAL, Reason.UNKNOWN_FLAGS, Reason.NONZERO_PADDING);
    private static final long PROGRESS_EVERY = 1 << 16;

    private final TreeBytes strict;
    private final TreeNode strictNode;
    private final long root;
    private final Progress progress;
    private final OffsetSet lineData;
    private final OffsetSet reported;
    private final List<Problem> problems = new ArrayList<>();
    private long problemCount;
    private long checkedBytes = TreeFormat.HEADER_SIZE + TreeFormat.PADDING_SIZE;
    private long nodeCount;

    TreeVerifier(TreeBytes bytes, long root, Progress progress) {
        super(new TreeBytes(bytes.path(), bytes.segment(), false));
        this.strict = new TreeBytes(bytes.path(), bytes.segment(), true);
        this.strictNode = new TreeNode(strict);
        this.root = root;
        this.progress = progress;
        this.lineData = new OffsetSet(bytes.size());
        this.reported = new OffsetSet(bytes.size());
    }

    Verification verify() {
        run(root);
        try {
            TreeTrailer.requirePlausible(strict, root);
        } catch (DatasetException e) {
            add(e);
        }
        progress.at(strict.size(), strict.size());
        problems.sort(Comparator.comparingLong(Problem::offset));
        return new Verification(Math.min(checkedBytes, strict.size()), problems, problemCount);
    }

    @Override
    void decode(TreeNode node, long offset, long limit) {
        node.decode(offset, limit);
        try {
            strictNode.decode(offset, limit);
        } catch (DatasetException e) {
            if (!READABLE.contains(e.reason())) {
                throw e;
            }
            add(e);
        }
    }

    @Override
    void visit(TreeNode node) {
        checkedBytes += node.end - node.offset;
        if (node.isLine && lineData.add(node.segment)) {
            checkedBytes += Varint.sizeOf(node.segmentSize) + node.segmentSize;
        }
        if (++nodeCount % PROGRESS_EVERY == 0) {
            progress.at(Math.min(checkedBytes, strict.size()), strict.size());
        }
    }

    @Override
    void refuse(DatasetException refusal) {
        add(refusal);
    }

    /// What several parents share is found wrong through each of them, and told once.
    private void add(DatasetException finding) {
        if (!reported.add(Math.clamp(finding.offset(), 0, strict.size()))) {
            return;
        }
        problemCount++;
        if (problems.size() < Verification.PROBLEMS_MAX) {
            Severity severity = READABLE.contains(finding.reason()) ? Severity.WARNING : Severity.ERROR;
            problems.add(new Problem(finding.file(), finding.offset(), severity, finding.reason(), finding.what()));
        }
    }
}

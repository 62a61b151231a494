// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Findings;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import java.util.EnumSet;
import java.util.Set;

/// Looks at every node of a tree and lists what is wrong.
///
/// What only a strict reader refuses is a warning, since all paths can be read; the exceptions are children out
/// of order or in one another's place, which lookups would miss.
///
/// The format has no checksums: a changed value, or a byte of a path, cannot be noticed.
final class TreeVerifier extends TreeWalk {
    private static final Set<Reason> READABLE =
            EnumSet.of(Reason.NOT_CANONICAL, Reason.UNKNOWN_FLAGS, Reason.NONZERO_PADDING);
    private static final long PROGRESS_EVERY = 1 << 16;

    private final TreeBytes strict;
    private final TreeNode strictNode;
    private final long root;
    private final Progress progress;
    private final OffsetSet met;
    private final OffsetSet lineData;
    /// A warning at a byte must not hide an error at the same byte, so they are remembered apart.
    private final OffsetSet reportedErrors;

    private final OffsetSet reportedWarnings;
    private final Findings findings = new Findings();
    private long checkedBytes = TreeFormat.HEADER_SIZE + TreeFormat.PADDING_SIZE;
    private long nodeCount;

    TreeVerifier(TreeBytes bytes, long root, Progress progress) {
        super(bytes.withStrict(false));
        this.strict = bytes.withStrict(true);
        this.strictNode = new TreeNode(strict);
        this.root = root;
        this.progress = progress;
        this.met = new OffsetSet(bytes.size());
        this.lineData = new OffsetSet(bytes.size());
        this.reportedErrors = new OffsetSet(bytes.size());
        this.reportedWarnings = new OffsetSet(bytes.size());
    }

    Verification verify() {
        walk(root, strict.size());
        try {
            TreeTrailer.requirePlausible(strict, root);
        } catch (DatasetException e) {
            add(e);
        }
        progress.at(strict.size(), strict.size());
        return findings.result(Math.min(checkedBytes, strict.size()));
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
            requireOrder(node, limit);
        }
    }

    /// Checks what a strict reader would have checked behind the oddity it stopped at: lookups depend on it.
    private void requireOrder(TreeNode node, long limit) {
        if (!node.isLine && !node.isMask && node.childCount > 0) {
            ChildList.requireAscending(strict, node.childBytes, node.childCount);
        }
        if (node.end > limit) {
            throw strict.corrupt(node.offset, Reason.OVERLAP, "a node reaches into the one that refers to it");
        }
    }

    @Override
    boolean enter(TreeNode node, Run run) {
        if (!met.add(node.offset)) {
            return false;
        }
        checkedBytes += node.end - node.offset;
        if (node.isLine && lineData.add(node.segment)) {
            checkedBytes += Varint.sizeOf(node.segmentSize) + node.segmentSize;
        }
        if (++nodeCount % PROGRESS_EVERY == 0) {
            progress.at(Math.min(checkedBytes, strict.size()), strict.size());
        }
        return true;
    }

    @Override
    void refuse(DatasetException refusal) {
        add(refusal);
    }

    /// A node that several parents share is found wrong through each of them, and reported once.
    private void add(DatasetException finding) {
        boolean isWarning = READABLE.contains(finding.reason());
        OffsetSet reported = isWarning ? reportedWarnings : reportedErrors;
        if (!reported.add(Math.clamp(finding.offset(), 0, strict.size()))) {
            return;
        }
        if (isWarning) {
            findings.warning(finding.file(), finding.offset(), finding.reason(), finding.what());
        } else {
            findings.error(finding);
        }
    }
}

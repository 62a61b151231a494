// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

/// Visits every node of a tree once, even if several parents share it, and counts the parts of the file.
class TreeSurvey extends TreeWalk {
    private final OffsetSet nodes;
    private final OffsetSet lineData;
    private long branchCount;
    private long lineCount;
    private long endCount;
    private long lineDataCount;
    private long sharedRunCount;
    private long branchBytes;
    private long lineBytes;
    private long lineDataBytes;

    TreeSurvey(long fileSize) {
        this.nodes = new OffsetSet(fileSize);
        this.lineData = new OffsetSet(fileSize);
    }

    static TreeStats stats(TreeBytes bytes, long root) {
        TreeCounter.Sum sum = TreeCounter.count(bytes, root, bytes.size());
        TreeSurvey survey = new TreeSurvey(bytes.size());
        survey.walk(bytes, root, bytes.size());
        return new TreeStats(
                sum.count,
                sum.longestSize,
                survey.branchCount,
                survey.lineCount,
                survey.endCount,
                survey.lineDataCount,
                survey.sharedRunCount,
                survey.branchBytes,
                survey.lineBytes,
                survey.lineDataBytes,
                Math.max(0, bytes.size() - survey.knownBytes()),
                bytes.size());
    }

    /// The number of nodes so far.
    final long nodeCount() {
        return branchCount + lineCount;
    }

    /// The size of the nodes so far and of their line data.
    final long knownBytes() {
        return branchBytes + lineBytes + lineDataBytes;
    }

    @Override
    boolean enter(TreeNode node, TreeNode parent) {
        if (!nodes.add(node.offset)) {
            return false;
        }
        long size = node.end - node.offset;
        endCount += !node.hasValue && node.childCount == 0 ? 1 : 0;
        sharedRunCount += node.childCount > 0 && nodes.contains(node.first) ? 1 : 0;
        if (!node.isLine) {
            branchCount++;
            branchBytes += size;
            return true;
        }
        lineCount++;
        lineBytes += size;
        if (lineData.add(node.segment)) {
            lineDataCount++;
            lineDataBytes += Varint.sizeOf(node.segmentSize) + node.segmentSize;
        }
        return true;
    }
}

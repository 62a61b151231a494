// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

/// What the file of a tree is made of.
///
/// @param keyCount        paths with a value; `Long.MAX_VALUE` stands for that many and more
/// @param longestPathSize bytes of the longest path
/// @param branchCount     branches in the file, shared ones once
/// @param lineCount       lines in the file, shared ones once
/// @param endCount        nodes with neither value nor child
/// @param lineDataCount   pieces of line data, which lines share
/// @param sharedRunCount  references to a run of children beyond its first; none in a canonical tree
/// @param branchBytes     bytes of branches
/// @param lineBytes       bytes of lines
/// @param lineDataBytes   bytes of line data
/// @param otherBytes      header, padding, and bytes that nothing refers to
/// @param fileBytes       bytes of the file
public record TreeStats(
        long keyCount,
        long longestPathSize,
        long branchCount,
        long lineCount,
        long endCount,
        long lineDataCount,
        long sharedRunCount,
        long branchBytes,
        long lineBytes,
        long lineDataBytes,
        long otherBytes,
        long fileBytes) {

    static TreeStats of(TreeBytes bytes, long root) {
        TreeCounter.Sum sum = TreeCounter.count(bytes, root, bytes.size());
        Survey survey = new Survey(bytes);
        survey.walk(root, bytes.size());
        long known = survey.branchBytes + survey.lineBytes + survey.lineDataBytes;
        return new TreeStats(
                sum.count(),
                sum.longestSize(),
                survey.branchCount,
                survey.lineCount,
                survey.endCount,
                survey.lineDataCount,
                survey.sharedRunCount,
                survey.branchBytes,
                survey.lineBytes,
                survey.lineDataBytes,
                Math.max(0, bytes.size() - known),
                bytes.size());
    }

    private static final class Survey extends TreeWalk {
        private final OffsetSet met;
        private final OffsetSet lineData;
        private long branchCount;
        private long lineCount;
        private long endCount;
        private long lineDataCount;
        private long sharedRunCount;
        private long branchBytes;
        private long lineBytes;
        private long lineDataBytes;

        Survey(TreeBytes bytes) {
            super(bytes);
            this.met = new OffsetSet(bytes.size());
            this.lineData = new OffsetSet(bytes.size());
        }

        @Override
        boolean enter(TreeNode node, Run run) {
            if (!met.add(node.offset)) {
                return false;
            }
            long size = node.end - node.offset;
            endCount += !node.hasValue && node.childCount == 0 ? 1 : 0;
            sharedRunCount += node.childCount > 0 && met.contains(node.first) ? 1 : 0;
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
}

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
        TreeCounter counter = new TreeCounter(bytes);
        long keyCount = counter.count(root, bytes.size());
        Survey survey = new Survey(bytes);
        survey.run(root);
        long known = survey.branchBytes + survey.lineBytes + survey.lineDataBytes;
        return new TreeStats(
                keyCount,
                counter.longestSize(),
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

    private static final class Survey extends TreeSurvey {
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
            this.lineData = new OffsetSet(bytes.size());
        }

        @Override
        void visit(TreeNode node) {
            long size = node.end - node.offset;
            endCount += !node.hasValue && node.childCount == 0 ? 1 : 0;
            if (!node.isLine) {
                branchCount++;
                branchBytes += size;
                return;
            }
            lineCount++;
            lineBytes += size;
            if (lineData.add(node.segment)) {
                lineDataCount++;
                lineDataBytes += Varint.sizeOf(node.segmentSize) + node.segmentSize;
            }
        }

        @Override
        void visitShared() {
            sharedRunCount++;
        }
    }
}

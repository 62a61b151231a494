// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

/// Counts and sizes of the parts of a tree file.
///
/// @param keyCount        the number of paths with a value; `Long.MAX_VALUE` stands for that number or more
/// @param longestPathSize the size of the longest path in bytes
/// @param branchCount     the number of branches in the file, shared ones once
/// @param lineCount       the number of lines in the file, shared ones once
/// @param endCount        the number of nodes with neither value nor child
/// @param lineDataCount   the number of pieces of line data, which lines share
/// @param sharedRunCount  the number of references to a run of children beyond its first; 0 in a canonical tree
/// @param branchBytes     the size of all branches
/// @param lineBytes       the size of all lines
/// @param lineDataBytes   the size of all line data
/// @param otherBytes      the size of header, padding, and unreferenced bytes
/// @param fileBytes       the size of the file
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
        long fileBytes) {}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.catalog.DatasetPart;
import dev.penstock.table.TableShard;
import java.util.List;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/// What a task has written: names and sizes, never rows.
///
/// @param task   the number of the task, in whose order the rows are
/// @param shards the shards of a table
/// @param parts  the parts of another dataset
record TaskParts(int task, List<TableShard> shards, List<DatasetPart> parts) implements WriterCommitMessage {}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.ElementType;
import dev.penstock.catalog.DatasetPart;
import dev.penstock.catalog.PartsCommit;
import dev.penstock.file.Disk;
import dev.penstock.file.PublishMode;
import dev.penstock.shards.SingleShardWriter;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableCommit;
import dev.penstock.table.TableShard;
import dev.penstock.table.TableShardWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Requests of programs in which several processes write one dataset: the parts that each writes, and the commit
/// that publishes them.
final class PartRequests {
    private PartRequests() {}

    /// Answers the requests about parts, and passes others on.
    static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "partName" -> name(request);
            case "partsBegin" -> begin(request);
            case "partsCommit" -> commit(request);
            case "tableShard" -> tableShard(request);
            case "appendTableRows" -> appendTableRows(request);
            case "finishTableShard" -> finishTableShard(request);
            case "activationShard" -> activations(request);
            case "appendActivations" -> appendActivations(request);
            case "finishActivations" -> finishActivations(request);
            default -> ShardRequests.answer(request);
        };
    }

    /// A dataset that is being published: a table, or parts of another kind.
    private record Commit(TableCommit table, PartsCommit parts) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            if (table != null) {
                table.close();
            } else {
                parts.close();
            }
        }
    }

    private static RowType rowType(Request request) {
        return new RowType(DType.parse(request.text("dtype")), request.list("shape", Long.class));
    }

    private static boolean isTable(Request request) {
        return request.text("kind").equals("table");
    }

    /// The name of a part, which no other job, task or attempt has.
    static Object name(Request request) {
        String job = request.text("job");
        long task = request.number("task");
        long attempt = request.number("attempt");
        int number = Math.toIntExact(request.number("number"));
        return isTable(request)
                ? TableCommit.shardName(job, task, attempt, number)
                : PartsCommit.partName(request.text("kind"), job, task, attempt, number);
    }

    /// Locks the folder of a dataset for a job.
    static Object begin(Request request) throws IOException {
        Path folder = Path.of(request.text("path"));
        PublishMode mode = PublishMode.valueOf(request.text("mode").toUpperCase(Locale.ROOT));
        String job = request.text("job");
        Commit commit = isTable(request)
                ? new Commit(TableCommit.begin(folder, rowType(request), job, mode, Map.of(), Disk.real()), null)
                : new Commit(null, PartsCommit.begin(folder, request.text("kind"), job, mode, Map.of(), Disk.real()));
        request.keep(commit);
        return null;
    }

    /// Publishes parts in their order.
    static Object commit(Request request) throws IOException {
        Commit commit = request.object("handle", Commit.class);
        List<String> names = request.list("names", String.class);
        List<Long> counts = request.list("counts", Long.class);
        List<Long> sizes = request.list("sizes", Long.class);
        List<TableShard> shards = new ArrayList<>();
        List<DatasetPart> parts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if (commit.table != null) {
                String crc = request.list("crcs", String.class).get(i);
                shards.add(new TableShard(names.get(i), counts.get(i), sizes.get(i), crc));
            } else {
                parts.add(new DatasetPart(names.get(i), counts.get(i), sizes.get(i)));
            }
        }
        if (commit.table != null) {
            commit.table.commit(shards);
        } else {
            commit.parts.commit(parts);
        }
        return null;
    }

    static Object tableShard(Request request) throws IOException {
        request.keep(TableShardWriter.create(Path.of(request.text("path")), rowType(request), Disk.real()));
        return null;
    }

    static Object appendTableRows(Request request) throws IOException {
        request.object("handle", TableShardWriter.class).append(request.memory("rows"));
        return null;
    }

    /// Completes a shard of a table, and returns what its manifest says about it.
    static Object finishTableShard(Request request) throws IOException {
        TableShard shard = request.object("handle", TableShardWriter.class).finish();
        return Map.of("name", shard.name(), "records", shard.rows(), "bytes", shard.bytes(), "crc", shard.crc());
    }

    static Object activations(Request request) throws IOException {
        ElementType type = ElementType.valueOf(request.text("type").toUpperCase(Locale.ROOT));
        request.keep(
                SingleShardWriter.create(Path.of(request.text("path")), request.number("width"), type, Disk.real()));
        return null;
    }

    static Object appendActivations(Request request) throws IOException {
        request.object("handle", SingleShardWriter.class).append(request.memory("rows"));
        return null;
    }

    static Object finishActivations(Request request) throws IOException {
        request.object("handle", SingleShardWriter.class).finish();
        return null;
    }
}

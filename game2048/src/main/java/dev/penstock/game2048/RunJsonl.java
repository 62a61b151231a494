// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Progress;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/// Writes runs as JSON Lines. Several threads decode and format, one writes the text in the order of the pack. The
/// memory depends on the number of threads and not on the pack.
public final class RunJsonl {
    /// The stored size of the runs that are formatted together.
    private static final long PIECE_BYTES = 16 << 10;

    /// A larger run is formatted by the writing thread, piece by piece.
    private static final long LARGE_BYTES = 2 << 20;

    private static final int PIECES_PER_WORKER = 2;
    private static final int WORKERS_MAX = 1024;
    private static final String[] MOVES = {"\"UP\"", "\"DOWN\"", "\"LEFT\"", "\"RIGHT\""};

    private static final String[] ROWS = new String[1 << 16];

    /// The schema of the lines.
    public enum Schema {
        /// The lines of the original program, byte for byte.
        ORIGINAL,
        /// Boards as numbers, branch values as four numbers or nulls, then one line for the run.
        COMPACT
    }

    /// The lines to write.
    public enum Lines {
        /// Lines of runs with the original schema; lines of steps and runs with the compact schema.
        DEFAULT,
        /// One line for each step.
        STEPS,
        /// One line for each run.
        RUNS
    }

    /// Options for writing.
    ///
    /// @param workers the number of threads that decode and format; 1 uses the caller's thread
    public record Options(Schema schema, Lines lines, int workers) {
        public Options {
            if (workers < 1 || workers > WORKERS_MAX) {
                throw new IllegalArgumentException("workers must be between 1 and " + WORKERS_MAX + ", got " + workers);
            }
        }

        boolean hasSteps() {
            return lines == Lines.STEPS || lines == Lines.DEFAULT && schema == Schema.COMPACT;
        }

        boolean hasRuns() {
            return lines != Lines.STEPS;
        }
    }

    /// Some consecutive runs that are formatted together.
    private record Piece(int start, int limit, boolean isLarge) {}

    private final RunPack pack;
    private final long[] indices;
    private final Options options;

    private RunJsonl(RunPack pack, long[] indices, Options options) {
        this.pack = pack;
        this.indices = indices;
        this.options = options;
    }

    /// Writes some runs in the order of the indices.
    ///
    /// @return the number of runs
    public static long write(RunPack pack, long[] indices, Options options, OutputStream stream, Progress progress)
            throws IOException {
        new RunJsonl(pack, indices.clone(), options).write(stream, progress);
        return indices.length;
    }

    private void write(OutputStream stream, Progress progress) throws IOException {
        if (options.workers() == 1) {
            JsonText text = new JsonText(stream);
            for (int i = 0; i < indices.length; i++) {
                append(indices[i], text);
                progress.at(i + 1L, indices.length);
            }
            text.flush();
            return;
        }
        Deque<Piece> pieces = new ArrayDeque<>();
        Deque<Future<JsonText>> texts = new ArrayDeque<>();
        // Memory is reused from piece to piece: new memory for each would keep the garbage collector busy.
        Deque<JsonText> idle = new ArrayDeque<>();
        int next = 0;
        try (ExecutorService pool = Parallel.pool(options.workers())) {
            while (next < indices.length || !pieces.isEmpty()) {
                while (next < indices.length && pieces.size() < options.workers() * PIECES_PER_WORKER) {
                    Piece piece = piece(next);
                    pieces.add(piece);
                    JsonText text = idle.isEmpty() ? new JsonText(null) : idle.pop();
                    texts.add(pool.submit(() -> piece.isLarge() ? text : append(piece, text)));
                    next = piece.limit();
                }
                idle.push(finish(pieces.remove(), texts.remove(), stream));
                progress.at(pieces.isEmpty() ? next : pieces.peek().start(), indices.length);
            }
        } finally {
            texts.forEach(text -> text.cancel(false));
        }
    }

    /// Writes a piece and returns its memory, emptied.
    private JsonText finish(Piece piece, Future<JsonText> future, OutputStream stream) throws IOException {
        JsonText text = Parallel.await(future);
        if (piece.isLarge()) {
            JsonText direct = new JsonText(stream);
            append(indices[piece.start()], direct);
            direct.flush();
        }
        text.writeTo(stream);
        return text;
    }

    private Piece piece(int start) {
        int limit = start;
        long byteCount = 0;
        while (limit < indices.length && byteCount < PIECE_BYTES) {
            long size = pack.pack().size(indices[limit]);
            if (size > LARGE_BYTES) {
                return limit == start ? new Piece(start, start + 1, true) : new Piece(start, limit, false);
            }
            byteCount += size;
            limit++;
        }
        return new Piece(start, limit, false);
    }

    private JsonText append(Piece piece, JsonText text) throws IOException {
        for (int i = piece.start(); i < piece.limit(); i++) {
            append(indices[i], text);
        }
        return text;
    }

    private void append(long index, JsonText text) throws IOException {
        RunPack.Scratch scratch = pack.borrow();
        try {
            int size = pack.decode(index, scratch, scratch.columns, new ArrayList<>());
            boolean isOriginal = options.schema() == Schema.ORIGINAL;
            if (options.hasSteps() && isOriginal) {
                int crc = Crc32c.of(MemorySegment.ofArray(scratch.bytes).asSlice(0, size));
                appendSteps(index, uuid(crc, index), scratch.columns, text);
            } else if (options.hasSteps()) {
                appendCompactSteps(index, scratch.columns, text);
            }
            if (options.hasRuns() && isOriginal) {
                appendRun(index, scratch.columns, text);
            } else if (options.hasRuns()) {
                appendCompactRun(index, scratch.columns, text);
            }
        } finally {
            pack.giveBack(scratch);
        }
    }

    private static String uuid(int crc, long index) {
        HexFormat hex = HexFormat.of();
        return "a2r-" + hex.toHexDigits(crc) + "-" + hex.toHexDigits((int) index);
    }

    private static void appendRun(long index, RunColumns run, JsonText text) throws IOException {
        text.add("{\"run_idx\":").add(index);
        appendMeta(run.meta, text);
        text.add(",\"final_board\":").add(run.finalBoard).add(",\"states\":[");
        for (int i = 0; i < run.stepCount; i++) {
            text.add(run.boards[i]).add(",");
        }
        text.add(run.finalBoard).add("],\"moves\":[");
        for (int i = 0; i < run.stepCount; i++) {
            text.add(i == 0 ? "" : ",").add(MOVES[run.moves[i]]);
        }
        text.add("]}\n");
    }

    private static void appendMeta(RunMeta meta, JsonText text) throws IOException {
        text.add(",\"steps\":").add(meta.steps());
        text.add(",\"start_unix_s\":").add(meta.startUnixS());
        text.add(",\"elapsed_s\":").addFloat(meta.elapsedBits());
        text.add(",\"max_score\":").add(meta.maxScore());
        text.add(",\"highest_tile\":").add(meta.highestTile());
    }

    private static void appendSteps(long index, String uuid, RunColumns run, JsonText text) throws IOException {
        for (int i = 0; i < run.stepCount; i++) {
            text.add("{\"run_idx\":").add(index).add(",\"run_uuid\":\"").add(uuid);
            text.add("\",\"step_idx\":").add(i).add(",\"pre_board\":[");
            long board = run.boards[i];
            text.add(row(board >>> 48)).add(",").add(row(board >>> 32)).add(",");
            text.add(row(board >>> 16)).add(",").add(row(board));
            text.add("],\"chosen\":").add(MOVES[run.moves[i]]).add(",\"branches\":[");
            int legal = StepBranches.legal(run, i);
            for (int move = 0; move < Move.COUNT; move++) {
                boolean isLegal = (legal >>> move & 1) != 0;
                text.add(move == 0 ? "" : ",")
                        .add(isLegal ? "{\"legal\":true,\"value\":" : "{\"legal\":false,\"value\":");
                text.addFloat(isLegal ? StepBranches.valueBits(run, i, move) : 0)
                        .add("}");
            }
            text.add("]}\n");
        }
    }

    /// The exponents of a row of a board. Each text is created once.
    private static String row(long cells) {
        int line = (int) cells & 0xFFFF;
        String text = ROWS[line];
        if (text == null) {
            text = (line >>> 12) + "," + (line >>> 8 & 15) + "," + (line >>> 4 & 15) + "," + (line & 15);
            ROWS[line] = text;
        }
        return text;
    }

    private static void appendCompactSteps(long index, RunColumns run, JsonText text) throws IOException {
        for (int i = 0; i < run.stepCount; i++) {
            text.add("{\"run_idx\":").add(index).add(",\"step_idx\":").add(i);
            text.add(",\"pre_board\":").add(run.boards[i]).add(",\"chosen\":").add(MOVES[run.moves[i]]);
            text.add(",\"branches\":[");
            for (int move = 0; move < Move.COUNT; move++) {
                text.add(move == 0 ? "" : ",");
                if ((run.flags[i] >>> move & 1) != 0) {
                    text.addFloat(run.branchBits[i * Move.COUNT + move]);
                } else {
                    text.add("null");
                }
            }
            text.add("]}\n");
        }
    }

    private static void appendCompactRun(long index, RunColumns run, JsonText text) throws IOException {
        text.add("{\"run_idx\":").add(index).add(",\"final_board\":").add(run.finalBoard);
        appendMeta(run.meta, text);
        text.add(",\"engine\":").addQuoted(run.meta.engine()).add("}\n");
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// A steps dataset is a folder with the steps of many runs as rows of a table, and a database with the runs. It is
/// a grouped table ([dev.penstock.groups.GroupFormat]) whose groups are runs.
///
/// | file                                | what                                                              |
/// |-------------------------------------|-------------------------------------------------------------------|
/// | `steps.npy`, or `steps-00000.npy` … | the rows: one file, or shards when a number of rows was asked for |
/// | `metadata.db`                       | the table `runs`, a row for each run                              |
/// | `manifest.json`                     | counts, sources and checksums; never needed for reading           |
///
/// ## Rows
///
/// Rows are packed, without padding, and little-endian.
///
/// ### ROW
///
/// | offset | size | type  | field      | rule                                                                  |
/// |-------:|-----:|-------|------------|-----------------------------------------------------------------------|
/// |      0 |    8 | u64   | board      | the board before the move, as [Board] describes it                    |
/// |      8 |    1 | u8    | move       | 0 up, 1 down, 2 left, 3 right                                         |
/// |      9 |    1 | u8    | evLegal    | bit `i` is set when move `i` is legal                                 |
/// |     10 |   16 | bytes | evValues   | four 32-bit floats from 0 to 1; 0 when illegal, 1 for a legal choice  |
/// |     26 |    4 | u32   | runId      | the `id` of the run in the database                                   |
/// |     30 |    2 | u16   | stepIndex  | the index of the step in its run                                      |
///
/// ### WIDE_ROW
///
/// | offset | size | type  | field      | rule                                                                  |
/// |-------:|-----:|-------|------------|-----------------------------------------------------------------------|
/// |      0 |    8 | u64   | board      | as above                                                              |
/// |      8 |    1 | u8    | move       | as above                                                              |
/// |      9 |    1 | u8    | evLegal    | as above                                                              |
/// |     10 |   16 | bytes | evValues   | as above                                                              |
/// |     26 |    4 | u32   | runId      | as above                                                              |
/// |     30 |    4 | u32   | stepIndex  | the index of the step in its run                                      |
///
/// The header is byte for byte that of the original program, which spells the type differently from NumPy. It
/// takes 192 bytes for fewer than ten rows and 256 bytes for more. Readers accept every spelling.
///
/// The value of the chosen move is exactly 1 when it is legal; other values are clamped to 0 to 1, and NaN
/// becomes 0. The board after the last move of a run has no row.
///
/// ## Limits
///
/// - A run has at most [#STEPS_MAX] steps in normal rows, because the step index has 16 bits.
/// - A run id has 32 bits.
public final class StepsFormat {
    /// The name of the file with the rows of a dataset without shards.
    public static final String FILE = "steps.npy";

    /// The start of the names of shards.
    static final String SERIES = "steps-";

    /// The largest number of steps of a run with a 16-bit step index.
    public static final int STEPS_MAX = 1 << 16;

    /// The exclusive limit of run ids.
    static final long RUN_ID_LIMIT = 1L << 32;

    static final int VALUES_OFFSET = 10;
    static final int RUN_ID_OFFSET = 26;
    static final int STEP_INDEX_OFFSET = 30;

    static final StructLayout ROW = layout(U16.withName("stepIndex"));
    static final StructLayout WIDE_ROW = layout(U32.withName("stepIndex"));

    private static final String FIELDS = "[('board', '<u8'), ('move', '|u1'), ('ev_legal', '|u1'),"
            + " ('ev_values', '<f4', (4,)), ('run_id', '<u4'), ('step_index', '";

    /// The number of rows from which the header has its usual size.
    static final long LONG_HEADER_ROWS = 10;

    private static final int HEAD_SIZE = 10;
    private static final int ALIGNMENT = 64;

    private static final String TABLE = """
        CREATE TABLE runs (
                    id INTEGER PRIMARY KEY,
                    first_step_idx INTEGER NOT NULL,
                    num_steps INTEGER NOT NULL,
                    max_score INTEGER NOT NULL,
                    highest_tile INTEGER NOT NULL,
                    engine TEXT,
                    start_time INTEGER,
                    elapsed_s REAL
                )\
        """;

    /// The statements that create the database, in the wording of the original program.
    static final List<String> SCHEMA = List.of(
            TABLE, "CREATE INDEX idx_runs_score ON runs(max_score)", "CREATE INDEX idx_runs_len ON runs(num_steps)");

    static final String INSERT = "INSERT INTO runs (id, first_step_idx, num_steps, max_score, highest_tile, engine,"
            + " start_time, elapsed_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

    private StepsFormat() {}

    private static StructLayout layout(MemoryLayout stepIndex) {
        return MemoryLayout.structLayout(
                U64.withName("board"),
                U8.withName("move"),
                U8.withName("evLegal"),
                MemoryLayout.sequenceLayout(16, U8).withName("evValues"),
                U32.withName("runId"),
                stepIndex);
    }

    /// The size of a row in bytes.
    static int rowSize(boolean isWide) {
        return (int) (isWide ? WIDE_ROW : ROW).byteSize();
    }

    private static String stepIndexType(boolean isWide) {
        return isWide ? "<u4" : "<u2";
    }

    /// The type of a row.
    static RowType rowType(boolean isWide) {
        return new RowType(DType.parse(FIELDS + stepIndexType(isWide) + "')]"), List.of());
    }

    /// Returns the header of a file with this number of rows, byte for byte as in the original program.
    static byte[] header(boolean isWide, long rowCount) {
        String text = "{'descr': " + FIELDS + stepIndexType(isWide) + "'), ], 'fortran_order': False, 'shape': ("
                + rowCount + ", ), }";
        int size = Math.ceilDiv(HEAD_SIZE + text.length() + 1, ALIGNMENT) * ALIGNMENT;
        byte[] header = new byte[size];
        Arrays.fill(header, (byte) ' ');
        byte[] head = {
            (byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) (size - HEAD_SIZE), (byte) (size - HEAD_SIZE >> 8)
        };
        System.arraycopy(head, 0, header, 0, head.length);
        System.arraycopy(text.getBytes(StandardCharsets.US_ASCII), 0, header, HEAD_SIZE, text.length());
        header[size - 1] = '\n';
        return header;
    }
}

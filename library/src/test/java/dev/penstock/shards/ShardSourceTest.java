// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.ElementType;
import dev.penstock.file.Access;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Calls that both kinds of sources reject.
final class ShardSourceTest {
    private static final long ROW_COUNT = 5;

    @TempDir
    Path corpus;

    @BeforeEach
    void write() throws IOException {
        try (ShardWriter writer = ShardWriter.create(corpus, 3, ShardWriter.Options.DEFAULT.withShardRows(2))) {
            writer.append(new double[(int) ROW_COUNT][3]);
        }
    }

    private ShardReader open(Access access) throws IOException {
        ShardReader.Options options = ShardReader.Options.DEFAULT;
        return ShardReader.open(corpus, options.withReading(options.reading().withAccess(access)));
    }

    @ParameterizedTest
    @EnumSource
    void aTokenWithAPositionBeyondTheRowsIsRejected(Access access) throws IOException {
        try (ShardReader reader = open(access);
                ShardSource source = reader.source()) {
            source.seek(ROW_COUNT);
            String end = source.token();
            source.seek(1);
            for (String position : List.of("6", "9999999999999999999")) {
                String changed = end.substring(0, end.lastIndexOf(':') + 1) + position;
                IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> source.resume(changed));
                assertEquals(
                        "the resume token has position " + position + ", but the corpus has 5 rows", e.getMessage());
                assertEquals(1, source.position());
            }
            source.resume(end);
            assertEquals(ROW_COUNT, source.position());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClosedSourceReadsNothing(Access access) throws IOException {
        try (ShardReader reader = open(access);
                ShardBatch batch = ShardBatch.create(ElementType.F64)) {
            ShardSource source = reader.source();
            String token = source.token();
            source.close();
            source.close();
            MemorySegment memory = MemorySegment.ofArray(new float[3]);
            List<Executable> calls = List.of(
                    () -> source.nextBatch(batch),
                    () -> source.nextRows(1, batch),
                    () -> source.nextRows(1, ElementType.F32, memory),
                    () -> source.read(0, 1, batch),
                    () -> source.gather(new long[] {0}, batch),
                    () -> source.views(0, 1),
                    source::token,
                    () -> source.resume(token));
            for (Executable call : calls) {
                IllegalStateException e = assertThrows(IllegalStateException.class, call);
                assertEquals("the source of " + corpus + " is closed", e.getMessage());
            }
        }
    }
}

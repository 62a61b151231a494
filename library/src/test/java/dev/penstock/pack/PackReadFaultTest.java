// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.file.Access;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Codec;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.FaultyDisk.Plan;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.WatchedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every operation of opening and reading a pack fails, once and for ever: the caller hears of it, gets nothing
/// that is wrong, and nothing stays open.
class PackReadFaultTest {
    private final List<PackRecord> records = Packs.named(Packs.SAMPLE);
    private final List<String> violations = new ArrayList<>();
    private long failureCount;

    /// One way of using a pack; it returns whether what came is right.
    @FunctionalInterface
    private interface Use {
        boolean of(PackReader reader, Batch batch) throws IOException;
    }

    private final List<Use> uses = List.of(
            (reader, batch) ->
                    Arrays.equals(records.get(0).bytes(), reader.get(0).value(0).toArray(Layouts.U8)),
            (reader, batch) -> reader.read(5, MemorySegment.ofArray(new byte[100]))
                    == records.get(5).bytes().length,
            this::gathersAll,
            (reader, batch) -> reader.verify(Progress.NONE).isOk(),
            (reader, batch) -> reader.name(1).equals(records.get(1).name()),
            (reader, batch) -> reader.fingerprint().length() == 32,
            (reader, batch) -> reader.statsBlock().orElseThrow().length == 9,
            (reader, batch) -> scans(reader));

    private boolean gathersAll(PackReader reader, Batch batch) throws IOException {
        try {
            reader.gather(new long[] {5, 4, 3, 2, 1, 0}, batch);
        } catch (IOException e) {
            assertEquals(0, batch.rowCount(), "a batch that failed is empty");
            throw e;
        }
        byte[] last = batch.column(0).value(5).toArray(Layouts.U8);
        return batch.rowCount() == 6 && Arrays.equals(records.get(0).bytes(), last);
    }

    private boolean scans(PackReader reader) throws IOException {
        long bytes = 0;
        try (PackScan scan = reader.scan()) {
            while (scan.next()) {
                bytes += scan.value().byteSize();
            }
        }
        return bytes
                == records.stream().mapToLong(record -> record.bytes().length).sum();
    }

    @ParameterizedTest
    @EnumSource
    void aFaultWhileReadingIsAnErrorOfTheDisk(Access access) throws IOException {
        for (Codec codec : Codec.values()) {
            byte[] pack = Packs.bytes(Packs.options().withCodec(codec, 0), records, new byte[9], false);
            FaultyDisk.sweep(plan -> {
                FaultyDisk faulty = new FaultyDisk(new MemoryDisk().put(Packs.PATH, pack), plan);
                read(faulty, access, plan);
                return faulty;
            });
        }
        assertEquals(List.of(), violations);
        assertTrue(failureCount > (access == Access.READ ? 300 : 5), () -> "only " + failureCount + " failures");
    }

    private void read(FaultyDisk faulty, Access access, Plan plan) {
        WatchedDisk watched = new WatchedDisk(faulty);
        PackReader.Options options =
                PackReader.Options.DEFAULT.withDisk(watched).withAccess(access).withThreads(2);
        try (PackReader reader = PackReader.open(Packs.PATH, options);
                Batch batch = Batch.create(reader.fields())) {
            for (int i = 0; i < uses.size(); i++) {
                use(reader, batch, i, plan);
            }
        } catch (IOException | UncheckedIOException e) {
            requireFault(e, plan);
        } catch (RuntimeException | Error e) {
            violations.add(plan + ": " + e);
        }
        if (watched.openCount() > 0) {
            violations.add(plan + ": " + watched.openCount() + " files stay open");
        }
    }

    private void use(PackReader reader, Batch batch, int useIndex, Plan plan) {
        try {
            if (!uses.get(useIndex).of(reader, batch)) {
                violations.add(plan + ": use " + useIndex + " gave something wrong");
            }
        } catch (IOException e) {
            requireFault(e, plan);
        } catch (UncheckedIOException e) {
            // A name is asked for without checked exceptions.
            requireFault(e.getCause(), plan);
        } catch (RuntimeException | Error e) {
            violations.add(plan + ": use " + useIndex + ": " + e);
        }
    }

    private void requireFault(Exception e, Plan plan) {
        failureCount++;
        if (!FaultyDisk.isTold(e)) {
            violations.add(plan + ": the fault is hidden behind " + e);
        }
    }

    /// A planted bug, which the checks above must notice: a read that fails returns zeros.
    @Test
    void aReadThatHidesItsFaultIsCaught() throws IOException {
        byte[] pack = Packs.bytes(Packs.options(), records, new byte[9], false);
        FaultyDisk.sweep(plan -> {
            FaultyDisk faulty = new FaultyDisk(new MemoryDisk().put(Packs.PATH, pack), plan);
            Disk careless = BuggyDisks.withHiddenReadErrors(faulty);
            PackReader.Options options =
                    PackReader.Options.DEFAULT.withDisk(careless).withAccess(Access.READ);
            try (PackReader reader = PackReader.open(Packs.PATH, options);
                    Batch batch = Batch.create(reader.fields())) {
                use(reader, batch, 0, plan);
            } catch (IOException | RuntimeException e) {
                violations.add(plan + ": " + e);
            }
            return faulty;
        });
        assertFalse(violations.isEmpty());
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.OpenResources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Several files are opened together, used together and dropped together.
class OpenFilesTest {
    @TempDir
    Path folder;

    private List<Path> files(int count) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(Files.write(folder.resolve("file" + i), new byte[] {(byte) i, 7}));
        }
        return files;
    }

    @ParameterizedTest
    @EnumSource
    void theFilesAreInTheirOrderAndGoTogether(Access access) throws IOException {
        OpenFiles group = OpenFiles.open(
                Location.all(files(5)),
                ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(access));
        assertEquals(10, group.bytes());
        for (int i = 0; i < 5; i++) {
            byte[] first = new byte[1];
            group.files().get(i).read(0, MemorySegment.ofArray(first));
            assertEquals(i, first[0]);
        }
        assertEquals(3, (int) group.use(() -> 3));
        assertFalse(OpenResources.under(folder).isEmpty());
        group.close();
        group.close();
        assertThrows(IllegalStateException.class, () -> group.use(() -> 3));
        assertEquals(List.of(), OpenResources.under(folder));
    }

    @ParameterizedTest
    @EnumSource
    void aUseUnderWayKeepsTheFiles(Access access) throws IOException {
        OpenFiles group = OpenFiles.open(
                Location.all(files(3)),
                ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(access));
        byte[] first = new byte[1];
        group.use(() -> {
            group.close();
            group.files().get(2).read(0, MemorySegment.ofArray(first));
            return null;
        });
        assertEquals(2, first[0]);
        assertEquals(List.of(), OpenResources.under(folder));
    }

    @ParameterizedTest
    @EnumSource
    void oneFileThatIsNotThereLeavesNoneOpen(Access access) throws IOException {
        List<Path> files = new ArrayList<>(files(4));
        files.add(2, folder.resolve("absent"));
        int before = MappingLimit.live();
        assertThrows(
                NoSuchFileException.class,
                () -> OpenFiles.open(
                        Location.all(files),
                        ReaderOptions.DEFAULT.withDisk(Disk.real()).withAccess(access)));
        assertEquals(List.of(), OpenResources.under(folder));
        assertEquals(before, MappingLimit.live());
    }

    @Test
    void oneFileThatCannotBeClosedKeepsNoOtherOpen() throws IOException {
        List<Path> closed = new ArrayList<>();
        Disk disk = new ForwardingDisk(Disk.real()) {
            @Override
            public Readable open(Path file) throws IOException {
                return new Stubborn(super.open(file), file, closed);
            }
        };
        List<Path> files = files(3);
        OpenFiles group = OpenFiles.open(
                Location.all(files), ReaderOptions.DEFAULT.withDisk(disk).withAccess(Access.READ));
        UncheckedIOException failure = assertThrows(UncheckedIOException.class, group::close);
        assertTrue(failure.getMessage().contains("cannot be closed"));
        assertEquals(files, closed);
        assertEquals(List.of(), OpenResources.under(folder));
    }

    private record Stubborn(Disk.Readable readable, Path file, List<Path> closed) implements Disk.Readable {
        @Override
        public long size() throws IOException {
            return readable.size();
        }

        @Override
        public long read(long offset, MemorySegment target) throws IOException {
            return readable.read(offset, target);
        }

        @Override
        public void close() throws IOException {
            readable.close();
            closed.add(file);
            throw new IOException("cannot be closed");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Disks that do one thing wrongly, to show that a crash or fault test would notice a writer that does.
public final class BuggyDisks {
    private BuggyDisks() {}

    /// As if the writer never forced its files.
    public static Disk withoutForce(Disk disk) {
        return new WriterDisk(disk) {
            @Override
            Writable wrap(Path file, Writable writable) {
                return new ForgetfulWriter(writable);
            }
        };
    }

    /// As if the writer never forced the folder.
    public static Disk withoutForceDirectory(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public void forceDirectory(Path directory) {
                // The planted bug.
            }
        };
    }

    /// As if the writer deleted the old file before it gave its name to the new one.
    public static Disk withDeleteBeforeMove(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public void move(Path from, Path to) throws IOException {
                disk.delete(to);
                disk.move(from, to);
            }
        };
    }

    /// As if the writer copied the file to its name, in two writes.
    public static Disk withCopyInsteadOfMove(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public void move(Path from, Path to) throws IOException {
                byte[] bytes = new byte[Math.toIntExact(disk.open(from).size())];
                MemorySegment all = MemorySegment.ofArray(bytes);
                disk.open(from).read(0, all);
                disk.delete(to);
                try (Writable copy = disk.create(to)) {
                    copy.write(all.asSlice(0, bytes.length / 2), 0);
                    copy.write(all.asSlice(bytes.length / 2), bytes.length / 2);
                    copy.force();
                }
                disk.delete(from);
            }
        };
    }

    /// As if the writer wrote under the final name from the start.
    public static Disk withoutTemporary(Disk disk, Path target) {
        return new ForwardingDisk(disk) {
            @Override
            public Writable create(Path file) throws IOException {
                disk.delete(target);
                return disk.create(target);
            }

            @Override
            public void move(Path from, Path to) {
                // It has its name already.
            }
        };
    }

    /// As if the writer ignored that a write failed.
    public static Disk withIgnoredWriteErrors(Disk disk) {
        return new WriterDisk(disk) {
            @Override
            Writable wrap(Path file, Writable writable) {
                return new CarelessWriter(writable);
            }
        };
    }

    /// As if the reader took zeros for bytes that could not be read.
    public static Disk withHiddenReadErrors(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public Readable open(Path file) throws IOException {
                return new CarelessReader(super.open(file));
            }
        };
    }

    private record CarelessReader(Disk.Readable readable) implements Disk.Readable {
        @Override
        public long size() throws IOException {
            return readable.size();
        }

        @Override
        public long read(long offset, MemorySegment target) {
            try {
                return readable.read(offset, target);
            } catch (IOException e) {
                target.fill((byte) 0);
                return target.byteSize();
            }
        }

        @Override
        public void close() throws IOException {
            readable.close();
        }
    }

    /// As if the writer never removed its temporary file.
    public static Disk withoutDelete(Disk disk) {
        return new ForwardingDisk(disk) {
            @Override
            public void delete(Path file) {
                // The planted bug.
            }
        };
    }

    /// As if the writer forced only the content of its files, although they have grown.
    public static Disk withForceOfDataOnly(Disk disk) {
        return new WriterDisk(disk) {
            @Override
            Writable wrap(Path file, Writable writable) {
                return new ForwardingWriter(writable) {
                    @Override
                    public void force() throws IOException {
                        writable.forceData();
                    }
                };
            }
        };
    }

    /// As if the writer did not force the files of a folder.
    public static Disk withoutForceIn(Disk disk, Path folder) {
        return new WriterDisk(disk) {
            @Override
            Writable wrap(Path file, Writable writable) {
                return folder.equals(file.getParent()) ? new ForgetfulWriter(writable) : writable;
            }
        };
    }

    /// As if the writer forced the files of a folder only after it had forced another file.
    public static Disk withLateForceIn(Disk disk, Path folder) {
        List<Disk.Writable> late = new ArrayList<>();
        return new WriterDisk(disk) {
            @Override
            Writable wrap(Path file, Writable writable) {
                if (folder.equals(file.getParent())) {
                    return new ForgetfulWriter(writable) {
                        @Override
                        public void force() {
                            late.add(writable);
                        }
                    };
                }
                return new ForwardingWriter(writable) {
                    @Override
                    public void force() throws IOException {
                        writable.force();
                        forceLate(late);
                    }

                    @Override
                    public void forceData() throws IOException {
                        writable.forceData();
                        forceLate(late);
                    }
                };
            }
        };
    }

    private static void forceLate(List<Disk.Writable> late) {
        for (Disk.Writable writable : late) {
            try {
                writable.force();
            } catch (IOException e) {
                // It was closed meanwhile.
            }
        }
        late.clear();
    }

    /// As if the writer wrote other bytes to the files of a folder.
    ///
    /// @param change changes the bytes of one write
    public static Disk withOtherBytesIn(Disk disk, Path folder, Consumer<MemorySegment> change) {
        return new WriterDisk(disk) {
            @Override
            Writable wrap(Path file, Writable writable) {
                return !folder.equals(file.getParent())
                        ? writable
                        : new ForwardingWriter(writable) {
                            @Override
                            public void write(MemorySegment source, long offset) throws IOException {
                                MemorySegment copy = MemorySegment.ofArray(source.toArray(Layouts.U8));
                                change.accept(copy);
                                writable.write(copy, offset);
                            }
                        };
            }
        };
    }

    /// A disk whose writers do something wrongly, however they were opened.
    abstract static class WriterDisk extends ForwardingDisk {
        WriterDisk(Disk disk) {
            super(disk);
        }

        abstract Writable wrap(Path file, Writable writable);

        @Override
        public Writable create(Path file) throws IOException {
            return wrap(file, super.create(file));
        }

        @Override
        public Writable openForWriting(Path file) throws IOException {
            return wrap(file, super.openForWriting(file));
        }
    }

    private static class ForgetfulWriter extends ForwardingDisk.ForwardingWriter {
        ForgetfulWriter(Disk.Writable writable) {
            super(writable);
        }

        @Override
        public void force() {
            // The planted bug.
        }

        @Override
        public void forceData() {
            // The planted bug.
        }
    }

    private static final class CarelessWriter extends ForwardingDisk.ForwardingWriter {
        CarelessWriter(Disk.Writable writable) {
            super(writable);
        }

        @Override
        public void write(MemorySegment source, long offset) {
            try {
                writable.write(source, offset);
            } catch (IOException e) {
                // The planted bug.
            }
        }
    }
}

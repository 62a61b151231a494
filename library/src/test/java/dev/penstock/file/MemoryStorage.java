// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/// A storage whose objects are arrays. It counts requests, and a test may look at each before it is answered.
public class MemoryStorage implements Storage {
    public static final Location ROOT = Location.of(URI.create("memory://storage/data"));

    private final Map<Location, byte[]> objects = new ConcurrentHashMap<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger inFlightMax = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicLong largestRead = new AtomicLong();
    private volatile Watcher watcher = (object, byteCount) -> {};

    /// Looks at a request before it is answered.
    @FunctionalInterface
    public interface Watcher {
        /// @param byteCount of a range, or -1 for any other question
        void at(Location object, long byteCount) throws IOException;
    }

    public Location put(String name, byte[] bytes) {
        return put(ROOT.resolve(name), bytes);
    }

    public Location put(Location object, byte[] bytes) {
        objects.put(object, bytes);
        return object;
    }

    /// Copies a file, or the files of a folder, and returns where they are now.
    public Location copy(Path path) throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            all.filter(Files::isRegularFile).forEach(file -> {
                try {
                    put(path.getParent().relativize(file).toString(), Files.readAllBytes(file));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return ROOT.resolve(path.getFileName().toString());
    }

    public void watch(Watcher watcher) {
        this.watcher = watcher;
    }

    public int readCount() {
        return reads.get();
    }

    public int inFlight() {
        return inFlight.get();
    }

    /// The largest number of ranges that were asked for at the same time.
    public int inFlightMax() {
        return inFlightMax.get();
    }

    public long largestRead() {
        return largestRead.get();
    }

    @Override
    public List<Location> list(Location folder) throws IOException {
        watcher.at(folder, -1);
        String start = folder.uri().getPath() + "/";
        return objects.keySet().stream()
                .map(object -> object.uri().getPath())
                .filter(object -> object.startsWith(start))
                .map(object -> object.substring(start.length()).split("/")[0])
                .distinct()
                .map(folder::resolve)
                .toList();
    }

    @Override
    public long size(Location object) throws IOException {
        watcher.at(object, -1);
        return bytes(object).length;
    }

    @Override
    public long read(Location object, long offset, MemorySegment target) throws IOException {
        reads.incrementAndGet();
        largestRead.accumulateAndGet(target.byteSize(), Math::max);
        inFlightMax.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        try {
            watcher.at(object, target.byteSize());
            byte[] bytes = bytes(object);
            long byteCount = Math.clamp(bytes.length - offset, 0, target.byteSize());
            MemorySegment.copy(MemorySegment.ofArray(bytes), offset, target, 0, byteCount);
            return byteCount;
        } finally {
            inFlight.decrementAndGet();
        }
    }

    private byte[] bytes(Location object) throws NoSuchFileException {
        byte[] bytes = objects.get(object);
        if (bytes == null) {
            throw new NoSuchFileException(object.toString());
        }
        return bytes;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.CacheOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.cache.BlockCache;
import dev.penstock.file.cache.CachedStorage;
import dev.penstock.file.http.HttpCalls;
import dev.penstock.file.http.HttpStorage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/// Reads an object through a cache and compares it, in a process of its own.
final class CacheReader {
    private CacheReader() {}

    /// Arguments: the address of the server, the object, the folder of the cache, and the size of the object.
    public static void main(String[] arguments) throws IOException {
        S3Settings settings = new S3Settings("us-east-1", URI.create(arguments[0]), true, false, false);
        HttpStorage storage =
                new HttpStorage(new S3Server(settings, new S3Signer(S3Proxy.credentials())), HttpCalls.Options.DEFAULT);
        BlockCache cache = BlockCache.open(Disk.real(), new CacheOptions(Path.of(arguments[2]), Long.MAX_VALUE));
        ReaderOptions options = ReaderOptions.DEFAULT.withStorage(new CachedStorage(storage, cache));
        try (OpenFile file = OpenFile.open(Location.of(URI.create(arguments[1])), options)) {
            byte[] expected = new byte[Integer.parseInt(arguments[3])];
            new Random(1).nextBytes(expected);
            byte[] read = new byte[expected.length];
            file.read(0, MemorySegment.ofArray(read));
            if (!Arrays.equals(expected, read)) {
                throw new IllegalStateException("wrong bytes");
            }
        }
    }
}

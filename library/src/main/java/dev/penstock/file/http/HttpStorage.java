// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.List;

/// Files of web servers, read by `Range` requests.
///
/// An open file stays at the version that it had when it was opened ([HttpObject]). Requests that fail for a
/// passing reason are repeated ([HttpCalls]). Folders are listed by their [IndexPage]; a server without index
/// pages has no folders, and only datasets whose file names are known can be opened from it.
///
/// **Threads.** Safe for any number of threads.
final class HttpStorage implements Storage {
    private final HttpCalls calls;

    HttpStorage(HttpCalls.Options options) {
        this.calls = new HttpCalls(options);
    }

    @Override
    public List<Location> list(Location folder) throws IOException {
        return IndexPage.read(calls, folder);
    }

    @Override
    public long size(Location object) throws IOException {
        return HttpObject.open(calls, object).size();
    }

    @Override
    public long read(Location object, long offset, MemorySegment target) throws IOException {
        return HttpObject.open(calls, object).read(offset, target);
    }

    @Override
    public boolean exists(Location location) throws IOException {
        try {
            HttpObject.open(calls, location);
            return true;
        } catch (NoSuchFileException e) {
            return isFolder(location);
        }
    }

    @Override
    public Disk.Readable open(Location object) throws IOException {
        return HttpObject.open(calls, object);
    }
}

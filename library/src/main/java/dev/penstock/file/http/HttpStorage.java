// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Disk;
import dev.penstock.file.Listed;
import dev.penstock.file.Location;
import dev.penstock.file.ObjectWriter;
import dev.penstock.file.Pace;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.List;

/// Files of web servers and objects of object storage, read by `Range` requests.
///
/// An open file stays at the version that it had when it was opened ([HttpObject]). Requests that fail for a
/// passing reason are repeated ([HttpCalls]). A [Server] has the rest: addresses, credentials and folders.
///
/// **Threads.** Safe for any number of threads.
public final class HttpStorage implements Storage {
    private final HttpCalls calls;
    private final Server server;

    public HttpStorage(Server server, HttpCalls.Options options) {
        this.calls = new HttpCalls(server, options);
        this.server = server;
    }

    @Override
    public List<Location> list(Location folder) throws IOException {
        return server.list(calls, folder);
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
    public boolean isFolder(Location location) throws IOException {
        return server.isFolder(calls, location);
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
    public boolean hasLists() {
        return server.hasLists();
    }

    @Override
    public List<Listed> listed(Location folder) throws IOException {
        return server.listed(calls, folder);
    }

    @Override
    public Disk.Readable open(Listed object) {
        return HttpObject.of(calls, object);
    }

    @Override
    public ObjectWriter writer(Location location) {
        return server.writer(calls, location);
    }

    @Override
    public Pace pace(Location object) {
        return calls.pace(object);
    }

    @Override
    public Disk.Readable open(Location object) throws IOException {
        return HttpObject.open(calls, object);
    }
}

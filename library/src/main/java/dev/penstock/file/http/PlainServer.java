// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Location;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/// A web server: the location of a file is its address, and folders are listed by their [IndexPage]. A server
/// without index pages has no folders, and only datasets whose file names are known can be opened from it.
final class PlainServer implements Server {
    @Override
    public URI address(Location object) {
        return URI.create(object.uri().toASCIIString());
    }

    @Override
    public boolean followsRedirects() {
        return true;
    }

    @Override
    public List<Location> list(HttpCalls calls, Location folder) throws IOException {
        return IndexPage.read(calls, address(folder), folder);
    }
}

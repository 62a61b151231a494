// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;

/// Where a dataset or one of its files is: a path of this machine, or the URI of an object in a remote store.
///
/// Names are joined with [#resolve] and taken apart with [#name] and [#parent], so that code which finds the files
/// of a dataset by their names is the same for both. Two locations are equal when their paths or their URIs are.
///
/// **Threads.** Any number; a location does not change.
public final class Location {
    /// Null when the location is remote.
    private final Path path;

    /// Null when the location is local.
    private final URI uri;

    private Location(Path path, URI uri) {
        this.path = path;
        this.uri = uri;
    }

    /// A file or folder of this machine.
    public static Location of(Path path) {
        return new Location(Objects.requireNonNull(path, "path"), null);
    }

    /// An object or folder in a remote store, or a local one where the URI begins with `file:`. A slash at the end
    /// is left out, as paths do.
    ///
    /// @throws IllegalArgumentException when the URI has no scheme or no path, or ends in a query or a fragment
    public static Location of(URI uri) {
        if (!uri.isAbsolute() || uri.isOpaque() || uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("'" + uri + "' is no location: a scheme and a path are needed, as in"
                    + " https://host/folder/file, without '?' and '#'");
        }
        if (uri.getScheme().equalsIgnoreCase("file")) {
            return of(Path.of(uri));
        }
        Location location = new Location(null, uri);
        return uri.getPath().endsWith("/") ? location.withPath(uri.getPath()) : location;
    }

    /// Whether this is a file or folder of this machine.
    public boolean isLocal() {
        return path != null;
    }

    /// The path of a local file or folder.
    ///
    /// @throws UnsupportedOperationException when the location is remote
    public Path path() {
        if (path == null) {
            throw new UnsupportedOperationException(
                    uri + " is in a remote store and has no path on this machine; copy it to a local file first");
        }
        return path;
    }

    /// The URI: for a local file, the one that begins with `file:`.
    public URI uri() {
        return uri == null ? path.toUri() : uri;
    }

    /// The last name: that of the file or folder itself. It is empty for the root of a file system or store.
    public String name() {
        if (uri == null) {
            return path.getFileName() == null ? "" : path.getFileName().toString();
        }
        return uri.getPath().substring(uri.getPath().lastIndexOf('/') + 1);
    }

    /// The folder that holds the file or folder, or null where the location does not name one.
    public Location parent() {
        if (uri == null) {
            return path.getParent() == null ? null : of(path.getParent());
        }
        return name().isEmpty()
                ? null
                : withPath(uri.getPath().substring(0, uri.getPath().lastIndexOf('/')));
    }

    /// A file or folder in this folder.
    ///
    /// @param name a name, or several with slashes between them, without escapes
    public Location resolve(String name) {
        // A name that begins with a slash must not lead out of the folder.
        return uri == null
                ? of(path.resolve(name.replaceFirst("^/+", "")))
                : withPath(uri.getPath().replaceFirst("/$", "") + "/" + name);
    }

    /// Another path in the same store, which begins with a slash and does not end in one, unless it is the root.
    private Location withPath(String path) {
        String whole = path.replaceFirst("(?<!^)/+$", "");
        try {
            return new Location(
                    null, new URI(uri.getScheme(), uri.getAuthority(), whole.isEmpty() ? "/" : whole, null, null));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("no location has the path '" + path + "': " + e.getReason(), e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Location that && Objects.equals(path, that.path) && Objects.equals(uri, that.uri);
    }

    @Override
    public int hashCode() {
        return Objects.hash(path, uri);
    }

    /// The path or the URI as it was given, for messages.
    @Override
    public String toString() {
        return uri == null ? path.toString() : uri.toString();
    }
}

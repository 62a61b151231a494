// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/// The location of a dataset or file: a local path, or the URI of an object in a remote storage.
///
/// [#resolve], [#name] and [#parent] work the same way for both, so the code that finds the files of a dataset
/// does not have to distinguish them. Two locations are equal when their paths or URIs are equal.
///
/// **Threads.** Immutable, so safe for any number of threads.
public final class Location {
    /// The start of a URI. A name with a single colon is a path.
    private static final Pattern URI_START = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://");

    /// The local path, or null when the location is remote.
    private final Path path;

    /// The URI, or null when the location is local.
    private final URI uri;

    private Location(Path path, URI uri) {
        this.path = path;
        this.uri = uri;
    }

    /// Creates a location from a local path.
    public static Location of(Path path) {
        return new Location(Objects.requireNonNull(path, "path"), null);
    }

    /// Creates locations from local paths.
    public static List<Location> all(List<Path> paths) {
        return paths.stream().map(Location::of).toList();
    }

    /// Creates a location from a URI: an object or folder in a remote storage, or a local path when the scheme is
    /// `file`. A trailing slash is removed.
    ///
    /// @throws IllegalArgumentException when the URI has no scheme or no path, or has a query, a fragment, or a
    ///                                  user
    public static Location of(URI uri) {
        if (!uri.isAbsolute() || uri.isOpaque() || uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("'" + withoutSecrets(uri.toString())
                    + "' is not a valid location: it needs a scheme and a path, as in"
                    + " https://host/folder/file, without '?' and '#'");
        }
        if (uri.getRawAuthority() != null && uri.getRawAuthority().contains("@")) {
            throw new IllegalArgumentException("'" + withoutSecrets(uri.toString())
                    + "' was given with a user or a password, which would appear in messages and checkpoints:"
                    + " leave them out");
        }
        if (uri.getScheme().equalsIgnoreCase("file")) {
            return of(Path.of(uri));
        }
        Location location = new Location(null, uri);
        return uri.getPath().endsWith("/") ? location.withPath(uri.getPath()) : location;
    }

    /// Creates a location from text that a user gave: a URI when it begins with a scheme and `://`, otherwise a
    /// local path, such as `a:b` or `data/x.npy`.
    ///
    /// @throws IllegalArgumentException when the text is not a valid path or URI
    public static Location parse(String text) {
        if (!URI_START.matcher(text).lookingAt()) {
            return of(Path.of(text));
        }
        try {
            return of(new URI(text));
        } catch (URISyntaxException e) {
            // The exception has the whole text, so it is not the cause.
            throw new IllegalArgumentException("'" + withoutSecrets(text) + "' is not a valid URI: " + e.getReason()
                    + "; write such characters percent-encoded, as %20 for a space");
        }
    }

    /// The text of a URI without its query, which may be a signature, and without user and password.
    private static String withoutSecrets(String text) {
        return text.replaceFirst("(?s)[?#].*", "").replaceFirst("^([^/]*//)[^/]*@", "$1");
    }

    /// Whether this is a local file or folder.
    public boolean isLocal() {
        return path != null;
    }

    /// The path of a local file or folder.
    ///
    /// @throws UnsupportedOperationException when the location is remote
    public Path path() {
        if (path == null) {
            throw new UnsupportedOperationException(
                    uri + " is remote and has no path on this machine; copy it to a local file first");
        }
        return path;
    }

    /// The URI. A local path becomes a `file:` URI.
    public URI uri() {
        return uri == null ? path.toUri() : uri;
    }

    /// The name of the file or folder. It is empty for the root of a file system or storage.
    public String name() {
        if (uri == null) {
            return path.getFileName() == null ? "" : path.getFileName().toString();
        }
        return uri.getPath().substring(uri.getPath().lastIndexOf('/') + 1);
    }

    /// The parent folder, or null when the location has none.
    public Location parent() {
        if (uri == null) {
            return path.getParent() == null ? null : of(path.getParent());
        }
        return name().isEmpty()
                ? null
                : withPath(uri.getPath().substring(0, uri.getPath().lastIndexOf('/')));
    }

    /// Returns the location of a file or folder inside this folder.
    ///
    /// @param name a name, or several names separated by slashes, not percent-encoded
    public Location resolve(String name) {
        // A name with a leading slash must not lead out of the folder.
        return uri == null
                ? of(path.resolve(name.replaceFirst("^/+", "")))
                : withPath(uri.getPath().replaceFirst("/$", "") + "/" + name);
    }

    /// Returns another path in the same storage. Trailing slashes are removed, except for the root.
    private Location withPath(String path) {
        String whole = path.replaceFirst("(?<!^)/+$", "");
        try {
            return new Location(
                    null, new URI(uri.getScheme(), uri.getAuthority(), whole.isEmpty() ? "/" : whole, null, null));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("'" + path + "' is not a valid path of a location: " + e.getReason(), e);
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

    /// The path or URI as it was given.
    @Override
    public String toString() {
        return uri == null ? path.toString() : uri.toString();
    }
}

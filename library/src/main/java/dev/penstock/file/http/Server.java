// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Listed;
import dev.penstock.file.Location;
import dev.penstock.file.ObjectWriter;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;

/// The conventions of a kind of server: the addresses of objects, the headers of requests, the meaning of errors,
/// and how a folder is listed. Requests, retries and versions are the same for all of them ([HttpStorage]).
///
/// **Threads.** Must be safe for any number of threads.
public interface Server {
    /// The address to send the requests for an object to. It has ASCII characters only.
    URI address(Location object);

    /// Returns the headers of a request: the given ones, and those that prove who sends it.
    ///
    /// @throws IOException when there are no credentials, or they cannot be renewed
    default Map<String, String> headers(Location object, URI address, Map<String, String> headers) throws IOException {
        return headers;
    }

    /// Returns the headers of a request that sends bytes or changes something.
    ///
    /// @param body the bytes that are sent; may be empty
    default Map<String, String> headers(
            Location object, URI address, String method, byte[] body, Map<String, String> headers) throws IOException {
        return headers(object, address, headers);
    }

    /// Writes objects of this server.
    ///
    /// @throws IllegalArgumentException when it is read-only
    default ObjectWriter writer(HttpCalls calls, Location location) {
        throw new IllegalArgumentException(
                location + " cannot be written: web servers are read-only; write to a local path or to s3://");
    }

    /// Whether redirections are followed. A redirected request would carry the credentials to another host.
    boolean followsRedirects();

    /// Whether the answer shows that requests for the object have to be sent differently, and this server has
    /// learned how. The request is then sent again at once.
    default boolean isCorrected(Location object, Answer answer) {
        return false;
    }

    /// The code and the words of the server for a failed request; empty when it gives none.
    default String reason(Answer answer) {
        return "";
    }

    /// Whether the answer refuses the credentials, or their lack.
    default boolean isDenied(Answer answer) {
        return answer.isDenied();
    }

    /// Lists the objects and folders directly in a folder, in no particular order.
    List<Location> list(HttpCalls calls, Location folder) throws IOException;

    /// Whether [#listed] knows the sizes and versions of objects.
    default boolean hasLists() {
        return false;
    }

    /// Lists a folder like [#list], with the sizes and versions of objects.
    default List<Listed> listed(HttpCalls calls, Location folder) throws IOException {
        throw new UnsupportedOperationException();
    }

    /// Whether the location is a folder.
    default boolean isFolder(HttpCalls calls, Location location) throws IOException {
        return !list(calls, location).isEmpty();
    }
}

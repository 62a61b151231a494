// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.Listed;
import dev.penstock.file.Location;
import dev.penstock.file.http.Answer;
import dev.penstock.file.http.HttpCalls;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/// The names that begin with the name of a folder and a slash, up to the next slash: pages of up to 1,000 names.
final class S3Listing {
    /// Far more than a page with 1,000 names of the largest size has.
    private static final int PAGE_SIZE_MAX = 16 << 20;

    private static final int NAMES_MAX = 1000;

    private final S3Server server;
    private final HttpCalls calls;
    private final Location folder;
    private final Location bucket;
    private final String prefix;

    S3Listing(S3Server server, HttpCalls calls, Location folder) {
        this.server = server;
        this.calls = calls;
        this.folder = folder;
        this.bucket = Location.of(URI.create("s3://" + S3Server.bucket(folder) + "/"));
        String key = S3Server.key(folder);
        this.prefix = key.isEmpty() || key.endsWith("/") ? key : key + "/";
    }

    /// One page.
    ///
    /// @param entries what was found; keys of folders end with a slash
    /// @param next    the text that asks for the next page, or empty
    private record Page(List<Map<String, String>> entries, String next) {}

    /// All objects and folders in the folder. Empty when it does not exist.
    List<Listed> all() throws IOException {
        List<Listed> found = new ArrayList<>();
        String next = "";
        do {
            Page page = page(NAMES_MAX, next);
            page.entries().stream().filter(this::isName).map(this::listed).forEach(found::add);
            next = page.next();
        } while (!next.isEmpty());
        return found;
    }

    /// Whether anything is in the folder.
    boolean isAny() throws IOException {
        // The first name may be that of the folder itself, an empty object that some tools make.
        return page(2, "").entries().stream().anyMatch(this::isName);
    }

    private static String key(Map<String, String> entry) {
        return entry.getOrDefault("Key", entry.getOrDefault("Prefix", ""));
    }

    private boolean isName(Map<String, String> entry) {
        String key = key(entry);
        String name = key.startsWith(prefix) ? key.substring(prefix.length()).replaceFirst("/$", "") : "";
        return !name.isEmpty() && !name.equals(".") && !name.equals("..");
    }

    private Listed listed(Map<String, String> entry) {
        Location location = folder.resolve(key(entry).substring(prefix.length()));
        return entry.containsKey("Key")
                ? new Listed(location, Long.parseLong(entry.getOrDefault("Size", "0")), entry.getOrDefault("ETag", ""))
                : Listed.folder(location);
    }

    private Page page(int names, String continuation) throws IOException {
        String query = "?list-type=2&delimiter=%2F&encoding-type=url&max-keys=" + names + "&prefix="
                + SdkHttpUtils.urlEncode(prefix)
                + (continuation.isEmpty() ? "" : "&continuation-token=" + SdkHttpUtils.urlEncode(continuation));
        Answer answer = calls.get(folder, () -> URI.create(server.address(bucket) + query), Map.of(), PAGE_SIZE_MAX);
        if (answer.status() != Answer.OK || answer.isCut()) {
            throw calls.failure(folder, answer);
        }
        try {
            return parse(S3Xml.of(folder, answer.body()));
        } catch (IllegalArgumentException e) {
            throw new IOException(folder + ": the list of its objects is not the XML of S3; check the endpoint", e);
        }
    }

    private static Page parse(S3Xml xml) {
        List<Map<String, String>> entries = new ArrayList<>(xml.entries("Contents"));
        entries.addAll(xml.entries("CommonPrefixes"));
        if (xml.first("EncodingType").equals("url")) {
            entries.forEach(entry -> {
                entry.computeIfPresent("Key", (_, key) -> SdkHttpUtils.urlDecode(key));
                entry.computeIfPresent("Prefix", (_, key) -> SdkHttpUtils.urlDecode(key));
            });
        }
        return new Page(entries, xml.first("NextContinuationToken"));
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Location;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The page by which Apache, nginx, `python -m http.server` and others list a folder: HTML with a link to each
/// name.
///
/// Only links to names directly in the folder count. All other links are ignored: the parent folder, orders of the
/// list, other servers.
final class IndexPage {
    /// The largest page that is read, enough for a hundred thousand names.
    private static final int SIZE_MAX = 16 << 20;

    private static final Pattern LINK = Pattern.compile(
            "<a\\s[^>]{0,1000}?href\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s>\"']+))", Pattern.CASE_INSENSITIVE);

    private IndexPage() {}

    /// The files and folders in a folder. Empty when the server has no page for it.
    static List<Location> read(HttpCalls calls, URI address, Location folder) throws IOException {
        URI page = URI.create(address.toString().endsWith("/") ? address.toString() : address + "/");
        Answer answer = calls.get(folder, () -> page, Map.of(), SIZE_MAX);
        if (answer.isAbsent() || answer.isDenied()) {
            return List.of();
        }
        if (answer.status() != Answer.OK) {
            throw calls.failure(folder, answer);
        }
        if (!answer.header("Content-Type").startsWith("text/html")) {
            return List.of();
        }
        if (answer.isCut()) {
            throw new IOException(folder + ": the index page of the folder has more than " + SIZE_MAX + " bytes");
        }
        return names(answer.uri(), new String(answer.body(), StandardCharsets.UTF_8)).stream()
                .map(folder::resolve)
                .toList();
    }

    /// The names that a page links to.
    static Set<String> names(URI page, String html) {
        Set<String> names = new LinkedHashSet<>();
        Matcher link = LINK.matcher(html);
        while (link.find()) {
            String target =
                    link.group(1) != null ? link.group(1) : link.group(2) != null ? link.group(2) : link.group(3);
            String name = name(page, target.replace("&amp;", "&").strip());
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names;
    }

    /// The name directly in the folder that a link leads to, or an empty text.
    private static String name(URI page, String link) {
        URI target;
        try {
            target = page.resolve(link);
        } catch (IllegalArgumentException e) {
            return "";
        }
        boolean isPlain = target.getRawQuery() == null && target.getRawFragment() == null && !target.isOpaque();
        if (!isPlain || target.getPath() == null || !page.getRawAuthority().equals(target.getRawAuthority())) {
            return "";
        }
        String path = target.getPath();
        String name =
                path.startsWith(page.getPath()) ? path.substring(page.getPath().length()) : "";
        name = name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
        return name.contains("/") || name.equals(".") || name.equals("..") ? "" : name;
    }
}

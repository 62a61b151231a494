// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.Location;
import dev.penstock.file.http.Answer;
import dev.penstock.file.http.HttpCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
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
    /// @param keys what was found, each with the prefix; folders end with a slash
    /// @param next the text that asks for the next page, or null
    private record Page(List<String> keys, String next) {}

    /// All objects and folders in the folder. Empty when it does not exist.
    List<Location> all() throws IOException {
        List<Location> found = new ArrayList<>();
        String next = null;
        do {
            Page page = page(NAMES_MAX, next);
            page.keys().stream().filter(this::isName).map(this::location).forEach(found::add);
            next = page.next();
        } while (next != null);
        return found;
    }

    /// Whether anything is in the folder.
    boolean isAny() throws IOException {
        // The first name may be that of the folder itself, an empty object that some tools make.
        return page(2, null).keys().stream().anyMatch(this::isName);
    }

    private boolean isName(String key) {
        String name = key.substring(prefix.length()).replaceFirst("/$", "");
        return !name.isEmpty() && !name.equals(".") && !name.equals("..");
    }

    private Location location(String key) {
        return folder.resolve(key.substring(prefix.length()));
    }

    private Page page(int names, String continuation) throws IOException {
        String query = "?list-type=2&delimiter=%2F&encoding-type=url&max-keys=" + names + "&prefix="
                + SdkHttpUtils.urlEncode(prefix)
                + (continuation == null ? "" : "&continuation-token=" + SdkHttpUtils.urlEncode(continuation));
        Answer answer = calls.get(folder, () -> URI.create(server.address(bucket) + query), Map.of(), PAGE_SIZE_MAX);
        if (answer.status() != Answer.OK || answer.isCut()) {
            throw calls.failure(folder, answer);
        }
        try {
            return parse(answer.body());
        } catch (XMLStreamException | IllegalArgumentException e) {
            throw new IOException(folder + ": the list of its objects is not the XML of S3; check the endpoint", e);
        }
    }

    private Page parse(byte[] body) throws XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        XMLStreamReader xml = factory.createXMLStreamReader(new ByteArrayInputStream(body));
        List<String> keys = new ArrayList<>();
        String next = null;
        boolean isEncoded = false;
        boolean isInsideEntry = false;
        while (xml.hasNext()) {
            int event = xml.next();
            if (event == XMLStreamConstants.END_ELEMENT && isEntry(xml.getLocalName())) {
                isInsideEntry = false;
            }
            if (event != XMLStreamConstants.START_ELEMENT) {
                continue;
            }
            switch (xml.getLocalName()) {
                case "Contents", "CommonPrefixes" -> isInsideEntry = true;
                case "EncodingType" -> isEncoded = xml.getElementText().equals("url");
                case "NextContinuationToken" -> next = xml.getElementText();
                case "Key" -> keys.add(xml.getElementText());
                case "Prefix" -> {
                    if (isInsideEntry) {
                        keys.add(xml.getElementText());
                    }
                }
                default -> {}
            }
        }
        return new Page(isEncoded ? decoded(keys) : keys, next);
    }

    private static boolean isEntry(String name) {
        return name.equals("Contents") || name.equals("CommonPrefixes");
    }

    private static List<String> decoded(List<String> keys) {
        return keys.stream().map(SdkHttpUtils::urlDecode).toList();
    }
}

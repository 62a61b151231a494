// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// The tags (`ETag`) that object storage gives to what it holds: the MD5 of an object or a part, and the MD5 of
/// the MD5s of all parts. Storages that encrypt with keys of their own give other tags, which equal none of these.
public final class ObjectTags {
    private ObjectTags() {}

    /// The tag of an object that was written by one request, and of a part.
    public static String of(byte[] bytes) {
        return HexFormat.of().formatHex(md5().digest(bytes));
    }

    /// The tag of an object that was written in parts.
    public static String ofParts(List<String> tags) {
        MessageDigest all = md5();
        for (String tag : tags) {
            if (!isDigest(tag)) {
                return "";
            }
            all.update(HexFormat.of().parseHex(plain(tag)));
        }
        return HexFormat.of().formatHex(all.digest()) + "-" + tags.size();
    }

    /// Whether two tags are the same and not empty.
    public static boolean isSame(String one, String other) {
        return !plain(one).isEmpty() && plain(one).equals(plain(other));
    }

    private static boolean isDigest(String tag) {
        return plain(tag).matches("[0-9a-f]{32}");
    }

    /// A tag without quotation marks.
    private static String plain(String tag) {
        return tag.replace("\"", "");
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

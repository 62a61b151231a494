// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.http.Answer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The error that S3 describes in the body of an answer. Only its code and message are shown: other elements
/// repeat parts of the request, such as the token.
///
/// @param code    such as `NoSuchKey`; empty when the body has none
/// @param message in words; may be empty
record S3Error(String code, String message) {
    /// Codes of answers with status 400 that say that the credentials are of no use.
    private static final Set<String> DENIED =
            Set.of("ExpiredToken", "InvalidToken", "TokenRefreshRequired", "ExpiredTokenException");

    private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9.]{1,100})</Code>");
    private static final Pattern MESSAGE = Pattern.compile("<Message>([^<]{1,500})</Message>");

    static S3Error of(Answer answer) {
        String body = new String(answer.body(), StandardCharsets.UTF_8);
        return new S3Error(first(CODE, body), first(MESSAGE, body));
    }

    private static String first(Pattern pattern, String body) {
        Matcher found = pattern.matcher(body);
        return found.find() ? found.group(1) : "";
    }

    boolean isDenied() {
        return DENIED.contains(code);
    }

    String words() {
        return code.isEmpty() || message.isEmpty() ? code : code + " (" + message + ")";
    }
}

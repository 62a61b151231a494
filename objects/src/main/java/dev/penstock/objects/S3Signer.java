// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.Location;
import java.io.IOException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;

/// Signs requests with the credentials of this process, which are renewed when they expire.
///
/// Credentials are only in the headers of a request. They never become part of an address or a message.
final class S3Signer {
    /// The credentials, or null for requests without a signature.
    private final AwsCredentialsProvider credentials;

    private final Clock clock;
    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();

    S3Signer(AwsCredentialsProvider credentials) {
        this(credentials, Clock.systemUTC());
    }

    S3Signer(AwsCredentialsProvider credentials, Clock clock) {
        this.credentials = credentials;
        this.clock = clock;
    }

    /// Returns the headers of a GET request with its signature.
    ///
    /// @throws AccessDeniedException when there are no credentials
    Map<String, String> sign(Location object, String region, URI address, Map<String, String> headers)
            throws IOException {
        return sign(object, region, SdkHttpMethod.GET, address, new byte[0], headers);
    }

    /// Returns the headers of any request with its signature, which covers the bytes that it sends: a server
    /// refuses other bytes.
    ///
    /// @throws AccessDeniedException when there are no credentials
    Map<String, String> sign(
            Location object, String region, SdkHttpMethod method, URI address, byte[] body, Map<String, String> headers)
            throws IOException {
        if (credentials == null) {
            return headers;
        }
        SdkHttpRequest.Builder request = SdkHttpRequest.builder().method(method).uri(address);
        headers.forEach(request::putHeader);
        AwsCredentials identity = credentials(object);
        SignedRequest signed = signer.sign(asked -> asked.identity(identity)
                .request(request.build())
                .payload(body.length == 0 ? null : ContentStreamProvider.fromByteArrayUnsafe(body))
                .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                .putProperty(AwsV4HttpSigner.REGION_NAME, region)
                .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                .putProperty(HttpSigner.SIGNING_CLOCK, clock));
        Map<String, String> all = new HashMap<>();
        signed.request().forEachHeader((name, values) -> all.put(name, only(values)));
        // The client adds the same ones itself.
        all.remove("Host");
        all.remove("Content-Length");
        return all;
    }

    private static String only(List<String> values) {
        return String.join(",", values);
    }

    private AwsCredentials credentials(Location object) throws IOException {
        try {
            return credentials.resolveCredentials();
        } catch (SdkException e) {
            AccessDeniedException denied = new AccessDeniedException(
                    object.toString(),
                    null,
                    "no AWS credentials were found; log in, or set AWS_PROFILE, or set " + S3Settings.ANONYMOUS
                            + "=true for a public bucket");
            denied.initCause(e);
            throw denied;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Location;
import dev.penstock.file.http.Answer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;

/// Addresses, signatures and errors of S3, without a server.
class S3ServerTest {
    private static final Location OBJECT = Location.parse("s3://examplebucket/test.txt");

    private static S3Server server(S3Settings settings) {
        return new S3Server(settings, new S3Signer(null));
    }

    private static S3Settings aws(String region) {
        return new S3Settings(region, null, false, false, false);
    }

    private static S3Settings at(String endpoint, boolean isPathStyle) {
        return new S3Settings("us-east-1", URI.create(endpoint), isPathStyle, false, false);
    }

    private static String address(S3Settings settings, String location) {
        return server(settings).address(Location.parse(location)).toString();
    }

    @Test
    void anAddressFollowsTheSettings() {
        assertEquals("https://b.s3.eu-west-1.amazonaws.com/k", address(aws("eu-west-1"), "s3://b/k"));
        assertEquals("https://b.s3.cn-north-1.amazonaws.com.cn/k", address(aws("cn-north-1"), "s3://b/k"));
        assertEquals("https://s3.eu-west-1.amazonaws.com/b.c/k", address(aws("eu-west-1"), "s3://b.c/k"));
        assertEquals("http://127.0.0.1:9000/b/k/l", address(at("http://127.0.0.1:9000", true), "s3://b/k/l"));
        assertEquals("https://host/base/b/k", address(at("https://host/base/", true), "s3://b/k"));
        assertEquals("https://b.host/k", address(at("https://host", false), "s3://b/k"));
        assertEquals("https://host/b/", address(at("https://host", true), "s3://b"));
        assertEquals("https://host/b/a%20b%2Bc", address(at("https://host", true), "s3://b/a%20b+c"));
        assertThrows(IllegalArgumentException.class, () -> address(aws("eu-west-1"), "s3://user:secret@b/k"));
    }

    /// The example of the documentation of S3 for a GET request of an object.
    @Test
    void aSignatureIsThatOfThePublishedExample() throws IOException {
        S3Signer signer = new S3Signer(
                StaticCredentialsProvider.create(
                        AwsBasicCredentials.create("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")),
                Clock.fixed(Instant.parse("2013-05-24T00:00:00Z"), ZoneOffset.UTC));
        Map<String, String> headers = signer.sign(
                OBJECT,
                "us-east-1",
                URI.create("https://examplebucket.s3.amazonaws.com/test.txt"),
                Map.of("Range", "bytes=0-9"));
        assertEquals(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
                headers.get("Authorization"));
        assertFalse(headers.containsKey("Host"));
    }

    @Test
    void anAnonymousRequestHasNoSignatureAndAPayerIsNamed() throws IOException {
        S3Settings settings = new S3Settings("us-east-1", null, false, true, true);
        Map<String, String> headers =
                server(settings).headers(OBJECT, URI.create("https://host/"), Map.of("Range", "bytes=0-9"));
        assertEquals(Map.of("Range", "bytes=0-9", "x-amz-request-payer", "requester"), headers);
    }

    @Test
    void missingCredentialsSayWhatToDo() {
        S3Signer signer = new S3Signer(AwsCredentialsProviderChain.of(() -> {
            throw SdkClientException.create("nothing here");
        }));
        AccessDeniedException denied = assertThrows(
                AccessDeniedException.class, () -> signer.sign(OBJECT, "r", URI.create("https://host/"), Map.of()));
        assertTrue(denied.getMessage().startsWith("s3://examplebucket/test.txt: no AWS credentials were found"));
        assertTrue(denied.getMessage().contains("PENSTOCK_S3_ANONYMOUS=true"), denied::getMessage);
    }

    private static Answer answer(int status, Map<String, List<String>> headers, String body) {
        return new Answer(
                URI.create("https://host/"),
                status,
                HttpHeaders.of(headers, (_, _) -> true),
                body.getBytes(StandardCharsets.UTF_8),
                false);
    }

    @Test
    void aBucketOfAnotherRegionIsFoundThere() {
        S3Server server = server(aws("us-east-1"));
        Answer elsewhere = answer(301, Map.of("x-amz-bucket-region", List.of("eu-west-1")), "");
        assertTrue(server.isCorrected(OBJECT, elsewhere));
        assertEquals(
                "https://examplebucket.s3.eu-west-1.amazonaws.com/test.txt",
                server.address(OBJECT).toString());
        assertFalse(server.isCorrected(OBJECT, elsewhere), "the region is known");
        Answer forged = answer(301, Map.of("x-amz-bucket-region", List.of("evil.example/x")), "");
        assertFalse(server.isCorrected(OBJECT, forged), "not a region");
        assertFalse(server(at("https://host", true)).isCorrected(OBJECT, elsewhere), "another server has no regions");
        assertFalse(server.followsRedirects());
    }

    @Test
    void anErrorShowsItsCodeAndMessageOnly() {
        Answer expired = answer(400, Map.of(), """
                <?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>The token has expired.</Message>
                <Token-0>secret</Token-0></Error>""");
        S3Server server = server(aws("us-east-1"));
        assertEquals("ExpiredToken (The token has expired.)", server.reason(expired));
        assertTrue(server.isDenied(expired));
        assertEquals("", server.reason(answer(503, Map.of(), "busy")));
        assertFalse(server.isDenied(answer(400, Map.of(), "<Code>InvalidRequest</Code>")));
    }

    @Test
    void aSettingMustBeTrueOrFalse() {
        Map<String, String> set = Map.of(S3Settings.ANONYMOUS, "TRUE", S3Settings.REQUESTER_PAYS, "0");
        assertTrue(S3Settings.find(set).isAnonymous());
        assertFalse(S3Settings.find(set).isRequesterPays());
        IllegalArgumentException wrong = assertThrows(
                IllegalArgumentException.class, () -> S3Settings.find(Map.of(S3Settings.PATH_STYLE, "yes")));
        assertEquals("PENSTOCK_S3_PATH_STYLE must be true or false, got 'yes'", wrong.getMessage());
    }
}

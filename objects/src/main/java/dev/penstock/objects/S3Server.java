// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.Listed;
import dev.penstock.file.Location;
import dev.penstock.file.ObjectWriter;
import dev.penstock.file.http.Answer;
import dev.penstock.file.http.HttpCalls;
import dev.penstock.file.http.Server;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.ServiceMetadata;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/// Buckets of S3, or of a server that is compatible with it.
///
/// A bucket of AWS has an address in its own region. The first request goes to the region of the settings; when
/// the answer names another region, that one is remembered and used. Redirections are not followed, because the
/// credentials are for the server of the settings only.
final class S3Server implements Server {
    private static final String BUCKET_REGION = "x-amz-bucket-region";

    private final S3Settings settings;
    private final S3Signer signer;
    private final Map<String, String> regions = new ConcurrentHashMap<>();

    S3Server(S3Settings settings, S3Signer signer) {
        this.settings = settings;
        this.signer = signer;
    }

    /// Creates a server for the credentials of this process: those of the environment, the profile, single
    /// sign-on, a web identity, or the role of a container or an instance.
    static S3Server of(S3Settings settings) {
        return new S3Server(
                settings,
                new S3Signer(
                        settings.isAnonymous()
                                ? null
                                : DefaultCredentialsProvider.builder().build()));
    }

    @Override
    public URI address(Location object) {
        String bucket = bucket(object);
        URI endpoint = endpoint(region(bucket));
        // A bucket name with dots is not covered by the certificate of the server.
        boolean isInPath = settings.isPathStyle() || bucket.contains(".");
        String host = isInPath ? endpoint.getRawAuthority() : bucket + "." + endpoint.getRawAuthority();
        String base = endpoint.getRawPath() == null ? "" : endpoint.getRawPath().replaceFirst("/+$", "");
        String path = base + (isInPath ? "/" + bucket : "") + "/" + SdkHttpUtils.urlEncodeIgnoreSlashes(key(object));
        return URI.create(endpoint.getScheme() + "://" + host + path);
    }

    private URI endpoint(String region) {
        if (settings.endpoint() != null) {
            return settings.endpoint();
        }
        return URI.create("https://" + ServiceMetadata.of("s3").endpointFor(Region.of(region)));
    }

    static String bucket(Location object) {
        String bucket = object.uri().getRawAuthority();
        if (bucket == null || bucket.contains("@") || bucket.contains(":")) {
            throw new IllegalArgumentException(
                    "'" + object + "' is not an object of S3: write s3://BUCKET/KEY with the name of a bucket");
        }
        return bucket;
    }

    /// The key of an object, or an empty text for the bucket itself.
    static String key(Location object) {
        return object.uri().getPath().replaceFirst("^/", "");
    }

    private String region(String bucket) {
        return regions.getOrDefault(bucket, settings.region());
    }

    @Override
    public Map<String, String> headers(Location object, URI address, Map<String, String> headers) throws IOException {
        Map<String, String> all = new HashMap<>(headers);
        if (settings.isRequesterPays()) {
            all.put("x-amz-request-payer", "requester");
        }
        return signer.sign(object, region(bucket(object)), address, all);
    }

    @Override
    public Map<String, String> headers(
            Location object, URI address, String method, byte[] body, Map<String, String> headers) throws IOException {
        Map<String, String> all = new HashMap<>(headers);
        if (settings.isRequesterPays()) {
            all.put("x-amz-request-payer", "requester");
        }
        return signer.sign(object, region(bucket(object)), SdkHttpMethod.fromValue(method), address, body, all);
    }

    @Override
    public ObjectWriter writer(HttpCalls calls, Location location) {
        return new S3Writer(this, calls);
    }

    @Override
    public boolean followsRedirects() {
        return false;
    }

    @Override
    public boolean isCorrected(Location object, Answer answer) {
        String region = answer.header(BUCKET_REGION);
        String bucket = bucket(object);
        boolean isElsewhere = settings.endpoint() == null
                && answer.status() >= 300
                && region.matches("[a-z0-9-]{1,40}")
                && !region.equals(region(bucket));
        if (isElsewhere) {
            regions.put(bucket, region);
        }
        return isElsewhere;
    }

    @Override
    public String reason(Answer answer) {
        return S3Error.of(answer).words();
    }

    @Override
    public boolean isDenied(Answer answer) {
        return answer.isDenied() || S3Error.of(answer).isDenied();
    }

    @Override
    public List<Location> list(HttpCalls calls, Location folder) throws IOException {
        return new S3Listing(this, calls, folder)
                .all().stream().map(Listed::location).toList();
    }

    @Override
    public boolean hasLists() {
        return true;
    }

    @Override
    public List<Listed> listed(HttpCalls calls, Location folder) throws IOException {
        return new S3Listing(this, calls, folder).all();
    }

    @Override
    public boolean isFolder(HttpCalls calls, Location location) throws IOException {
        return new S3Listing(this, calls, location).isAny();
    }
}

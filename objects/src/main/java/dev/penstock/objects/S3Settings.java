// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.awscore.endpoint.AwsClientEndpointProvider;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.profiles.ProfileFileSystemSetting;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;

/// Where buckets are, and how requests are sent to them.
///
/// The region and the endpoint come from where the tools of AWS look for them: the environment
/// (`AWS_REGION`, `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`), then the profile. Three settings are ours:
/// `PENSTOCK_S3_PATH_STYLE`, `PENSTOCK_S3_ANONYMOUS` and `PENSTOCK_S3_REQUESTER_PAYS`, each `true` or `false`.
///
/// @param region          the region of buckets until a bucket says another one
/// @param endpoint        the address of a server that is not AWS, or null
/// @param isPathStyle     whether the bucket is part of the path; otherwise it is part of the host name
/// @param isAnonymous     whether requests are sent without credentials, as public buckets allow
/// @param isRequesterPays whether this account pays for the requests to buckets that ask for it
record S3Settings(String region, URI endpoint, boolean isPathStyle, boolean isAnonymous, boolean isRequesterPays) {
    static final String PATH_STYLE = "PENSTOCK_S3_PATH_STYLE";
    static final String ANONYMOUS = "PENSTOCK_S3_ANONYMOUS";
    static final String REQUESTER_PAYS = "PENSTOCK_S3_REQUESTER_PAYS";

    private static final String ENDPOINT_PROPERTY = "aws.endpointUrlS3";

    /// The region whose endpoint knows the regions of all buckets.
    private static final String FIRST_REGION = "us-east-1";

    /// Finds the settings of this process.
    ///
    /// @param environment the environment of the process, for the settings that are ours
    /// @throws IllegalArgumentException when a setting is neither `true` nor `false`
    static S3Settings find(Map<String, String> environment) {
        Optional<URI> endpoint = findEndpoint();
        return new S3Settings(
                findRegion(),
                endpoint.orElse(null),
                // Few servers other than AWS have a host name for each bucket.
                isSet(environment, PATH_STYLE, endpoint.isPresent()),
                isSet(environment, ANONYMOUS, false),
                isSet(environment, REQUESTER_PAYS, false));
    }

    private static boolean isSet(Map<String, String> environment, String name, boolean otherwise) {
        String value = environment.getOrDefault(name, "").strip().toLowerCase(Locale.ROOT);
        return switch (value) {
            case "" -> otherwise;
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw new IllegalArgumentException(name + " must be true or false, got '" + value + "'");
        };
    }

    /// An endpoint that is not that of a region of AWS. The property of the runtime stands above the environment,
    /// as it does for the region and the credentials.
    private static Optional<URI> findEndpoint() {
        Optional<URI> configured = AwsClientEndpointProvider.builder()
                .serviceEndpointOverrideEnvironmentVariable("AWS_ENDPOINT_URL_S3")
                .serviceEndpointOverrideSystemProperty(ENDPOINT_PROPERTY)
                .serviceProfileProperty("s3")
                .profileFile(ProfileFile::defaultProfileFile)
                .profileName(ProfileFileSystemSetting.AWS_PROFILE.getStringValueOrThrow())
                .resolveFromOverrides();
        String property = System.getProperty(ENDPOINT_PROPERTY);
        return property == null ? configured : Optional.of(URI.create(property));
    }

    /// The region of this process. The metadata of an instance is not asked for it: a bucket of AWS in another
    /// region says so, and other servers accept any region.
    private static String findRegion() {
        try {
            return new AwsRegionProviderChain(new SystemSettingsRegionProvider(), new AwsProfileRegionProvider())
                    .getRegion()
                    .id();
        } catch (SdkClientException e) {
            return FIRST_REGION;
        }
    }
}

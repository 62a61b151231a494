// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.Location;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/// An S3 server on the loopback interface: s3proxy, in a process of its own, over a temporary folder. It checks
/// signatures. All tests of a process share it, each with a bucket of its own; it ends with the process.
final class S3Proxy {
    static final String IDENTITY = "test-identity";
    static final String SECRET = "test-secret-that-must-not-be-shown";

    private static final Pattern ADDRESS = Pattern.compile(".*Started .*ServerConnector.*\\{127\\.0\\.0\\.1:(\\d+)}.*");
    private static final AtomicInteger BUCKETS = new AtomicInteger();

    private static S3Proxy shared;

    private final URI endpoint;
    private final Path buckets;
    private final S3Client client;

    private S3Proxy(URI endpoint, Path buckets) {
        this.endpoint = endpoint;
        this.buckets = buckets;
        this.client = S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(credentials())
                .build();
    }

    static synchronized S3Proxy shared() throws IOException {
        if (shared == null) {
            shared = start();
        }
        return shared;
    }

    private static S3Proxy start() throws IOException {
        Path folder = Files.createTempDirectory("s3proxy");
        Path buckets = Files.createDirectory(folder.resolve("buckets"));
        Path properties = folder.resolve("s3proxy.properties");
        Files.writeString(properties, """
                s3proxy.endpoint=http://127.0.0.1:0
                s3proxy.authorization=aws-v2-or-v4
                s3proxy.identity=%s
                s3proxy.credential=%s
                jclouds.provider=filesystem-nio2
                jclouds.filesystem.basedir=%s
                """.formatted(IDENTITY, SECRET, buckets));
        Path jar = Path.of(System.getProperty("penstock.root"), "objects", "target", "servers", "s3proxy.jar");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        jar.toString(),
                        "--properties",
                        properties.toString())
                .redirectErrorStream(true)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process, folder)));
        return new S3Proxy(URI.create("http://127.0.0.1:" + port(process)), buckets);
    }

    private static int port(Process process) throws IOException {
        BufferedReader output = process.inputReader();
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher address = ADDRESS.matcher(line);
            if (address.matches()) {
                // A process whose output nobody reads stops when the pipe is full.
                Thread.ofPlatform().daemon().start(() -> output.lines().forEach(_ -> {}));
                return Integer.parseInt(address.group(1));
            }
            lines.add(line);
        }
        throw new IOException("s3proxy did not start:\n" + String.join("\n", lines));
    }

    private static void end(Process process, Path folder) {
        process.destroyForcibly().onExit().join();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static StaticCredentialsProvider credentials() {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(IDENTITY, SECRET));
    }

    URI endpoint() {
        return endpoint;
    }

    /// An independent client of the server.
    S3Client client() {
        return client;
    }

    S3Settings settings() {
        return new S3Settings("us-east-1", endpoint, true, false, false);
    }

    /// Creates an empty bucket.
    Location bucket() {
        String name = "bucket" + BUCKETS.incrementAndGet();
        client.createBucket(request -> request.bucket(name));
        return Location.of(URI.create("s3://" + name + "/"));
    }

    /// The folder whose files are the objects of a bucket.
    Path files(Location bucket) {
        return buckets.resolve(S3Server.bucket(bucket));
    }

    void put(Location object, byte[] bytes) {
        client.putObject(
                request -> request.bucket(S3Server.bucket(object)).key(S3Server.key(object)),
                RequestBody.fromBytes(bytes));
    }

    /// Copies a file or folder into a bucket under its own name.
    Location copy(Path source, Location bucket) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                put(bucket.resolve(source.getParent().relativize(file).toString()), Files.readAllBytes(file));
            }
        }
        return bucket.resolve(source.getFileName().toString());
    }
}

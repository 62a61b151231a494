// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Location;
import dev.penstock.spark.LocalSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Spark reads datasets of an S3 server through the storage of this project, without Hadoop.
@Tag("full")
class SparkS3Test {
    private static final List<String> PROPERTIES =
            List.of("aws.endpointUrlS3", "aws.accessKeyId", "aws.secretAccessKey", "aws.region");

    @TempDir
    Path temporary;

    private Location bucket;

    @BeforeEach
    void setUp() throws IOException {
        bucket = S3Proxy.shared().bucket();
        List<String> values =
                List.of(S3Proxy.shared().endpoint().toString(), S3Proxy.IDENTITY, S3Proxy.SECRET, "us-east-1");
        for (int i = 0; i < values.size(); i++) {
            System.setProperty(PROPERTIES.get(i), values.get(i));
        }
    }

    @AfterEach
    void tearDown() {
        PROPERTIES.forEach(System::clearProperty);
    }

    private String uploaded(String kind, Dataset<Row> rows) throws IOException {
        Path path = temporary.resolve(kind);
        rows.write().format("penstock").option("kind", kind).save(path.toString());
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : files.toList()) {
                S3Proxy.shared()
                        .put(bucket.resolve(kind).resolve(file.getFileName().toString()), Files.readAllBytes(file));
            }
        }
        return bucket.resolve(kind).toString();
    }

    @Test
    void tablesAndPacksAreReadByRanges() throws IOException {
        Dataset<Row> numbers = LocalSpark.session().range(0, 5000, 1, 3).toDF("id");
        String table = uploaded("table", numbers.selectExpr("id", "cast(id % 7 as int) digit"));
        Dataset<Row> read = LocalSpark.session()
                .read()
                .format("penstock")
                .option("partitionBytes", "8000")
                .load(table);
        assertEquals(5000, read.count());
        assertTrue(read.rdd().getNumPartitions() > 5);
        assertEquals(714, read.where("digit = 6").count());
        assertEquals(5000L * 4999 / 2, read.selectExpr("sum(id)").first().getLong(0));
        assertTrue(read.select("_file").first().getString(0).startsWith("s3://"));
        String pack = uploaded(
                "pack",
                numbers.selectExpr("cast(cast(id as string) as binary) b").limit(100));
        Dataset<Row> records = LocalSpark.session().read().format("penstock").load(pack);
        assertEquals(100, records.selectExpr("cast(value as string)").distinct().count());
        Exception refused = assertThrows(
                Exception.class,
                () -> numbers.write()
                        .format("penstock")
                        .mode("append")
                        .save(bucket.resolve("new").toString()));
        assertTrue(refused.getMessage().contains("a disk that all executors share"), refused.getMessage());
    }
}

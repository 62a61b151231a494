// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/// The session of Spark that all tests of a process share: two cores, and three attempts for each task.
public final class LocalSpark {
    private LocalSpark() {}

    private static final class Shared {
        static final SparkSession SESSION = SparkSession.builder()
                .master("local[2,3]")
                .appName("tests")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.shuffle.partitions", "3")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.warehouse.dir", temporary())
                .getOrCreate();

        private static String temporary() {
            try {
                return Files.createTempDirectory("warehouse").toString();
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    public static SparkSession session() {
        Shared.SESSION.sparkContext().setLogLevel("OFF");
        return Shared.SESSION;
    }

    static Dataset<Row> read(Path path) {
        return session().read().format("penstock").load(path.toString());
    }

    /// The rows as JSON, sorted: a value is equal to another when its text is.
    static List<String> values(Dataset<Row> rows) {
        return Arrays.stream((Row[]) rows.selectExpr("to_json(struct(*), map('ignoreNullFields', 'false'))")
                        .collect())
                .map(row -> row.getString(0))
                .sorted()
                .toList();
    }

    /// The plan of a query as Spark runs it.
    static String plan(Dataset<Row> rows) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) rows)
                .queryExecution()
                .executedPlan()
                .toString();
    }

    /// The names of the files in a folder, without those that begin with a dot.
    static List<String> files(Path folder) throws java.io.IOException {
        try (java.util.stream.Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}

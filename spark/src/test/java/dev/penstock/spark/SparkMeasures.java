// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.catalog.Catalog;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/// What `./benchmark spark` runs: the same work on our datasets and on Parquet, in one session and in turns.
/// Prints a line for each round: the case, our seconds, and those of Parquet.
///
/// Arguments: a folder for the data, the number of rows, the number of rounds, and `large` for a write of 10
/// GB alone.
public final class SparkMeasures {
    private static final long LARGE_BYTES = 10L << 30;
    private static final long ROW_BYTES = 32;
    private static final int RECORD_BYTES = 2048;
    private static final int BATCH_SIZE = 1024;
    private static final int WARM_UPS = 2;

    private final SparkSession session;
    private final Path folder;
    private final int rounds;

    private SparkMeasures(SparkSession session, Path folder, int rounds) {
        this.session = session;
        this.folder = folder;
        this.rounds = rounds;
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        SparkSession session = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.local.dir", folder.resolve("spark").toString())
                .getOrCreate();
        session.sparkContext().setLogLevel("ERROR");
        SparkMeasures measures = new SparkMeasures(session, folder, Integer.parseInt(arguments[2]));
        if (arguments.length > 3) {
            measures.large();
        } else {
            measures.rows(Long.parseLong(arguments[1]));
        }
        session.stop();
    }

    /// Rows of 32 bytes in five columns, and a hundredth as many records of 2 KiB.
    private void rows(long count) throws IOException {
        Dataset<Row> narrow = session.range(0, count, 1, 4)
                .selectExpr(
                        "id",
                        "cast(hash(id) % 1000 as int) a",
                        "rand(1) x",
                        "cast(rand(2) as float) y",
                        "hash(id, 1) b",
                        "hash(id, 2) c");
        compareWrites("write", narrow);
        Dataset<Row> ours = read("penstock", "write");
        Dataset<Row> theirs = read("parquet", "write");
        compare("scan-all", () -> drain(ours), () -> drain(theirs));
        compare("scan-one", () -> sum(ours), () -> sum(theirs));
        compare("filter", () -> drain(ours.where("a = 7")), () -> drain(theirs.where("a = 7")));
        compare("count", ours::count, theirs::count);
        wide(count / 100);
        shuffled(narrow, count);
    }

    private void wide(long count) throws IOException {
        // Bytes that do not shrink, as those of images.
        Dataset<Row> wide = session.range(0, count, 1, 4)
                .selectExpr(
                        "id",
                        "array_join(transform(sequence(1, " + RECORD_BYTES / 64
                                + "), i -> sha2(concat(id, i), 256)), '') t")
                .selectExpr("id", "cast(t as binary) bytes")
                .cache();
        wide.count();
        compareWrites("write-wide", wide.selectExpr("id", "bytes"), "types", "bytes bytes(" + RECORD_BYTES + ")");
        Dataset<Row> ours = read("penstock", "write-wide");
        Dataset<Row> theirs = read("parquet", "write-wide");
        compare("scan-wide", () -> drain(ours), () -> drain(theirs));
        compare(
                "scan-wide-one",
                () -> ours.selectExpr("sum(id)").collect(),
                () -> theirs.selectExpr("sum(id)").collect());
        wide.unpersist();
    }

    /// The whole way: a shuffle on write, and an epoch of it through the loader, beside an epoch of our own
    /// shuffle of the rows in their first order.
    private void shuffled(Dataset<Row> rows, long count) throws IOException {
        Path path = folder.resolve("shuffled");
        delete(path);
        double start = seconds();
        rows.write().format("penstock").option("shuffle", "7").save(path.toString());
        double written = seconds() - start;
        delete(folder.resolve("shuffled.parquet"));
        start = seconds();
        rows.orderBy(org.apache.spark.sql.functions.rand(7))
                .write()
                .parquet(folder.resolve("shuffled.parquet").toString());
        print("write-shuffled", written, seconds() - start);
        Path plain = folder.resolve("write-penstock");
        for (int round = 0; round < rounds; round++) {
            print(
                    "epoch-" + count / 1_000_000 + "M",
                    epoch(path, LoaderOptions.of(BATCH_SIZE)),
                    epoch(
                            plain,
                            LoaderOptions.of(BATCH_SIZE)
                                    .withSampler(new dev.penstock.loader.PermutationSampler(count, 7))));
        }
    }

    private static double epoch(Path path, LoaderOptions options) throws IOException {
        try (dev.penstock.Dataset dataset = Catalog.open(path);
                Loader loader = Loader.open(dataset, options)) {
            double start = seconds();
            long count = 0;
            for (LoaderBatch batch : loader) {
                count += batch.rowCount();
            }
            if (count != dataset.count()) {
                throw new IllegalStateException("an epoch had " + count + " records");
            }
            return seconds() - start;
        }
    }

    /// 10 GB of rows with a small heap, where a task must not keep what it writes.
    private void large() throws IOException {
        Dataset<Row> rows = session.range(0, LARGE_BYTES / ROW_BYTES, 1, 16).selectExpr("id", "id x", "id y", "id z");
        Path path = folder.resolve("large");
        delete(path);
        double start = seconds();
        rows.write().format("penstock").save(path.toString());
        double ours = seconds() - start;
        delete(path);
        start = seconds();
        rows.write().parquet(path.toString());
        print("write-10GB-" + Runtime.getRuntime().maxMemory() / (1 << 20) + "MB", ours, seconds() - start);
        delete(path);
    }

    private Dataset<Row> read(String format, String name) {
        return session.read()
                .format(format)
                .load(folder.resolve(name + "-" + format).toString());
    }

    private void compareWrites(String name, Dataset<Row> rows, String... option) throws IOException {
        compare(name, () -> write(rows, name, "penstock", option), () -> write(rows, name, "parquet"));
    }

    private void write(Dataset<Row> rows, String name, String format, String... option) {
        Path path = folder.resolve(name + "-" + format);
        delete(path);
        org.apache.spark.sql.DataFrameWriter<Row> writer = rows.write().format(format);
        (option.length == 0 ? writer : writer.option(option[0], option[1])).save(path.toString());
    }

    /// Reads all rows and drops them.
    private static void drain(Dataset<Row> rows) {
        rows.write().format("noop").mode("overwrite").save();
    }

    private static void sum(Dataset<Row> rows) {
        rows.selectExpr("sum(a)").collect();
    }

    private void compare(String name, Runnable ours, Runnable theirs) {
        for (int round = -WARM_UPS; round < rounds; round++) {
            double first = timed(ours);
            double second = timed(theirs);
            if (round >= 0) {
                print(name, first, second);
            }
        }
    }

    private static double timed(Runnable work) {
        double start = seconds();
        work.run();
        return seconds() - start;
    }

    private static double seconds() {
        return System.nanoTime() / 1e9;
    }

    private static void print(String name, double ours, double theirs) {
        System.out.println(String.format(Locale.ROOT, "%s %.4f %.4f", name, ours, theirs));
    }

    private static void delete(Path path) {
        if (!Files.exists(path)) {
            return;
        }
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/// A driver of a cluster that overwrites a dataset with 8,000 rows in four tasks. Each task says in a file that it
/// has begun, with the process that runs it, and does not go on before the test says so.
///
/// Arguments: the address of the master, the dataset, a folder for the files, `fail` or `speculate` or `wait`.
public final class ClusterProgram {
    static final long ROWS = 8000;
    private static final long ROWS_OF_TASK = 2000;

    private ClusterProgram() {}

    public static void main(String[] arguments) {
        String how = arguments[3];
        SparkSession.Builder builder = SparkSession.builder()
                .master(arguments[0])
                .appName(how)
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.executor.cores", "1")
                .config("spark.executor.memory", "512m")
                .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .config("spark.executor.extraJavaOptions", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
        if (how.equals("speculate")) {
            builder.config("spark.speculation", "true")
                    .config("spark.speculation.interval", "100ms")
                    .config("spark.speculation.multiplier", "1.01")
                    .config("spark.speculation.quantile", "0.5")
                    .config("spark.speculation.minTaskRuntime", "1ms");
        }
        SparkSession session = builder.getOrCreate();
        session.sparkContext().setLogLevel("ERROR");
        Dataset<Row> rows = session.range(0, ROWS, 1, 4)
                .toDF("id")
                .select(functions
                        .udf(new Step(arguments[2], how), DataTypes.LongType)
                        .apply(functions.col("id"))
                        .as("id"));
        rows.write()
                .format("penstock")
                .option("shardBytes", "4096")
                .mode("overwrite")
                .save(arguments[1]);
        System.out.println("written");
        session.stop();
    }

    /// What happens at the rows of a task.
    private record Step(String folder, String how) implements UDF1<Long, Long> {
        @Override
        public Long call(Long id) throws IOException, InterruptedException {
            TaskContext task = TaskContext.get();
            long inTask = id % ROWS_OF_TASK;
            // Several shards of the task are complete then.
            if (inTask == ROWS_OF_TASK * 3 / 4) {
                if (how.equals("speculate") ? id < ROWS_OF_TASK && task.attemptNumber() == 0 : !isGoing()) {
                    Path begun =
                            Path.of(folder, "begun-" + ProcessHandle.current().pid() + "-" + id);
                    Files.writeString(begun, "");
                    // The slow attempt waits until Spark gives it up; the others until the test says so.
                    while (how.equals("speculate") ? !task.isInterrupted() : !isGoing()) {
                        Thread.sleep(5);
                    }
                    if (task.isInterrupted()) {
                        throw new IllegalStateException("given up");
                    }
                }
                if (how.equals("fail") && id > 3 * ROWS_OF_TASK && task.attemptNumber() < 2) {
                    throw new IllegalStateException("planted");
                }
            }
            return id;
        }

        private boolean isGoing() {
            return Files.exists(Path.of(folder, "go"));
        }
    }
}

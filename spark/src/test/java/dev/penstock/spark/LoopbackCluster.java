// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A standalone cluster of Spark on the loopback interface: a master and workers, each a process of its own. The
/// workers start the executors with the class path of the tests.
final class LoopbackCluster implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("spark://127\\.0\\.0\\.1:\\d+");

    /// The flags of Spark's own launcher that its daemons and drivers need.
    private static final List<String> OPENS = Stream.of(
                    "java.lang",
                    "java.lang.invoke",
                    "java.io",
                    "java.net",
                    "java.nio",
                    "java.util",
                    "java.util.concurrent",
                    "sun.nio.ch",
                    "sun.nio.cs",
                    "sun.util.calendar")
            .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
            .toList();

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();
    private final String address;
    private int workerCount;

    private LoopbackCluster(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        Files.createDirectories(folder.resolve("home").resolve("jars"));
        Process master = start(
                "master",
                "127.0.0.1",
                "org.apache.spark.deploy.master.Master",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--webui-port",
                "0");
        Path log = folder.resolve("master.log");
        Waiting.until("the master did not start: " + log, () -> address(log) != null || !master.isAlive());
        this.address = address(log);
    }

    static LoopbackCluster start(Path folder, int workers) throws IOException, InterruptedException {
        LoopbackCluster cluster = new LoopbackCluster(folder);
        for (int i = 0; i < workers; i++) {
            cluster.addWorker("worker" + i);
        }
        return cluster;
    }

    private static String address(Path log) {
        try {
            Matcher matcher = ADDRESS.matcher(Files.readString(log));
            return matcher.find() ? matcher.group() : null;
        } catch (IOException e) {
            return null;
        }
    }

    String address() {
        return address;
    }

    /// Adds a worker with a loopback address of its own: Spark speculates on another host only.
    Process addWorker(String name) throws IOException {
        String host = "127.0.0." + ++workerCount;
        return start(
                name,
                host,
                "org.apache.spark.deploy.worker.Worker",
                "--host",
                host,
                "--webui-port",
                "0",
                "--cores",
                "1",
                "--memory",
                "600m",
                "--work-dir",
                folder.resolve(name).toString(),
                address);
    }

    /// Starts a driver.
    ///
    /// @param name the name of the file with its output
    Process startDriver(String name, String program, String... arguments) throws IOException {
        return start(name, "127.0.0.1", program, arguments);
    }

    private Process start(String name, String host, String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPENS);
        command.addAll(List.of(
                // A driver refuses to start with less than 450 MiB.
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                program));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log(name).toFile());
        builder.environment().put("SPARK_HOME", folder.resolve("home").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        // Spark's scripts set it; without it a worker looks for the folders of a build.
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", host);
        builder.environment().put("SPARK_LOCAL_HOSTNAME", host);
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    Path log(String name) {
        return folder.resolve(name + ".log");
    }

    /// Kills an executor together with its worker.
    static void kill(ProcessHandle executor) {
        ProcessHandle worker = executor.parent().orElseThrow();
        worker.destroyForcibly();
        executor.destroyForcibly();
    }

    @Override
    public void close() {
        for (Process process : processes.reversed()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().onExit().join();
        }
    }
}

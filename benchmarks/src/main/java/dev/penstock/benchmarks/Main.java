// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The command `./benchmark`.
public final class Main {
    private static final int USAGE = 2;
    private static final int RECORDS_DEFAULT = 20_000;
    static final int ROWS_DEFAULT = 100_000_000;
    private static final String HELP = """
        usage: ./benchmark [NAME...] [--json] [--records N] [--rows N] [--rounds N] [--dir DIR]
               ./benchmark --chart FILE.json > FILE.svg

        Runs the named benchmarks; without a name, lists all benchmarks. NAME/PART runs one part.

          --json       print the rows as a JSON array, one on each line
          --records N  number of records in the data of the pack benchmark (20000)
          --rows N     number of rows of steps/append and steps/large (100000000: 7 GB), which run only if named
          --rounds N   number of rounds of each case, instead of its default
          --dir DIR    folder for the data, which is kept (benchmarks/target/data)

        A row compares us with a baseline (floor) that was measured in turns with us. ratio: our speed divided
        by the floor's, so more than 1 is better for us in any unit. spread: (max - min) / median over the
        rounds, of the ratios, or of our values if the floor is a fixed limit.

        python: the Python package compared with NumPy, LMDB and PyTorch, in a new wheel of this checkout. PyTorch
        is measured if it is installed: ./python/torch.sh. PENSTOCK_PYTHON=PATH uses another interpreter.

        --chart draws the rows of `./benchmark python --json` as SVG; it needs Python 3.

        example: ./benchmark pack --json > pack.json
        """;

    /// All benchmarks. A new benchmark is a class and a line here.
    private static final List<Benchmark> BENCHMARKS = List.of(
            new PackBenchmark(),
            new GatherBenchmark(),
            new ColdBenchmark(),
            new TreeBenchmark(),
            new StoreBenchmark(),
            new LoaderBenchmark(),
            new RunsBenchmark(),
            new StepsBenchmark(),
            new ShardsBenchmark(),
            new ScaleBenchmark(),
            new ObjectsBenchmark(),
            new SparkBenchmark(),
            new PythonBenchmark());

    private Main() {}

    private record Choice(Benchmark benchmark, String part) {}

    public static void main(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>();
        Settings settings;
        List<Choice> choices;
        try {
            settings = parse(arguments, names);
            choices = names.stream().map(Main::choose).toList();
        } catch (IllegalArgumentException e) {
            System.err.println("benchmark: " + e.getMessage());
            System.exit(USAGE);
            return;
        }
        if (List.of(arguments).contains("--help")) {
            System.out.print(HELP);
        } else if (choices.isEmpty()) {
            BENCHMARKS.forEach(benchmark -> System.out.println(benchmark.name() + "  " + benchmark.question()));
        } else {
            run(choices, settings);
        }
    }

    private static void run(List<Choice> choices, Settings settings) throws Exception {
        Report report = new Report(settings.isJson(), System.out);
        for (Choice choice : choices) {
            choice.benchmark().run(settings.withPart(choice.part()), report);
        }
        report.print();
    }

    private static Settings parse(String[] arguments, List<String> names) {
        int records = RECORDS_DEFAULT;
        int rows = ROWS_DEFAULT;
        int rounds = 0;
        boolean isJson = false;
        Path dir = Path.of(System.getProperty("penstock.root", ""), "benchmarks", "target", "data");
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--json" -> isJson = true;
                case "--help" -> {}
                case "--records" -> records = number(arguments, ++i);
                case "--rows" -> rows = number(arguments, ++i);
                case "--rounds" -> rounds = number(arguments, ++i);
                case "--dir" -> dir = Path.of(argument(arguments, ++i));
                default -> names.add(arguments[i]);
            }
        }
        return new Settings(records, rows, dir.toAbsolutePath(), rounds, isJson, "");
    }

    private static String argument(String[] arguments, int i) {
        if (i >= arguments.length) {
            throw new IllegalArgumentException(arguments[i - 1] + " needs a value");
        }
        return arguments[i];
    }

    private static int number(String[] arguments, int i) {
        String text = argument(arguments, i);
        if (!text.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException(arguments[i - 1] + " needs a number greater than 0, got " + text);
        }
        return Integer.parseInt(text);
    }

    private static Choice choose(String name) {
        if (name.startsWith("-")) {
            throw new IllegalArgumentException("unknown option " + name + "; see ./benchmark --help");
        }
        String[] parts = name.split("/", 2);
        String part = parts.length == 2 ? parts[1] : "";
        return BENCHMARKS.stream()
                .filter(benchmark -> benchmark.name().equals(parts[0]))
                .filter(benchmark -> part.isEmpty() || benchmark.parts().contains(part))
                .map(benchmark -> new Choice(benchmark, part))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("unknown benchmark " + name + "; the benchmarks are " + all()));
    }

    private static String all() {
        List<String> names = new ArrayList<>();
        for (Benchmark benchmark : BENCHMARKS) {
            names.add(benchmark.name());
            benchmark.parts().forEach(part -> names.add(benchmark.name() + "/" + part));
        }
        return String.join(", ", names);
    }
}

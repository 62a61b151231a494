// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Prints a plan for remote storage.
record RemotePlanReport(Command command, Dataset dataset, RemotePlan plan) {
    void print() {
        List<RemotePlan.Way> ways = plan.ways();
        RemotePlan.Way best = plan.recommended(ways);
        if (command.isJson) {
            command.printJson(json(ways, best));
            return;
        }
        RemoteCosts costs = plan.costs();
        command.print(dataset.location() + ": " + Text.number(plan.recordCount()) + " records, "
                + Text.bytes((long) plan.datasetBytes()));
        command.print(Text.row("cache", Text.bytes(costs.cacheBytes())));
        command.print(Text.row("epochs", costs.epochs()));
        command.print("");
        String form = "  %-14s %14s %10s %6s %10s %10s %10s  %s";
        command.print(String.format(
                Locale.ROOT,
                form,
                "",
                "requests/epoch",
                "bytes",
                "hits",
                "1st epoch",
                "hours",
                "cost",
                "effective batch"));
        for (RemotePlan.Way way : ways) {
            command.print(String.format(
                            Locale.ROOT,
                            form,
                            way.name(),
                            Text.number(Math.round(way.later().requests())),
                            Text.bytes(Math.round(way.later().bytes())),
                            String.format(Locale.ROOT, "%.0f %%", 100 * way.hits()),
                            Text.bytes(Math.round(way.first().bytes())),
                            String.format(Locale.ROOT, "%.2f", way.seconds(costs) / 3600),
                            String.format(Locale.ROOT, "%.4f", way.cost(costs)),
                            String.format(Locale.ROOT, "%.0f", way.quality().effectiveBatch())
                                    + (way.detail().isEmpty() ? "" : "  " + way.detail()))
                    .stripTrailing());
        }
        command.print("");
        command.print("Recommended: " + best.name() + (best.detail().isEmpty() ? "" : ", " + best.detail()) + ".");
    }

    private Map<String, Object> json(List<RemotePlan.Way> ways, RemotePlan.Way best) {
        RemoteCosts costs = plan.costs();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("path", dataset.location());
        json.put("records", plan.recordCount());
        json.put("bytes", Math.round(plan.datasetBytes()));
        json.put("cacheBytes", costs.cacheBytes());
        json.put("epochs", costs.epochs());
        List<Map<String, Object>> all = new ArrayList<>();
        for (RemotePlan.Way way : ways) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("order", way.name());
            one.put("detail", way.detail());
            one.put("firstEpochRequests", Math.round(way.first().requests()));
            one.put("firstEpochBytes", Math.round(way.first().bytes()));
            one.put("epochRequests", Math.round(way.later().requests()));
            one.put("epochBytes", Math.round(way.later().bytes()));
            one.put("hits", way.hits());
            one.put("seconds", way.seconds(costs));
            one.put("cost", way.cost(costs));
            double batch = way.quality().effectiveBatch();
            one.put("effectiveBatch", Double.isFinite(batch) ? batch : null);
            one.put("recommended", way == best);
            all.add(one);
        }
        json.put("orders", all);
        return json;
    }
}

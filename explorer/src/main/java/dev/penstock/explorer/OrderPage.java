// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.file.AvailableMemory;
import dev.penstock.loader.Plan;
import dev.penstock.loader.Sampler;
import dev.penstock.plugin.ByteCount;
import dev.penstock.plugin.Description;
import dev.penstock.plugin.PlanDescription;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What training will see: the records of a step, the step of a record, a picture of the shuffle, and what it costs.
/// The numbers are those of `plan`.
///
/// @param shelf    the datasets
/// @param searches the samplers
/// @param workers  the threads
record OrderPage(Shelf shelf, Searches searches, Workers workers) implements SearchPage {
    /// More records of a step are not shown.
    private static final int SHOWN_MAX = 200;

    /// The picture around a step shows this number of steps.
    private static final long NEAR_STEPS = 64;

    @Override
    public OrderRun search(Query query, String id, Dataset dataset) throws IOException {
        OrderChoice choice = OrderChoice.of(query);
        return searches.of(id, dataset, OrderRun.class, choice.key(), () -> new OrderRun(choice));
    }

    @Override
    public Object json(Query query) throws IOException {
        String id = query.text("dataset");
        return shelf.with(id, dataset -> {
            OrderRun run = search(query, id, dataset);
            long budget = SearchPage.budget(query);
            if (budget > 0) {
                searches.run(run, dataset, budget);
            }
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("dataset", id);
            json.put("path", dataset.location());
            json.put("records", dataset.count());
            json.put("fields", Description.of(dataset.fields()));
            json.putAll(run.json());
            if (run.sampler() != null) {
                json.putAll(workers.read(() -> plan(query, dataset, run.sampler())));
            }
            return json;
        });
    }

    private static Map<String, Object> plan(Query query, Dataset dataset, Sampler sampler) throws IOException {
        OrderChoice choice = OrderChoice.of(query);
        long epoch = query.number("epoch", 0, 0, Long.MAX_VALUE);
        long memoryBytes =
                query.has("memory") ? new ByteCount().convert(query.text("memory")) : AvailableMemory.bytes();
        PlanDescription description = PlanDescription.of(
                dataset, sampler, choice.ranks(), choice.batchSize(), choice.isDroppingLast(), epoch, memoryBytes);
        Plan plan = description.plan();
        Map<String, Object> json = new LinkedHashMap<>();
        long step = plan.stepCount() == 0 ? -1 : query.number("step", 0, 0, plan.stepCount() - 1);
        json.put("plan", description.step(step));
        json.put("place", query.has("record") ? place(query, dataset, description) : null);
        String path = dataset.location().toString();
        json.put(
                "command",
                choice.command(path)
                        + (epoch == 0 ? "" : " --epoch " + epoch)
                        + (step <= 0 ? "" : " --step " + step)
                        + (choice.ranks().rank() == 0
                                ? ""
                                : " --rank " + choice.ranks().rank()));
        json.put("python", choice.python(path, new OrderChoice.Order(sampler.parameters(), sampler.length())));
        long[] indices = description.indices(step);
        List<Field> fields = dataset.fields();
        json.put(
                "rows",
                new RecordReader(dataset, fields).rows(Arrays.copyOf(indices, Math.min(SHOWN_MAX, indices.length))));
        json.put("picture", new OrderPicture(sampler, epoch, 0, sampler.length()).json());
        long near = NEAR_STEPS * plan.stepSize();
        long from = Math.clamp((step - NEAR_STEPS / 2) * plan.stepSize(), 0, Math.max(0, sampler.length() - near));
        json.put("near", new OrderPicture(sampler, epoch, from, Math.min(sampler.length(), from + near)).json());
        return json;
    }

    /// Where a record comes, or a text that says why it has no single place.
    private static Map<String, Object> place(Query query, Dataset dataset, PlanDescription description) {
        long record = RecordReader.requireIndex(dataset, query.number("record", 0, 0, Long.MAX_VALUE));
        Optional<Plan.Place> found = description.plan().find(description.epoch(), record);
        if (found.isPresent()) {
            return description.place(record, found.get());
        }
        Map<String, Object> json = description.head();
        json.put("record", record);
        json.put("step", null);
        json.put("why", "this order may draw a record several times or not at all, so the record has no single step");
        return json;
    }
}

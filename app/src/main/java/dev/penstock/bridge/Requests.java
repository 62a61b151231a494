// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Progress;
import dev.penstock.file.Json;
import java.io.IOException;
import java.util.Map;

/// Dispatches requests by their verbs.
final class Requests {
    private Requests() {}

    static String answer(byte[] json) throws IOException {
        Request request = Request.parse(json);
        String verb = request.verb();
        if (verb.indexOf('.') >= 0) {
            return Json.text(PluginRequests.answer(request));
        }
        boolean isOfStore = verb.startsWith(StoreRequests.PREFIX);
        return Json.text(isOfStore ? StoreRequests.answer(request) : answer(request));
    }

    /// A switch instead of a map of methods, because each method reference would cost a fraction of a
    /// millisecond at the start of the runtime.
    ///
    /// @return a value for JSON
    private static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "handles" -> (long) Handles.count();
            case "isSharing" -> isSharing();
            case "memory" -> memory(request);
            case "open" -> DatasetRequests.open(request);
            case "isCorpus" -> DatasetRequests.isCorpus(request);
            case "arrays" -> DatasetRequests.arrays(request);
            case "choose" -> DatasetRequests.choose(request);
            case "fingerprint" -> DatasetRequests.dataset(request).fingerprint();
            case "hasFingerprint" -> DatasetRequests.hasFingerprint(request);
            case "fullFingerprint" -> DatasetRequests.dataset(request).fullFingerprint(Progress.NONE);
            case "name" -> DatasetRequests.dataset(request).name(request.number("index"));
            case "readCsv" -> WriterRequests.readCsv(request);
            case "keys" -> DatasetRequests.keys(request);
            case "find" -> DatasetRequests.find(request);
            case "names" -> DatasetRequests.names(request);
            case "fieldStats" -> DatasetRequests.stats(request);
            case "verify" -> DatasetRequests.verify(request);
            case "prepare" -> DatasetRequests.prepare(request);
            case "where" -> DatasetRequests.where(request);
            case "subset" -> DatasetRequests.subset(request);
            case "origins" -> DatasetRequests.origins(request);
            case "baseIndices" -> DatasetRequests.baseIndices(request);
            case "places" -> DatasetRequests.places(request);
            case "concat" -> DatasetRequests.concat(request);
            case "windows" -> DatasetRequests.windows(request);
            case "zip" -> DatasetRequests.zip(request);
            case "numbers" -> DatasetRequests.numbers(request);

            case "sampler" -> LoaderRequests.sampler(request);
            case "mixtureFile" -> MixtureRequests.file(request);
            case "mixtureParts" -> MixtureRequests.parts(request);
            case "draw" -> LoaderRequests.draw(request);
            case "position" -> LoaderRequests.position(request);
            case "loader" -> LoaderRequests.create(request);
            case "step" -> LoaderRequests.step(request);
            case "state" -> LoaderRequests.state(request);
            case "resume" -> LoaderRequests.resume(request);
            case "rewind" -> LoaderRequests.rewind(request);
            case "moveOn" -> LoaderRequests.moveOn(request);
            case "setEpoch" -> LoaderRequests.setEpoch(request);
            case "stepsOf" -> LoaderRequests.stepsOf(request);
            case "recordsOf" -> LoaderRequests.recordsOf(request);
            case "progress" -> LoaderRequests.progress(request);
            case "stats" -> LoaderRequests.stats(request);

            case "hybridOpen" -> HybridTreeRequests.open(request);
            case "hybridPut" -> HybridTreeRequests.put(request);
            case "hybridRemove" -> HybridTreeRequests.remove(request);
            case "hybridGet" -> HybridTreeRequests.get(request);
            case "hybridScan" -> HybridTreeRequests.scan(request);
            case "hybridChangeCount" -> HybridTreeRequests.changeCount(request);
            case "hybridSnapshot" -> HybridTreeRequests.snapshot(request);

            case "tableWriter" -> WriterRequests.table(request);
            case "appendRows" -> WriterRequests.appendRows(request);
            case "packWriter" -> WriterRequests.pack(request);
            case "reserveRecords" -> WriterRequests.reserveRecords(request);
            case "appendRecords" -> WriterRequests.appendRecords(request);
            case "writerOutcome" -> WriterRequests.outcome(request);
            case "finish" -> WriterRequests.finish(request);
            case "pipe", "convert", "copy", "doctor" -> ConvertRequests.answer(request);

            case String verb when verb.startsWith("tree") -> TreeRequests.answer(request);
            default -> PartRequests.answer(request);
        };
    }

    /// The memory of all batches, in bytes.
    private static Object memory(Request request) {
        if (request.has("limit")) {
            IdleMemory.setLimit(request.number("limit"));
        }
        long usedBytes = 0;
        long aheadBytes = 0;
        for (Object object : Handles.all()) {
            if (object instanceof HeldBatch batch) {
                usedBytes += batch.allocatedBytes();
            } else if (object instanceof LoaderSource source) {
                aheadBytes += source.loader().stats().heldBytes();
            }
        }
        return Map.of(
                "idle_bytes",
                IdleMemory.bytes(),
                "idle_limit_bytes",
                IdleMemory.limitBytes(),
                "used_bytes",
                usedBytes,
                "ahead_bytes",
                aheadBytes);
    }

    /// Whether the runtime maps classes from a cache. It does not if it was started with a damaged cache.
    private static boolean isSharing() {
        return System.getProperty("java.vm.info", "").contains("sharing");
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Progress;
import dev.penstock.memory.Json;
import java.io.IOException;

/// What can be asked for, by verbs.
final class Requests {
    private Requests() {}

    static String answer(byte[] json) throws IOException {
        Request request = Request.parse(json);
        boolean isOfStore = request.verb().startsWith(StoreRequests.PREFIX);
        return Json.text(isOfStore ? StoreRequests.answer(request) : answer(request));
    }

    /// A switch and not a map of methods: each of those would cost a fraction of a millisecond when the runtime
    /// starts.
    ///
    /// @return what JSON can hold
    private static Object answer(Request request) throws IOException {
        return switch (request.verb()) {
            case "handles" -> (long) Handles.count();
            case "isSharing" -> isSharing();

            case "open" -> DatasetRequests.open(request);
            case "choose" -> DatasetRequests.choose(request);
            case "fingerprint" -> DatasetRequests.dataset(request).fingerprint();
            case "fullFingerprint" -> DatasetRequests.dataset(request).fullFingerprint(Progress.NONE);
            case "name" -> DatasetRequests.dataset(request).name(request.number("index"));
            case "verify" -> DatasetRequests.verify(request);
            case "prepare" -> DatasetRequests.prepare(request);
            case "where" -> DatasetRequests.where(request);
            case "subset" -> DatasetRequests.subset(request);
            case "baseIndices" -> DatasetRequests.baseIndices(request);
            case "places" -> DatasetRequests.places(request);
            case "concat" -> DatasetRequests.concat(request);
            case "zip" -> DatasetRequests.zip(request);

            case "sampler" -> LoaderRequests.sampler(request);
            case "draw" -> LoaderRequests.draw(request);
            case "position" -> LoaderRequests.position(request);
            case "loader" -> LoaderRequests.create(request);
            case "begin" -> LoaderRequests.begin(request);
            case "step" -> LoaderRequests.step(request);
            case "state" -> LoaderRequests.state(request);
            case "resume" -> LoaderRequests.resume(request);
            case "rewind" -> LoaderRequests.rewind(request);
            case "moveOn" -> LoaderRequests.moveOn(request);
            case "setEpoch" -> LoaderRequests.setEpoch(request);
            case "progress" -> LoaderRequests.progress(request);
            case "stats" -> LoaderRequests.stats(request);

            case "treeCount" -> TreeRequests.count(request);
            case "treeFingerprint" -> TreeRequests.fingerprint(request);
            case "treeFullFingerprint" -> TreeRequests.fullFingerprint(request);
            case "treeVerify" -> TreeRequests.verify(request);
            case "treeGet" -> TreeRequests.get(request);
            case "treeWrite" -> TreeRequests.write(request);
            case "treeScan" -> TreeRequests.scan(request);
            case "treeNext" -> TreeRequests.next(request);

            case "hybridOpen" -> HybridTreeRequests.open(request);
            case "hybridPut" -> HybridTreeRequests.put(request);
            case "hybridRemove" -> HybridTreeRequests.remove(request);
            case "hybridGet" -> HybridTreeRequests.get(request);
            case "hybridScan" -> HybridTreeRequests.scan(request);
            case "hybridChangeCount" -> HybridTreeRequests.changeCount(request);
            case "hybridSnapshot" -> HybridTreeRequests.snapshot(request);

            case "runView" -> RunRequests.view(request);
            case "runKind" -> RunRequests.kind(request);
            case "runLengths" -> RunRequests.lengths(request);
            case "runCounts" -> RunRequests.counts(request);
            case "runJsonl" -> RunRequests.toJsonl(request);
            case "runOrder" -> RunRequests.order(request);

            case "tableWriter" -> WriterRequests.table(request);
            case "appendRows" -> WriterRequests.appendRows(request);
            case "packWriter" -> WriterRequests.pack(request);
            case "appendRecords" -> WriterRequests.appendRecords(request);
            case "finish" -> WriterRequests.finish(request);

            default -> GroupRequests.answer(request);
        };
    }

    /// Whether the runtime maps classes from a cache. It does not when it was started with a damaged one.
    private static boolean isSharing() {
        return System.getProperty("java.vm.info", "").contains("sharing");
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Decodes the images of all fields by one [ImageDecoder], which starts with the first image.
final class Decoding implements AutoCloseable {
    private record Broken(int field, long index) {}

    private final Map<Integer, Affected> affected = new HashMap<>();
    private final Map<Integer, String> examples = new HashMap<>();
    /// Images that do not decode. The thread of the decoder adds them.
    private final List<Broken> broken = new ArrayList<>();

    private ImageDecoder decoder;
    private String problem;
    private boolean isFinished;

    void register(int field, Affected records) {
        affected.put(field, records);
    }

    void add(int field, long index, MemorySegment image) {
        if (decoder == null && problem == null) {
            try {
                decoder = ImageDecoder.start(this::take);
            } catch (IOException e) {
                problem = "images are decoded by Python, but " + e.getMessage()
                        + "; install it and the package with `pip install penstock[images]`";
            }
        }
        if (decoder != null) {
            decoder.send(field, index, image);
        }
    }

    private synchronized void take(int field, long index, String error) {
        broken.add(new Broken(field, index));
        examples.putIfAbsent(field, "record " + index + ": " + error);
    }

    /// Waits for the decoder.
    ///
    /// @return why images were not decoded, or null
    String finish() throws IOException {
        if (!isFinished) {
            isFinished = true;
            problem = decoder == null ? problem : decoder.finish();
            for (Broken one : broken) {
                affected.get(one.field).add(one.index);
            }
        }
        return problem;
    }

    /// The first error of a field, or null.
    String example(int field) {
        return examples.get(field);
    }

    @Override
    public void close() throws IOException {
        if (decoder != null) {
            decoder.close();
        }
    }
}

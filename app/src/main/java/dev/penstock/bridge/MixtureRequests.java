// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.file.Json;
import dev.penstock.loader.MixtureSpec;
import dev.penstock.loader.MixtureText;
import dev.penstock.loader.Sampler;
import dev.penstock.plugin.MixtureFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Requests about mixtures in stages. Declarations are JSON in the words of [MixtureText].
final class MixtureRequests {
    private MixtureRequests() {}

    /// The declaration in a file of JSON or YAML, as JSON.
    static Object file(Request request) throws IOException {
        return Json.text(MixtureFile.read(Path.of(request.text("path"))));
    }

    private static MixtureSpec spec(Request request) {
        return MixtureText.parse((Map<?, ?>) Json.parse(request.text("spec").getBytes(StandardCharsets.UTF_8)));
    }

    /// The parts of a declaration: for each the number of its source, and the condition of a stage or null.
    static Object parts(Request request) {
        return spec(request).parts().stream()
                .map(part -> Arrays.asList((long) part.source(), part.where()))
                .toList();
    }

    /// The sampler of a declaration, from the samplers of its parts.
    static Sampler sampler(Request request) {
        MixtureSpec spec = spec(request);
        List<MixtureSpec.Part> parts = spec.parts();
        List<Sampler> samplers = Samplers.parts(request);
        if (samplers.size() != parts.size()) {
            throw new IllegalArgumentException(
                    "the mixture has " + parts.size() + " parts, but " + samplers.size() + " samplers were given");
        }
        return spec.sampler(parts, samplers);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Storage;
import dev.penstock.file.StorageProvider;
import java.util.Set;

/// Adds the schemes `http` and `https`.
public final class HttpStorageProvider implements StorageProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("http", "https");
    }

    @Override
    public Storage create(String scheme) {
        return new HttpStorage(new PlainServer(), HttpCalls.Options.DEFAULT);
    }
}

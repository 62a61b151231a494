// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.Storage;
import dev.penstock.file.StorageProvider;
import dev.penstock.file.http.HttpCalls;
import dev.penstock.file.http.HttpStorage;
import java.util.Set;

/// Adds the scheme `s3`: `s3://BUCKET/KEY`.
public final class S3StorageProvider implements StorageProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("s3");
    }

    @Override
    public Storage create(String scheme) {
        return new HttpStorage(S3Server.of(S3Settings.find(System.getenv())), HttpCalls.Options.DEFAULT);
    }
}

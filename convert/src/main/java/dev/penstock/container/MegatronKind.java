// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

/// Tokens of Megatron: `NAME.bin` with the index `NAME.idx` beside it. Either of them, or the name without an
/// extension, opens both.
public final class MegatronKind implements SourceKind {
    private static final String INDEX = ".idx";
    private static final String TOKENS = ".bin";

    @Override
    public boolean isSkipping() {
        return true;
    }

    @Override
    public String description() {
        return "a Megatron dataset of tokens";
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        if (candidate.kind() == Candidate.Kind.FOLDER
                || candidate.location().parent() == null && !candidate.isOnDisk()) {
            return false;
        }
        Location index = index(candidate.location());
        if (index.equals(candidate.location())) {
            return MegatronIndex.isIndex(candidate.head());
        }
        boolean isNamed = candidate.location().name().endsWith(TOKENS) || candidate.kind() == Candidate.Kind.ABSENT;
        Storage storage = candidate.storage();
        return isNamed
                && storage.exists(index)
                && !storage.isFolder(index)
                && MegatronIndex.isIndex(
                        Candidate.at(index, candidate.options()).head());
    }

    private static Location index(Location location) {
        return sibling(location, INDEX);
    }

    /// The file with another extension.
    private static Location sibling(Location location, String extension) {
        String name = location.name();
        boolean isFile = name.endsWith(INDEX) || name.endsWith(TOKENS);
        String other = (isFile ? name.substring(0, name.length() - INDEX.length()) : name) + extension;
        return location.isLocal()
                ? Location.of(location.path().resolveSibling(other))
                : location.parent().resolve(other);
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        ReaderOptions reading = options.catalog().reading();
        Location tokens = sibling(location, TOKENS);
        if (!options.catalog().reading().storageOf(tokens).exists(tokens)) {
            throw new NoSuchFileException(tokens.toString(), null, "this is where the tokens of " + location + " are");
        }
        return MegatronRecords.open(SourceFile.of(index(location), reading), SourceFile.of(tokens, reading), options);
    }
}

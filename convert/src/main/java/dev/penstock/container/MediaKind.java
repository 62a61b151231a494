// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.catalog.Candidate;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceKind;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/// Folders of images, sounds or texts: a record for each file, with the class that its folder names.
public final class MediaKind implements SourceKind {
    /// What the files of a folder are.
    enum Medium {
        IMAGE(".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".avif"),
        AUDIO(".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a"),
        TEXT(".txt", ".text");

        private final List<String> endings;

        Medium(String... endings) {
            this.endings = List.of(endings);
        }

        boolean has(String name) {
            String lower = name.toLowerCase(Locale.ROOT);
            return endings.stream().anyMatch(lower::endsWith);
        }
    }

    @Override
    public boolean isSkipping() {
        return true;
    }

    @Override
    public String description() {
        return "a folder of images, sounds or texts";
    }

    @Override
    public boolean isByName() {
        return true;
    }

    @Override
    public boolean isFolderOfFiles() {
        return true;
    }

    @Override
    public boolean recognises(Candidate candidate) throws IOException {
        return candidate.kind() == Candidate.Kind.FOLDER
                && MediaFolder.medium(candidate.location(), candidate.storage()) != null;
    }

    @Override
    public RecordSource open(Location location, SourceOptions options) throws IOException {
        return MediaRecords.open(location, options);
    }
}

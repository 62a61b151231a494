// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.memory.NewFile;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The files of a folder that go into a pack, in the order in which they do.
///
/// The order is that of the original: by the parts of the path, each compared byte by byte, so that `a/z` comes
/// before `a-b`. Visiting each folder in the order of its names gives just that. Links are not followed and not
/// packed, except that the folder itself may be one.
public final class PackFolder {
    private static final String RUN_EXTENSION = ".a2run2";
    private static final String OLD_RUN_EXTENSION = ".a2run";

    private final Path root;
    private final boolean isEveryFile;
    private final Path target;
    private final List<Path> files = new ArrayList<>();
    /// The extension of runs: that of version 1 where there is none of version 2.
    private String extension = RUN_EXTENSION;

    private boolean hasNames;
    private long nameBytes;

    private PackFolder(Path root, boolean isEveryFile, Path target) {
        this.root = root;
        this.isEveryFile = isEveryFile;
        this.target = target;
    }

    /// Lists a folder.
    ///
    /// @param target the pack to be written, which is left out should it lie in the folder
    static PackFolder list(Path root, boolean isEveryFile, Path target) throws IOException {
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root + ": input must be a directory");
        }
        PackFolder folder = visited(root, isEveryFile, target);
        if (folder.files.isEmpty()) {
            throw new IllegalArgumentException(
                    isEveryFile
                            ? "no files found in " + root
                            : "no .a2run2 files found in " + root + "; --all-files packs every file");
        }
        folder.measureNames();
        return folder;
    }

    private static PackFolder visited(Path root, boolean isEveryFile, Path target) throws IOException {
        PackFolder folder = new PackFolder(root, isEveryFile, target);
        folder.visit(root);
        if (folder.files.isEmpty() && !isEveryFile) {
            folder.extension = OLD_RUN_EXTENSION;
            folder.visit(root);
        }
        return folder;
    }

    /// Lists the run files of a folder and its folders: `*.a2run2`, or `*.a2run` where there is none.
    ///
    /// @throws IllegalArgumentException when there are no runs
    /// @throws NotDirectoryException    when it is no folder
    public static List<Path> runs(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root + ": input must be a directory");
        }
        List<Path> files = visited(root, false, root).files;
        if (files.isEmpty()) {
            throw new IllegalArgumentException("no .a2run2 files found in " + root);
        }
        return files;
    }

    private void visit(Path folder) throws IOException {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
            stream.forEach(children::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        Collections.sort(children);
        for (Path child : children) {
            if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
                visit(child);
            } else if (isWanted(child)) {
                files.add(child);
            }
        }
    }

    private boolean isWanted(Path file) throws IOException {
        return (isEveryFile || isRun(file))
                && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && !NewFile.isTemporary(file)
                && !(Files.exists(target) && Files.isSameFile(file, target));
    }

    private void measureNames() throws IOException {
        hasNames = files.stream().anyMatch(file -> !isRun(file));
        if (hasNames) {
            for (Path file : files) {
                nameBytes += name(file).getBytes(StandardCharsets.UTF_8).length;
            }
        }
    }

    /// The files, in order.
    List<Path> files() {
        return files;
    }

    /// Whether a file is a run of the game 2048, going by its name as the original does. A name that is nothing
    /// but the extension has none.
    boolean isRun(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(extension) && name.length() > extension.length();
    }

    /// Whether the pack keeps names: it does as soon as one file is no run, and packs of runs stay as the
    /// original writes them.
    boolean hasNames() {
        return hasNames;
    }

    /// Bytes of all names, or 0 when they are not kept.
    long nameBytes() {
        return nameBytes;
    }

    /// The path of a file inside the folder, with `/` between its parts. Read from the bytes of the name,
    /// because the text that Java gives depends on the locale.
    ///
    /// @throws IOException when the name is not UTF-8
    String name(Path file) throws IOException {
        String text = root.relativize(file).toString();
        if (text.chars().allMatch(c -> c < 128 && c != '?')) {
            return text;
        }
        byte[] path =
                URLDecoder.decode(rawPath(file), StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(path))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IOException(file + ": the name is not UTF-8 text; rename the file to pack it", e);
        }
    }

    private String rawPath(Path file) {
        String rawRoot = root.toUri().getRawPath();
        return file.toUri().getRawPath().substring(rawRoot.length()).replace("+", "%2B");
    }
}

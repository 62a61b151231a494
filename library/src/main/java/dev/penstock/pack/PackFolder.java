// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.file.NewFile;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The files of a folder to be packed, in the order of the pack.
///
/// The order is that of the original program: paths are compared part by part, each part byte by byte, so `a/z`
/// comes before `a-b`. Visiting each folder in the order of its names gives this order. Links are neither followed
/// nor packed, except that the folder itself may be a link.
public final class PackFolder {
    private static final String RUN_EXTENSION = ".a2run2";
    private static final String OLD_RUN_EXTENSION = ".a2run";

    private final Path root;
    private final boolean isEveryFile;
    private final Path target;
    /// Whether the target exists, and its file key.
    private final boolean isReplacing;

    private final Object targetKey;
    private final List<Path> files = new ArrayList<>();
    /// The extension of runs: that of version 1 if there are none of version 2.
    private String extension = RUN_EXTENSION;

    private boolean hasNames;
    private long nameBytes;

    private PackFolder(Path root, boolean isEveryFile, Path target) throws IOException {
        this.root = root;
        this.isEveryFile = isEveryFile;
        this.target = target;
        this.isReplacing = Files.exists(target);
        this.targetKey = isReplacing
                ? Files.readAttributes(target, BasicFileAttributes.class).fileKey()
                : null;
    }

    /// Lists a folder.
    ///
    /// @param target the pack to be written, which is left out if it lies in the folder
    static PackFolder list(Path root, boolean isEveryFile, Path target) throws IOException {
        requireFolder(root);
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

    private static void requireFolder(Path root) throws IOException {
        if (!Files.exists(root)) {
            throw new NoSuchFileException(root.toString());
        }
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root.toString());
        }
    }

    /// Lists the run files of a folder and its subfolders: `*.a2run2`, or `*.a2run` if there are none.
    ///
    /// @throws IllegalArgumentException when there are no runs
    /// @throws NotDirectoryException    when the path is not a folder
    public static List<Path> runs(Path root) throws IOException {
        requireFolder(root);
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
            BasicFileAttributes attributes = attributes(child);
            if (attributes.isDirectory()) {
                visit(child);
            } else if (isWanted(child, attributes)) {
                files.add(child);
            }
        }
    }

    private static BasicFileAttributes attributes(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private boolean isWanted(Path file, BasicFileAttributes attributes) throws IOException {
        return (isEveryFile || isRun(file))
                && attributes.isRegularFile()
                && !NewFile.isTemporary(file)
                && !isTarget(file, attributes);
    }

    /// On systems without file keys the file system is asked for each file.
    private boolean isTarget(Path file, BasicFileAttributes attributes) throws IOException {
        return isReplacing
                && (targetKey == null ? Files.isSameFile(file, target) : targetKey.equals(attributes.fileKey()));
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

    /// Whether a file is a run of the game 2048, decided by its name as in the original program. A name that
    /// consists of the extension only does not count.
    boolean isRun(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(extension) && name.length() > extension.length();
    }

    /// Whether the pack stores names. It does if at least one file is not a run; packs of runs only stay as the
    /// original program writes them.
    boolean hasNames() {
        return hasNames;
    }

    /// The size of all names in bytes, or 0 when names are not stored.
    long nameBytes() {
        return nameBytes;
    }

    /// The path of a file relative to the folder, with `/` as the separator. It is read from the bytes of the
    /// name, because the text that Java returns depends on the locale.
    ///
    /// @throws IOException when the name is not UTF-8
    String name(Path file) throws IOException {
        String text = root.relativize(file).toString();
        if (isPlain(text)) {
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

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 128 || text.charAt(i) == '?') {
                return false;
            }
        }
        return true;
    }

    private String rawPath(Path file) {
        String rawRoot = root.toUri().getRawPath();
        return file.toUri().getRawPath().substring(rawRoot.length()).replace("+", "%2B");
    }
}

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The files of a folder to be packed, in the order of the pack.
///
/// The order is that of the original program: paths are compared part by part, each part byte by byte, so `a/z`
/// comes before `a-b`. Visiting each folder in the order of its names gives this order. Links are neither followed
/// nor packed, except that the folder itself may be a link.
public final class PackFolder {
    private final Path root;
    private final boolean isEveryFile;
    private final Path target;
    /// Whether the target exists, and its file key.
    private final boolean isReplacing;

    private final Object targetKey;
    private final List<Path> files = new ArrayList<>();
    /// The extension of each family. It is a later one of the family if no file has an earlier one.
    private final Map<RecordFamily, String> extensions = new LinkedHashMap<>();

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
                            : "no " + wanted() + "files found in " + root + "; ask for all files to pack every file");
        }
        folder.measureNames();
        return folder;
    }

    /// The number of files of a folder that belong to a [RecordFamily], and of others.
    public record Contents(long known, long others) {}

    /// Counts the files of a folder.
    ///
    /// @param target the pack to be written, which is not counted if it lies in the folder
    /// @throws NotDirectoryException when the path is not a folder
    public static Contents contents(Path root, Path target) throws IOException {
        requireFolder(root);
        long known = visited(root, false, target).files.size();
        return new Contents(known, visited(root, true, target).files.size() - known);
    }

    /// The preferred extensions, each with a space behind it.
    private static String wanted() {
        return RecordFamily.all().stream()
                .map(family -> family.extensions().getFirst() + " ")
                .collect(Collectors.joining());
    }

    private static PackFolder visited(Path root, boolean isEveryFile, Path target) throws IOException {
        PackFolder folder = new PackFolder(root, isEveryFile, target);
        folder.visit(root);
        RecordFamily.all().forEach(family -> folder.extensions.put(family, folder.extension(family)));
        if (!isEveryFile) {
            folder.files.removeIf(file -> folder.family(file) == null);
        }
        return folder;
    }

    private String extension(RecordFamily family) {
        List<String> all = family.extensions();
        return isEveryFile
                ? all.getFirst()
                : all.stream()
                        .filter(extension -> files.stream().anyMatch(file -> hasExtension(file, extension)))
                        .findFirst()
                        .orElse(all.getFirst());
    }

    private static void requireFolder(Path root) throws IOException {
        if (!Files.exists(root)) {
            throw new NoSuchFileException(root.toString());
        }
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root.toString());
        }
    }

    /// Lists the files of one family in a folder and its subfolders, in order. They have its first extension, or
    /// a later one if no file has the first.
    ///
    /// @throws IllegalArgumentException when there are none
    /// @throws NotDirectoryException    when the path is not a folder
    public static List<Path> files(Path root, RecordFamily family) throws IOException {
        requireFolder(root);
        PackFolder folder = visited(root, false, root);
        folder.files.removeIf(file -> !family.equals(folder.family(file)));
        if (folder.files.isEmpty()) {
            throw new IllegalArgumentException("no " + family.extensions().getFirst() + " files found in " + root);
        }
        return folder.files;
    }

    /// Says how many files of a family are left out of a folder, because others have an earlier extension of the
    /// family.
    ///
    /// @return empty when no file is left out
    public static Optional<String> leftOut(Path root, RecordFamily family) throws IOException {
        if (!Files.isDirectory(root)) {
            return Optional.empty();
        }
        PackFolder folder = new PackFolder(root, false, root);
        folder.visit(root);
        String chosen = folder.extension(family);
        List<String> others = new ArrayList<>();
        for (String extension : family.extensions()) {
            long count = folder.files.stream()
                    .filter(file -> !extension.equals(chosen) && hasExtension(file, extension))
                    .count();
            if (count > 0) {
                others.add(count + " *" + extension + (count == 1 ? " file" : " files"));
            }
        }
        return others.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join(" and ", others) + " left out, because the folder also has *" + chosen
                        + " files; put them into a folder of their own to use them");
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
        return (isEveryFile || hasAnyExtension(file))
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
        hasNames = files.stream().anyMatch(file -> family(file) == null);
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

    /// The family of a file, decided by its name as in the original program, or null when the file is any bytes.
    RecordFamily family(Path file) {
        for (Map.Entry<RecordFamily, String> entry : extensions.entrySet()) {
            if (hasExtension(file, entry.getValue())) {
                return entry.getKey();
            }
        }
        return null;
    }

    private static boolean hasAnyExtension(Path file) {
        return RecordFamily.all().stream()
                .flatMap(family -> family.extensions().stream())
                .anyMatch(extension -> hasExtension(file, extension));
    }

    /// A name that consists of the extension only does not count.
    private static boolean hasExtension(Path file, String extension) {
        String name = file.getFileName().toString();
        return name.endsWith(extension) && name.length() > extension.length();
    }

    /// Whether the pack stores names. It does if at least one file is of no family; packs of runs only stay as the
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

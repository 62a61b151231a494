// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.Io;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/// The users who may read and write a file or folder: its mode, owner and group. A file that replaces another one
/// gets them, so that a private file stays private.
///
/// Only the superuser can give a file to another owner. The group can be kept by its members.
record AccessRights(boolean isFolder, Set<PosixFilePermission> mode, UserPrincipal owner, GroupPrincipal group) {
    /// The mode of a new file that only its owner can read.
    static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Map<PosixFilePermission, PosixFilePermission> EXECUTE = Map.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE);

    /// The rights of a file or folder, or null when it is absent, is neither, or the system has no modes.
    static AccessRights of(Path path) throws IOException {
        PosixFileAttributeView view = view(path);
        if (view == null) {
            return null;
        }
        try {
            PosixFileAttributes found = view.readAttributes();
            boolean isPlain = found.isRegularFile() || found.isDirectory();
            return isPlain
                    ? new AccessRights(found.isDirectory(), found.permissions(), found.owner(), found.group())
                    : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static PosixFileAttributeView view(Path path) {
        return Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    /// Gives a file or folder these rights; anything else stays as it is. The mode comes last, because changing
    /// the owner may change it.
    void giveTo(Path path) throws IOException {
        AccessRights present = of(path);
        if (present == null) {
            return;
        }
        PosixFileAttributeView view = view(path);
        if (!owner.equals(present.owner)) {
            attempt(() -> view.setOwner(owner));
        }
        boolean isGroupKept = group.equals(present.group) || attempt(() -> view.setGroup(group));
        Set<PosixFilePermission> wanted = isGroupKept ? mode : withoutGroup();
        // A link cannot take the place of the file meanwhile unless somebody else can write to the folder anyway.
        attempt(() -> Files.setPosixFilePermissions(path, isFolder == present.isFolder ? wanted : other(wanted)));
    }

    /// The mode for a folder in the place of a file, which is searched where the file is read, or for a file in
    /// the place of a folder.
    private Set<PosixFilePermission> other(Set<PosixFilePermission> wanted) {
        Set<PosixFilePermission> all = EnumSet.noneOf(PosixFilePermission.class);
        all.addAll(wanted);
        all.removeAll(EXECUTE.values());
        EXECUTE.forEach((read, execute) -> {
            if (!isFolder && wanted.contains(read)) {
                all.add(execute);
            }
        });
        return all;
    }

    /// The same without the rights of everybody but the owner.
    AccessRights ofOwner() {
        Set<PosixFilePermission> rest = EnumSet.of(
                PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);
        rest.retainAll(mode);
        return new AccessRights(isFolder, rest, owner, group);
    }

    private static boolean attempt(Io.Action step) {
        try {
            step.run();
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /// The mode for a file of another group: its members may do what everybody may.
    private Set<PosixFilePermission> withoutGroup() {
        Set<PosixFilePermission> rest = EnumSet.noneOf(PosixFilePermission.class);
        rest.addAll(mode);
        keepIf(rest, PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
        keepIf(rest, PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
        keepIf(rest, PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_EXECUTE);
        return rest;
    }

    private static void keepIf(Set<PosixFilePermission> mode, PosixFilePermission one, PosixFilePermission other) {
        if (!mode.contains(other)) {
            mode.remove(one);
        }
    }

    /// Makes a file writable that has the mode of a read-only file, so that it can be locked.
    static void letOwnerWrite(Path file) throws IOException {
        AccessRights rights = of(file);
        if (rights != null && !rights.mode.contains(PosixFilePermission.OWNER_WRITE)) {
            attempt(() -> Files.setPosixFilePermissions(file, PRIVATE.value()));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Changes the fields of a store. Each change is atomic, also after a crash. Open readers keep the fields they
/// have until they open the store again.
///
/// **Threads.** One thread at a time, among all processes: a change needs the lock of the writer.
public final class StoreSchema {
    private static final int PIECE_SLOTS = 1 << 16;

    private StoreSchema() {}

    /// Adds a field after the others. Its value is missing in existing records.
    ///
    /// @throws IllegalArgumentException          when a field of that name exists
    /// @throws java.nio.file.FileSystemException when another writer has the store open
    public static void addField(Path store, StoreField field, StoreOptions options) throws IOException {
        StoreField.requireValid(List.of(field));
        alter(store, options, fields -> fields.add(field), (files, fields) -> {
            createTable(options.disk(), StoreFormat.table(store, field.name()), files);
            files.checkpoint().changeFields(fields);
        });
    }

    /// Drops a field. Its values become garbage, whose space a rebalance frees.
    ///
    /// @throws IllegalArgumentException          when the field does not exist, or is the only one
    /// @throws java.nio.file.FileSystemException when another writer has the store open
    public static void dropField(Path store, String name, StoreOptions options) throws IOException {
        alter(store, options, fields -> fields.remove(StoreField.position(fields, name)), (files, fields) -> {
            files.checkpoint().changeFields(fields);
            options.disk().delete(StoreFormat.table(store, name));
        });
    }

    /// Changes the compression of a field by rewriting all its values. The old values become garbage, whose space
    /// a rebalance frees.
    ///
    /// @param progress receives the number of records
    /// @throws IllegalArgumentException          when the field does not exist
    /// @throws java.nio.file.FileSystemException when another writer has the store open
    public static void compress(
            Path store, String name, StoreCompression compression, StoreOptions options, Progress progress)
            throws IOException {
        alter(
                store,
                options,
                fields -> {
                    int position = StoreField.position(fields, name);
                    fields.set(position, fields.get(position).withCompression(compression));
                },
                (files, fields) -> {
                    int position = StoreField.position(fields, name);
                    recode(store, options, files, fields, position, progress);
                });
    }

    /// Changes a list of fields.
    @FunctionalInterface
    private interface FieldsEdit {
        void of(List<StoreField> fields);
    }

    /// Publishes the changed fields.
    @FunctionalInterface
    private interface FieldsPublication {
        void run(StoreFiles files, List<StoreField> fields) throws IOException;
    }

    /// Publishes the last commit, changes the fields and closes, because a writer knows only the old fields.
    private static void alter(Path store, StoreOptions options, FieldsEdit edit, FieldsPublication publication)
            throws IOException {
        StoreWriter writer = StoreWriter.open(store, options);
        try {
            List<StoreField> fields = new ArrayList<>(writer.fields());
            edit.of(fields);
            StoreMeta.requireFields(fields);
            writer.checkpoint();
            writer.core().whenIdle((files, _) -> {
                publication.run(files, fields);
                return null;
            });
        } catch (Throwable e) {
            Closing.after(e, writer::abort);
            throw e;
        }
        writer.abort();
    }

    /// Creates a table with a slot for every slot of the others: missing values, and tombstones of deleted
    /// records.
    private static void createTable(Disk disk, Path path, StoreFiles files) throws IOException {
        StoreCells cells = files.state().cells();
        long slots = Math.max(1, files.checkpoint().meta().checkpoint().slots());
        try (NewFile table = NewFile.createLike(disk, path, path.resolveSibling(StoreFormat.META), true)) {
            for (long start = 0; start < slots; start += PIECE_SLOTS) {
                int count = (int) Math.min(PIECE_SLOTS, slots - start);
                MemorySegment piece = MemorySegment.ofArray(new byte[(int) (count * StoreFormat.ENTRY_SIZE)]);
                for (int i = 0; i < count; i++) {
                    boolean isDeleted = start + i < cells.length()
                            && cells.get(0, start + i).isDeleted();
                    if (isDeleted) {
                        StoreEntry.DELETED.write(piece, i * StoreFormat.ENTRY_SIZE);
                    }
                }
                table.write(piece, start * StoreFormat.ENTRY_SIZE);
            }
            files.failStop().orStop(table::publish);
        }
    }

    private static void recode(
            Path store,
            StoreOptions options,
            StoreFiles files,
            List<StoreField> fields,
            int position,
            Progress progress)
            throws IOException {
        StoreState state = files.state();
        StoreField before = state.meta().fields().get(position);
        StoreCompression compression = fields.get(position).compression();
        StoreCells cells = state.cells();
        StoreEntry[] copies = new StoreEntry[Math.toIntExact(cells.length())];
        long fromChunk = files.chunks().idCount();
        ChunkCopier copier = new ChunkCopier(options, store, state.meta(), files.chunks()::takeId, files.failStop());
        try (copier;
                ValuePacker packer = new ValuePacker()) {
            for (int slot = 0; slot < copies.length; slot++) {
                StoreEntry entry = cells.get(position, slot);
                if (entry.hasBytes()) {
                    copier.beginRow();
                    byte[] value = state.values().checkedValue(before, entry);
                    copies[slot] = copier.place(packer.packWithPrefix(compression, MemorySegment.ofArray(value)));
                }
                progress.at(slot + 1, copies.length);
            }
            copier.force();
        } catch (IOException | RuntimeException e) {
            if (!files.isStopped()) {
                Closing.after(e, copier::removeUncommitted);
            }
            throw e;
        }
        List<StoreField> mixed = new ArrayList<>(fields);
        mixed.set(
                position,
                before.withRecoded(new StoreField.Recoded(
                        compression, fromChunk, files.chunks().idCount())));
        files.checkpoint().changeFields(mixed);
        for (int slot = 0; slot < copies.length; slot++) {
            if (copies[slot] != null) {
                cells.put(position, slot, copies[slot]);
            }
        }
        files.checkpoint().publishFields(files.sequence(), fields);
    }
}

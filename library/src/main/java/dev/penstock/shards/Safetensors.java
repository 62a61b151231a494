// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Reads tensors of `.safetensors` files as rows: one named tensor, or all floating-point tensors in the order of
/// their names.
///
/// A tensor of one dimension is one row. For any other tensor the last dimension is the width.
public final class Safetensors {
    /// The name of the tensor in files that are written here.
    public static final String TENSOR = "activations";

    private Safetensors() {}

    /// Opens the tensors of a file.
    ///
    /// @param name the name of a tensor, or null for all floating-point tensors
    /// @throws DatasetException         when the header is damaged, or there is no floating-point tensor
    /// @throws IllegalArgumentException when there is no such tensor
    public static List<FileRows> open(Location path, String name, ReaderOptions options) throws IOException {
        List<FileRows> inputs = new ArrayList<>();
        try {
            for (SafetensorsHeader.Tensor tensor : choose(path, name, options)) {
                inputs.add(rows(path, tensor, options));
            }
            return List.copyOf(inputs);
        } catch (Throwable e) {
            for (FileRows input : inputs) {
                input.close();
            }
            throw e;
        }
    }

    private static List<SafetensorsHeader.Tensor> choose(Location path, String name, ReaderOptions options)
            throws IOException {
        SafetensorsHeader header = header(path, options);
        List<String> names =
                header.tensors().stream().map(SafetensorsHeader.Tensor::name).toList();
        List<SafetensorsHeader.Tensor> chosen = header.tensors().stream()
                .filter(tensor ->
                        name == null ? tensor.type() != null : tensor.name().equals(name))
                .toList();
        if (chosen.isEmpty() && name != null) {
            throw new IllegalArgumentException(path + " has no tensor " + name + "; its tensors are " + names);
        }
        if (chosen.isEmpty()) {
            throw unsupported(path, "there is no tensor of type F16, BF16, F32 or F64 among " + names);
        }
        return chosen;
    }

    private static SafetensorsHeader header(Location path, ReaderOptions options) throws IOException {
        try (OpenFile file = OpenFile.open(path, options)) {
            return SafetensorsHeader.read(file);
        }
    }

    private static FileRows rows(Location path, SafetensorsHeader.Tensor tensor, ReaderOptions options)
            throws IOException {
        List<Long> shape = tensor.shape();
        if (tensor.type() == null || shape.isEmpty() || shape.getLast() == 0) {
            throw unsupported(
                    path,
                    "tensor " + tensor.name() + " of type " + tensor.dtype() + " and shape " + shape
                            + " cannot be read as rows of floating-point numbers");
        }
        long dataOffset = header(path, options).dataOffset();
        long rowBytes = shape.getLast() * tensor.type().size();
        return new FileRows(
                path + "/" + tensor.name(),
                OpenFile.open(path, options),
                dataOffset + tensor.start(),
                shape.getLast(),
                tensor.type(),
                (tensor.limit() - tensor.start()) / rowBytes);
    }

    private static DatasetException unsupported(Location path, String what) {
        return new DatasetException.Corrupt(path, 0, Reason.UNSUPPORTED_TYPE, what);
    }

    /// Writes all rows of a corpus as one tensor.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when the file exists and may not be replaced
    public static void write(ShardReader shards, Path path, boolean isReplacing) throws IOException {
        try (NewFile file = NewFile.createAt(shards.disk(), path, isReplacing)) {
            byte[] header = SafetensorsHeader.write(TENSOR, shards.type(), shards.count(), shards.width());
            ShardCopy.write(shards, shards.type(), header, file);
            file.publish();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import java.io.Serializable;

/// A dataset that is part of a larger one. It is small, so processes can send it to the one that commits the
/// parts.
///
/// @param name    the name of the file or folder in the folder of the dataset
/// @param records the number of records
/// @param bytes   the size of all its files
public record DatasetPart(String name, long records, long bytes) implements Serializable {}

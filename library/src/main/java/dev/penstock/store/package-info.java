// SPDX-License-Identifier: Apache-2.0
/// A mutable store of records with several named fields (zrecord): append, update, delete, commit.
///
/// Choose it for data that changes: commits are atomic and durable, one writer works beside any number of readers,
/// and records may lack fields. Start from [StoreWriter] to write and from [StoreReader] to read. [StoreFormat] is
/// the specification.
package dev.penstock.store;

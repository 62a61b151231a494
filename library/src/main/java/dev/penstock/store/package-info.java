// SPDX-License-Identifier: Apache-2.0
/// A mutable store of records with several named fields (zrecord): append, update, delete, commit.
///
/// Choose it for data that changes: commits are atomic and durable, one writer works beside any number of readers,
/// and records may lack fields. Start from [StoreWriter] to write and from [StoreReader] to read. [StoreFormat] is
/// the specification.
///
/// Inside, a record that is written goes from [StoreWriter] through `StoreCore`, which has the lock, the open
/// batch and the commit, to `ChunkWriters` with its values, and to `StoreFiles` and the journal with its commit.
/// `StoreCheckpoint` replaces journals, tables and `meta.json`. `StoreState` loads a store and replays its
/// journal, and `StoreRecovery` prepares it for a writer. `StoreCells` says where each value is, and `StoreValues`
/// reads it.
package dev.penstock.store;

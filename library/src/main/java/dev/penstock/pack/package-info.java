// SPDX-License-Identifier: Apache-2.0
/// A pack is one immutable file of byte records of any size, which are read by index (A2PACK).
///
/// Choose it for many small files that are written once: images, documents, recordings. [PackFormat] is the
/// specification. Start from [PackReader] to read, and from [PackBuilder] (a folder) or [PackWriter] (records) to
/// write.
package dev.penstock.pack;

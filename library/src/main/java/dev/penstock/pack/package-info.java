// SPDX-License-Identifier: Apache-2.0
/// A pack: one immutable file of byte records of any size, found by index (A2PACK).
///
/// Choose it for many small files that are written once: runs of a game, images, documents. [PackFormat] is the
/// specification; start reading from [PackReader], and writing from [PackBuilder] (a folder) or [PackWriter]
/// (records).
package dev.penstock.pack;

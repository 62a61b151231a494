// SPDX-License-Identifier: Apache-2.0
/// A tree: one immutable file that maps byte paths to unsigned 64-bit values, in the order of the paths
/// (ACTree03).
///
/// Choose it for keys: words, file names, terms, that many processes look up without loading anything, with the
/// value a number or the index of a record in a pack or a table. [TreeFormat] is the specification; start reading
/// from [TreeReader] and writing from [TreeWriter]; [HybridTree] is a tree that takes changes.
package dev.penstock.tree;

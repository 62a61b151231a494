// SPDX-License-Identifier: Apache-2.0
/// A tree: one immutable file that maps byte paths to unsigned 64-bit values, in the order of the paths
/// (ACTree03).
///
/// Choose it for keys such as words, file names and terms that many processes look up without loading anything.
/// The value is a number, or the index of a record in a pack or a table. [TreeFormat] is the specification. Start
/// from [TreeReader] to read and from [TreeWriter] to write; [HybridTree] is a tree that can be changed.
package dev.penstock.tree;

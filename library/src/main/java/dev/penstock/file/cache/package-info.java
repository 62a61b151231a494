// SPDX-License-Identifier: Apache-2.0
/// A cache of remote objects on the local disk, shared by the processes of a machine.
///
/// Start at [dev.penstock.file.cache.BlockCache]; [dev.penstock.file.cache.BlockFile] is the layout of a file.
package dev.penstock.file.cache;

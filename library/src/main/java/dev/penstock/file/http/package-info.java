// SPDX-License-Identifier: Apache-2.0
/// Reads files from web servers: the storage for the schemes `http` and `https`.
///
/// Start at [dev.penstock.file.http.HttpStorage].
package dev.penstock.file.http;

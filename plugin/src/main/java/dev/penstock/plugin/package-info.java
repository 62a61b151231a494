// SPDX-License-Identifier: Apache-2.0
/// What a plug-in of the command line and of the Python package implements. Start with
/// [dev.penstock.plugin.CommandPlugin], which adds commands; [dev.penstock.plugin.VerbPlugin] answers requests of
/// Python. Formats are added with [dev.penstock.catalog.Format], kinds of records with
/// [dev.penstock.pack.RecordFamily].
package dev.penstock.plugin;

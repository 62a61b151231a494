// SPDX-License-Identifier: Apache-2.0
/// Tables whose rows come in groups: the steps of a game, the tokens of a document, the frames of an episode.
///
/// Start from [GroupedTable]. [GroupFormat] describes the files, [Groups] has the groups with their attributes,
/// and [GroupDatabase] reads and writes the SQLite file that stores them.
package dev.penstock.groups;

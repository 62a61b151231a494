// SPDX-License-Identifier: Apache-2.0
/// The command `table group`, and the verbs of Python for groups. Start with
/// [dev.penstock.groups.plugin.GroupCommands] and [dev.penstock.groups.plugin.GroupVerbs].
package dev.penstock.groups.plugin;

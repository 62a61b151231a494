// SPDX-License-Identifier: Apache-2.0
/// The commands `runs` and `steps`, and the verbs of Python for them. Start with
/// [dev.penstock.game2048.plugin.GameCommands] and [dev.penstock.game2048.plugin.GameVerbs].
package dev.penstock.game2048.plugin;

// SPDX-License-Identifier: Apache-2.0
/// The command of the command line for stores of loaderx. Start with
/// [dev.penstock.loaderx.plugin.LoaderxCommands].
package dev.penstock.loaderx.plugin;

// SPDX-License-Identifier: Apache-2.0
/// The command `serve`: a web page on which a person looks at datasets. Start with
/// [dev.penstock.explorer.Explorer], the server; each page is a [dev.penstock.explorer.Page], whose JSON the
/// scripts under `page/` show.
package dev.penstock.explorer;

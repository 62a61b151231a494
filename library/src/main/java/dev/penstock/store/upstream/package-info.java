// SPDX-License-Identifier: Apache-2.0
/// Reads the stores that later releases of loaderx wrote, in order to import them.
///
/// Their layouts differ from the one that [dev.penstock.store.StoreFormat] describes, and nothing is ever written
/// in them. Start from [UpstreamStore]; [UpstreamFormat] is the specification.
package dev.penstock.store.upstream;

// SPDX-License-Identifier: Apache-2.0
/// Batches out of any dataset, in an order that is a function of seed, epoch and position.
///
/// Because any part of the order can be asked for without what comes before, a run resumes at the exact sample,
/// on as many workers as there are then. To start: [dev.penstock.loader.Loader], and for the orders there are
/// [dev.penstock.loader.Sampler].
package dev.penstock.loader;

// SPDX-License-Identifier: Apache-2.0
/// Batches of any dataset, in an order that is a function of seed, epoch and position.
///
/// Any part of the order can be computed without the part before it, so a run resumes at the exact sample, on any
/// number of ranks. To start: [dev.penstock.loader.Loader], and [dev.penstock.loader.Sampler] for the samplers.
package dev.penstock.loader;

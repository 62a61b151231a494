// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// A consumer's pass through an epoch, or through the rest of one.
///
/// @param pipeline  makes the batches
/// @param sampler   the sampler of the epoch
/// @param steps     the steps of the pass, of all ranks
/// @param count     the number of steps of this rank
/// @param firstStep the number of the first step of the pass in the pipeline
/// @param isLasting whether the pipeline continues with the next epochs, so that they do not begin with a wait
record LoaderPass(
        Pipeline pipeline, Sampler sampler, long epoch, Steps steps, long count, long firstStep, boolean isLasting) {
    /// The pass through the next epoch, by the same threads.
    LoaderPass following() {
        return new LoaderPass(pipeline, sampler, epoch + 1, steps, count, firstStep + count, true);
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Activation shards: floating-point rows of one width, in many files with one fixed order (GAMSAE01).
///
/// Choose it for activations for training sparse autoencoders and probes: terabytes of f32 or bf16 rows that are
/// read in order, or shuffled by block. Start from [dev.penstock.shards.ShardReader], which is a dataset, or from
/// [dev.penstock.shards.ShardSource], which streams the rows in order. [dev.penstock.shards.ShardFormat] is the
/// specification.
package dev.penstock.shards;

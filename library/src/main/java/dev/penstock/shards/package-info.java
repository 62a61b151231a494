// SPDX-License-Identifier: Apache-2.0
/// Activation shards: rows of floating-point numbers of one width, in many files with one fixed order (GAMSAE01).
///
/// Choose it for activations that sparse autoencoders and probes are trained on: terabytes of f32 or bf16 rows
/// that are read in order, or shuffled by block. Start from [dev.penstock.shards.ShardReader], which is a dataset,
/// or from [dev.penstock.shards.ShardSource], which streams the rows in order; [dev.penstock.shards.ShardFormat]
/// is the specification.
package dev.penstock.shards;

// SPDX-License-Identifier: Apache-2.0
/// Sources of conversions that other libraries write: tar and zip archives, TFRecord, MDS, LitData, Megatron tokens,
/// and folders of images, sounds and texts. They are found as services, and nothing names them.
package dev.penstock.container;

// SPDX-License-Identifier: Apache-2.0
/// Sources of conversions that other libraries write: tar and zip archives, TFRecord, MDS, LitData, Megatron
/// tokens, and folders of images, sounds and texts. They are found as services, and nothing names them.
///
/// Start from a kind, such as [TfKind], and its records ([TfRecords]). [ByteInput] reads and unpacks files, and
/// [Intake] collects records and leaves out bad ones.
package dev.penstock.container;

// SPDX-License-Identifier: Apache-2.0

/// Examines records before they are used for training: counts and explains values that are missing or not
/// finite, columns without information, copies of records, damaged texts and images, and records that training
/// and test data share.
///
/// Start with [dev.penstock.doctor.Doctor].
package dev.penstock.doctor;

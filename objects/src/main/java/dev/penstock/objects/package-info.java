// SPDX-License-Identifier: Apache-2.0
/// Datasets in object storage: S3, and storage that is compatible with it, behind [dev.penstock.file.Location].
///
/// The AWS SDK finds the credentials and signs the requests. The library sends them, so reads, retries and
/// versions are those of [dev.penstock.file.http.HttpStorage]. Start from [S3StorageProvider], which adds the
/// scheme `s3`.
package dev.penstock.objects;

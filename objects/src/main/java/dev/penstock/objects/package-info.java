// SPDX-License-Identifier: Apache-2.0
/// Datasets in object storage: S3, and storage that is compatible with it, behind [dev.penstock.file.Location].
///
/// [S3StorageProvider] adds the scheme `s3`. The AWS SDK finds the credentials and signs the requests, and the
/// library sends them, so reads, retries and versions are those of [dev.penstock.file.http.HttpStorage].
package dev.penstock.objects;

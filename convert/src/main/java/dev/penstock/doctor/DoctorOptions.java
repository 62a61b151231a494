// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Options of an examination.
///
/// @param checks      what to look for
/// @param fields      the fields to examine and to compare records by; empty for all
/// @param key         the field whose values must not repeat, or null for fields that are called like a key
/// @param sizeMax     larger values are oversized
/// @param folder      a folder for temporary files, which take about 30 bytes for each record
/// @param memoryBytes the memory for finding equal records
public record DoctorOptions(
        Set<Check> checks, List<String> fields, String key, long sizeMax, Path folder, long memoryBytes) {
    public static final DoctorOptions DEFAULT = new DoctorOptions(
            EnumSet.allOf(Check.class),
            List.of(),
            null,
            64L << 20,
            Path.of(System.getProperty("java.io.tmpdir")),
            128L << 20);

    public DoctorOptions {
        EnumSet<Check> copy = EnumSet.noneOf(Check.class);
        copy.addAll(checks);
        checks = Collections.unmodifiableSet(copy);
        fields = List.copyOf(fields);
        if (sizeMax < 1) {
            throw new IllegalArgumentException("the largest usual size must be at least 1, got " + sizeMax);
        }
    }

    public DoctorOptions withChecks(Set<Check> checks) {
        return new DoctorOptions(checks, fields, key, sizeMax, folder, memoryBytes);
    }

    public DoctorOptions withFields(List<String> fields) {
        return new DoctorOptions(checks, fields, key, sizeMax, folder, memoryBytes);
    }

    public DoctorOptions withKey(String key) {
        return new DoctorOptions(checks, fields, key, sizeMax, folder, memoryBytes);
    }

    public DoctorOptions withSizeMax(long sizeMax) {
        return new DoctorOptions(checks, fields, key, sizeMax, folder, memoryBytes);
    }

    public DoctorOptions withFolder(Path folder) {
        return new DoctorOptions(checks, fields, key, sizeMax, folder, memoryBytes);
    }

    public DoctorOptions withMemoryBytes(long memoryBytes) {
        return new DoctorOptions(checks, fields, key, sizeMax, folder, memoryBytes);
    }
}

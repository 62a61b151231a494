// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.memory.Layouts;
import dev.penstock.pack.PackIntake;
import dev.penstock.pack.PackKind;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Looks at the runs that are put into a pack: recognises their versions, refuses or leaves out bad ones, and
/// makes the statistics that the original writes behind the data.
///
/// A run is bad when the original could not read it. What only a strict reader refuses is packed and reported.
public final class RunIntake implements PackIntake {
    private final boolean isSkippingBad;
    private final List<Long> steps = new ArrayList<>();
    private final List<Finding> skipped = new ArrayList<>();
    private final List<Finding> deviating = new ArrayList<>();

    /// Something about one file.
    public record Finding(Path file, String reason, String what) {}

    /// @param isSkippingBad whether bad runs are left out; otherwise the first one refuses the pack
    public RunIntake(boolean isSkippingBad) {
        this.isSkippingBad = isSkippingBad;
    }

    @Override
    public boolean isSkipping() {
        return isSkippingBad;
    }

    @Override
    public long sizeMax() {
        return RunFormat.SIZE_MAX;
    }

    @Override
    public PackKind accept(Path file, MemorySegment content) {
        List<Deviation> deviations = new ArrayList<>();
        RunColumns columns = new RunColumns();
        try {
            byte[] bytes = content.toArray(Layouts.U8);
            RunDecoder.decode(bytes, bytes.length, Location.of(file), 0, columns, deviations);
        } catch (DatasetException e) {
            if (!isSkippingBad) {
                throw e;
            }
            synchronized (this) {
                skipped.add(new Finding(file, e.reason().toString(), e.what()));
            }
            return null;
        }
        synchronized (this) {
            steps.add(columns.meta.steps());
            for (Deviation deviation : deviations) {
                deviating.add(new Finding(file, deviation.reason().toString(), deviation.what()));
            }
        }
        return columns.version.kind();
    }

    @Override
    public synchronized byte[] statsBlock() {
        return RunLengths.of(steps.stream().mapToLong(Long::longValue).toArray())
                .encode();
    }

    /// Returns the files that were left out, and why.
    public synchronized List<Finding> skipped() {
        return sorted(skipped);
    }

    /// Returns what a strict reader would refuse.
    public synchronized List<Finding> deviating() {
        return sorted(deviating);
    }

    private static List<Finding> sorted(List<Finding> findings) {
        return findings.stream().sorted(Comparator.comparing(Finding::file)).toList();
    }
}

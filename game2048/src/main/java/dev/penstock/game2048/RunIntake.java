// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.pack.PackIntake;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.RecordFamily;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Examines the runs that are put into a pack: recognises their versions, rejects or skips invalid ones, and
/// computes the statistics block of the original program.
///
/// A run is invalid if the original program cannot read it. A run that only a strict reader rejects is packed and
/// reported.
public final class RunIntake implements PackIntake {
    private final boolean isSkippingBad;
    private final List<Long> steps = new ArrayList<>();
    private final List<Finding> skipped = new ArrayList<>();
    private final List<Finding> deviating = new ArrayList<>();

    /// @param isSkippingBad whether invalid runs are skipped; otherwise the first one stops the build
    public RunIntake(boolean isSkippingBad) {
        this.isSkippingBad = isSkippingBad;
    }

    @Override
    public RecordFamily family() {
        return new RunFamily();
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

    @Override
    public synchronized List<Finding> skipped() {
        return sorted(skipped);
    }

    @Override
    public synchronized List<Finding> deviating() {
        return sorted(deviating);
    }

    private static List<Finding> sorted(List<Finding> findings) {
        return findings.stream().sorted(Comparator.comparing(Finding::file)).toList();
    }
}

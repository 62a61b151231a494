// SPDX-License-Identifier: Apache-2.0
package dev.penstock.simulation;

/// Ends a simulated thread, because its process or its machine has crashed. Nothing that the thread does
/// afterwards has an effect on the disk.
public final class SimulatedCrash extends Error {
    SimulatedCrash() {
        super("simulated crash", null, false, false);
    }
}

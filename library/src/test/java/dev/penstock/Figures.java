// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// Prints the number of cases that a sweep has tried: the figures of RELIABILITY.md, which `./check` shows at its
/// end.
public final class Figures {
    private Figures() {}

    public static void print(String what, long count) {
        System.out.println("figure: " + what + ": " + String.format("%,d", count));
    }
}

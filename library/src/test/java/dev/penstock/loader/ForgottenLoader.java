// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// Begins to iterate, and leaves without closing anything.
final class ForgottenLoader {
    private ForgottenLoader() {}

    public static void main(String[] arguments) {
        Loader loader = Loader.open(
                Numbers.of(1_000_000),
                LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(4));
        System.out.println("first: " + Numbers.at(loader.iterator().next(), 0));
        Loader hanging = Loader.open(
                Numbers.slow(1000), LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(2));
        hanging.iterator();
        // And now the loader stays where it is.
    }
}

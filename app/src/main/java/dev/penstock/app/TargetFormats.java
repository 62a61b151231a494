// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.convert.Targets;
import java.util.Iterator;

/// The formats that records can be converted to, for help and completion.
final class TargetFormats implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Targets.names().iterator();
    }
}

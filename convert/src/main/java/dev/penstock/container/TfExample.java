// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.Reason;
import java.util.Map;
import java.util.TreeMap;

/// Parses a `tf.Example`, or a `tf.SequenceExample`.
///
/// ## Layout
///
/// Field 1 is `Features`, of an example or of the context of a sequence; field 2 is `FeatureLists` and occurs in
/// sequences only. Both are maps in their field 1, whose entries have the name in field 1 and the feature, or the
/// list of features, in field 2. If a name occurs twice, the last one counts.
final class TfExample {
    private TfExample() {}

    /// The features by name. Lists of a sequence have names of their own, unless a context feature has the same.
    static Map<String, TfFeature> parse(byte[] record) throws BadMember {
        Map<String, TfFeature> features = new TreeMap<>();
        Proto example = new Proto(record, 0, record.length);
        while (example.next()) {
            if (example.is(1, Proto.BYTES) || example.is(2, Proto.BYTES)) {
                parseMap(example.message(), example.number() == 2, features);
            } else {
                throw example.bad("it has a field " + example.number());
            }
        }
        return features;
    }

    private static void parseMap(Proto map, boolean isList, Map<String, TfFeature> features) throws BadMember {
        while (map.next()) {
            if (!map.is(1, Proto.BYTES)) {
                throw map.bad("its features are no map");
            }
            Proto entry = map.message();
            String name = "";
            TfFeature feature = null;
            while (entry.next()) {
                if (entry.is(1, Proto.BYTES)) {
                    name = name(entry);
                } else if (entry.is(2, Proto.BYTES)) {
                    feature = isList ? TfFeature.ofList(entry.message()) : TfFeature.of(entry.message());
                } else {
                    throw map.bad("its features are no map");
                }
            }
            if (feature != null) {
                TfFeature before = features.put(name, feature);
                if (before != null && before.isList() != isList) {
                    throw new BadMember(
                            Reason.BAD_NAMES, "the context and the feature lists both have a feature " + name);
                }
            }
        }
    }

    private static String name(Proto entry) throws BadMember {
        byte[] bytes = new byte[entry.size()];
        System.arraycopy(entry.array(), entry.start(), bytes, 0, bytes.length);
        String name = TarHeader.utf8(bytes);
        if (name == null) {
            throw new BadMember(Reason.NOT_UTF8, "the name of a feature is not UTF-8");
        }
        return name;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import dev.penstock.file.Location;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// An answer of S3 in XML: the texts of its elements, and those of the entries that it lists.
///
/// @param texts   the first text of each element, by its name
/// @param entries the elements that have elements inside, each with the texts of those
record S3Xml(Map<String, String> texts, List<Entry> entries) {
    private static final int DEPTH_MAX = 20;

    /// An element that has others inside.
    record Entry(String name, Map<String, String> texts) {}

    static S3Xml of(Location object, byte[] body) throws IOException {
        try {
            return parse(body);
        } catch (XMLStreamException e) {
            throw new IOException(object + ": the answer of the server is not the XML of S3; check the endpoint", e);
        }
    }

    private static S3Xml parse(byte[] body) throws XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        XMLStreamReader xml = factory.createXMLStreamReader(new ByteArrayInputStream(body));
        S3Xml all = new S3Xml(new LinkedHashMap<>(), new ArrayList<>());
        List<Entry> open = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        while (xml.hasNext()) {
            int event = xml.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                if (open.size() == DEPTH_MAX) {
                    throw new XMLStreamException("too many elements inside each other");
                }
                open.add(new Entry(xml.getLocalName(), new LinkedHashMap<>()));
                text.setLength(0);
            } else if (event == XMLStreamConstants.CHARACTERS) {
                text.append(xml.getText());
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                all.close(open, text.toString().strip());
            }
        }
        return all;
    }

    private void close(List<Entry> open, String text) {
        Entry ended = open.removeLast();
        if (!ended.texts().isEmpty()) {
            entries.add(ended);
            return;
        }
        texts.putIfAbsent(ended.name(), text);
        if (!open.isEmpty()) {
            open.getLast().texts().putIfAbsent(ended.name(), text);
        }
    }

    /// The text of the first element with this name, or an empty text.
    String first(String name) {
        return texts.getOrDefault(name, "");
    }

    /// The texts inside all elements with this name.
    List<Map<String, String>> entries(String name) {
        return entries.stream()
                .filter(entry -> entry.name().equals(name))
                .map(Entry::texts)
                .toList();
    }
}

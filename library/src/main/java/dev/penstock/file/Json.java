// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.StringWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/// Reads and writes JSON as maps, lists, strings, numbers, booleans and nulls, with fixed limits on its size.
public final class Json {
    /// The largest size of a JSON text in bytes.
    public static final int SIZE_MAX = 8 << 20;

    /// The largest size of a record, which may have a large value, in bytes.
    private static final int RECORD_SIZE_MAX = 1 << 30;

    private static final int DEPTH_MAX = 64;
    private static final int STRING_SIZE_MAX = 1 << 20;
    private static final int NUMBER_SIZE_MAX = 100;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxStringLength(STRING_SIZE_MAX)
                    .maxNameLength(STRING_SIZE_MAX)
                    .maxDocumentLength(SIZE_MAX)
                    .maxNumberLength(NUMBER_SIZE_MAX)
                    .build())
            .build();

    private static final JsonFactory NON_FINITE_FACTORY =
            FACTORY.rebuild().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

    private static final JsonFactory RECORD_FACTORY = FACTORY.rebuild()
            .streamReadConstraints(FACTORY.streamReadConstraints()
                    .rebuild()
                    .maxStringLength(RECORD_SIZE_MAX)
                    .maxDocumentLength(RECORD_SIZE_MAX)
                    .build())
            .build();

    /// The position that the parser adds to some messages, without a file or a line in it.
    private static final Pattern POSITION = Pattern.compile(" \\(start marker at \\[[^]]*]\\)");

    private Json() {}

    /// Writes maps, lists and plain values as one line. NaN and infinities become strings, because JSON has no
    /// such numbers.
    public static String text(Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(generator, value);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, Object value) {
        switch (value) {
            case null -> generator.writeNull();
            case Map<?, ?> map -> {
                generator.writeStartObject();
                map.forEach((key, item) -> {
                    generator.writeName(key.toString());
                    write(generator, item);
                });
                generator.writeEndObject();
            }
            case Collection<?> items -> {
                generator.writeStartArray();
                items.forEach(item -> write(generator, item));
                generator.writeEndArray();
            }
            case Boolean flag -> generator.writeBoolean(flag);
            case Long number -> generator.writeNumber(number);
            case Integer number -> generator.writeNumber(number);
            case BigInteger number -> generator.writeNumber(number);
            case Double number -> generator.writeNumber(number);
            case Float number -> generator.writeNumber(number);
            default -> generator.writeString(value.toString());
        }
    }

    /// Parses a text in which NaN, Infinity and -Infinity are allowed, as some programs write them.
    ///
    /// @throws IllegalArgumentException when the text is not valid JSON or exceeds the limits
    public static Object parseWithNonFinite(byte[] text) {
        return parse(text, NON_FINITE_FACTORY);
    }

    /// Parses a text. Integers become `Long`, or `BigInteger` from 2^63 to 2^64 - 1. Other numbers become
    /// `Double`.
    ///
    /// @throws IllegalArgumentException when the text is not valid JSON or exceeds the limits
    public static Object parse(byte[] text) {
        return parse(text, FACTORY);
    }

    /// Parses a record of data, in which a string may be as long as a value of a record.
    ///
    /// @throws IllegalArgumentException when the text is not valid JSON or exceeds the limits
    public static Object parseRecord(byte[] text) {
        return parse(text, RECORD_FACTORY);
    }

    private static Object parse(byte[] text, JsonFactory factory) {
        try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            Object value = value(parser);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("there is extra text after the JSON value");
            }
            return value;
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    POSITION.matcher(e.getOriginalMessage()).replaceAll(""), e);
        }
    }

    private static Object wholeNumber(BigInteger number) {
        if (number.bitLength() < Long.SIZE) {
            return number.longValue();
        }
        if (number.signum() < 0 || number.bitLength() > Long.SIZE) {
            throw new IllegalArgumentException(number + " does not fit in 64 bits");
        }
        return number;
    }

    private static Object value(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> values = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String key = parser.currentName();
                    parser.nextToken();
                    values.put(key, value(parser));
                }
                yield values;
            }
            case START_ARRAY -> {
                List<Object> values = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    values.add(value(parser));
                }
                yield values;
            }
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT -> wholeNumber(parser.getBigIntegerValue());
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case null, default -> throw new IllegalArgumentException("the JSON text is incomplete");
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Json;
import java.util.HexFormat;
import java.util.OptionalLong;

/// The moves of the original's cursor, by name, made with ours, with the answers as the original gives them.
final class CursorMoves {
    private static final HexFormat HEX = HexFormat.of();

    private CursorMoves() {}

    static Object make(TreeCursor cursor, Json line) {
        byte[] path = line.has("arg") && line.get("arg").isText()
                ? HEX.parseHex(line.get("arg").text())
                : new byte[0];
        int number = line.has("arg") && !line.get("arg").isText()
                ? (int) line.get("arg").number()
                : 0;
        return switch (line.get("op").text()) {
            case "ascend" -> cursor.ascend(number) == number;
            case "ascend_byte" -> cursor.ascend(1) == 1;
            case "ascend_until" -> cursor.ascendUntil() > 0;
            case "ascend_until_branch" -> cursor.ascendUntilBranch() > 0;
            case "to_next_sibling_byte" -> cursor.nextSibling();
            case "to_prev_sibling_byte" -> cursor.previousSibling();
            case "to_next_step" -> cursor.next();
            case "to_next_val" -> cursor.nextValue();
            case "to_next_k_path" -> cursor.nextAtDepth(number);
            case "move_to_path" -> (long) cursor.moveTo(path);
            case "origin_path" -> HEX.formatHex(cursor.fullPath());
            case "root_prefix_path" -> HEX.formatHex(cursor.rootPath());
            case "val_at" -> text(cursor.value(path));
            case "val_count", "fork_val_count" -> cursor.fork().count();
            case "reset" -> {
                cursor.reset();
                yield null;
            }
            default -> descend(cursor, line.get("op").text(), path, number);
        };
    }

    private static Object descend(TreeCursor cursor, String move, byte[] path, int number) {
        return switch (move) {
            case "descend_first_byte" -> cursor.descendFirst();
            case "descend_last_byte" -> cursor.descendLast();
            case "descend_last_path" -> cursor.descendLastPath();
            case "descend_first_k_path" -> cursor.descendFirstAtDepth(number);
            case "descend_indexed_byte" -> cursor.descendIndex(number);
            case "descend_to" -> {
                cursor.descendTo(path);
                yield null;
            }
            case "descend_to_byte" -> {
                cursor.descendTo(path.length > 0 ? path : new byte[] {(byte) number});
                yield null;
            }
            case "descend_to_check" -> cursor.descendTo(path);
            case "descend_to_existing" -> (long) cursor.descendExisting(path);
            case "descend_to_existing_byte" -> cursor.descend(path.length > 0 ? path[0] : (byte) number);
            case "descend_to_val" -> (long) cursor.descendToValue(path);
            case "descend_until" -> cursor.descendUntil(Integer.MAX_VALUE) > 0;
            case "descend_until_max_bytes" -> cursor.descendUntil(number) > 0;
            default -> throw new AssertionError("no such move: " + move);
        };
    }

    private static String text(OptionalLong value) {
        return value.isPresent() ? Long.toUnsignedString(value.getAsLong()) : null;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Access;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The text of a header: what is read, what is refused and where, and that nothing in it costs more than its size.
class TableHeaderTest {
    private static TableReader open(int version, String text, byte[] rows) throws IOException {
        MemoryDisk disk = Tables.disk().put(Tables.FILE, Tables.file(version, text, rows));
        return Tables.open(disk, Tables.FILE, Access.READ);
    }

    private static DatasetException refusal(String text) {
        for (int version = 2; version <= 3; version++) {
            int v = version;
            assertThrows(DatasetException.class, () -> open(v, text, new byte[64]));
        }
        DatasetException refusal = assertThrows(DatasetException.class, () -> open(2, text, new byte[64]));
        assertTrue(
                refusal.getMessage().length() < 1000, () -> refusal.getMessage().substring(0, 200));
        return refusal;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } # <f4 # 3",
                "{'descr':'<f4','fortran_order':False,'shape':(3,)} # <f4 # 3",
                "\t{ 'shape' : ( 3 , ) , \"descr\" : \"<f4\" , 'fortran_order' : True } # <f4 # 3",
                "{u'descr': u'<f4', u\"fortran_order\": False, 'shape': (3L,), } # <f4 # 3",
                "({'descr': ('<f4'), 'fortran_order': (False), 'shape': ((3),), }) # <f4 # 3",
                "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (3,)} # <f4 # 3",
                "{'descr': '\\u003cf4', 'fortran_order': False, 'shape': (3,)} # <f4 # 3",
                "{'descr': '\\U0000003cf4', 'fortran_order': False, 'shape': (3,)} # <f4 # 3",
                "{'descr': '<f4', 'fortran_order': False, 'shape': ()} # <f4 # 1",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (0,)} # <f4 # 0",
                "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 1, 1)} # <f4 # 3",
                "{'descr': '=f4', 'fortran_order': False, 'shape': (3,)} # <f4 # 3",
                "{'descr': 'float32', 'fortran_order': False, 'shape': (3,)} # <f4 # 3",
                "{'descr': '|V0', 'fortran_order': False, 'shape': (9223372036854775807,)} # |V0 # 9223372036854775807"
            })
    void isRead(String text, String dtype, long count) throws IOException {
        for (int version = 1; version <= 3; version++) {
            try (TableReader table = open(version, text, new byte[64])) {
                assertEquals(dtype, ((DType.Scalar) table.rowType().item()).text());
                assertEquals(count, table.count());
                assertEquals(version, table.version());
            }
        }
    }

    /// With the frequent parts abbreviated.
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "`` # 0 # the text is incomplete",
                "{ # 1 # the text is incomplete",
                "{'descr # 1 # a string is not closed",
                "{'descr' # 8 # a colon is missing after the key",
                "%D # 9 # the text is incomplete",
                "%D '<f4' # 15 # a comma or } is missing",
                "%D '<f4', 7: 1} # 17 # a key must be a string",
                "%D '<f4', 'descr': '<f4'} # 17 # the key 'descr' occurs twice",
                "%D '<f4', %F (3,)} x # 56 # extra text after the value",
                "%D '<f4', %F (1.5,)} # 52 # only decimal integers are allowed",
                "%D '<f4', %F (0x3,)} # 52 # only decimal integers are allowed",
                "%D '<f4', %F (1_0,)} # 52 # only decimal integers are allowed",
                "%D '<f4', %F (1e3,)} # 52 # only decimal integers are allowed",
                "%D '<f4', %F (3 4)} # 53 # a comma or ) is missing",
                "%D '<f4', %F (,)} # 51 # unexpected character ,",
                "%D '<f4', %O None, 'shape': (3,)} # 34 # unexpected character N",
                "%D '<f4', %O exec('x'), 'shape': (3,)} # 34 # unexpected character e",
                "%D b'<f4', %F (3,)} # 10 # unexpected character b",
                "%D '\\q', %F (3,)} # 13 # unknown escape in a string",
                "%D '\\x4', %F (3,)} # 13 # an escape needs 2 hexadecimal",
                "%D '\\Uffffffff', %F (3,)} # 13 # an escape needs 8 hexadecimal",
                "%D '<f4', %F (9223372036854775808,)} # 51 # the number 9223372036854775808 does not fit in 63 bits",
                "%D '<f4', %F (3,), 'more': 1} # 0 # it must be a dictionary",
                "%D '<f4', 'shape': (3,)} # 0 # it must be a dictionary",
                "[1, 2] # 0 # it must be a dictionary",
                "%D '<f4', %O 0, 'shape': (3,)} # 0 # fortran_order must be True or False",
                "%D '<f4', %F [3]} # 0 # a shape must be a tuple of integers",
                "%D '<f4', %F 3} # 0 # a shape must be a tuple of integers",
                "%D '<f4', %F ('3',)} # 0 # a shape must be a tuple of integers",
                "%D '<f4', %F (-1,)} # 0 # a shape has the negative length -1",
                "%D '<f3', %F (3,)} # 0 # unknown type '<f3'",
                "%D '<M8[xx]', %F (3,)} # 0 # unknown type '<M8[xx]'",
                "%D 7, %F (3,)} # 0 # a type must be a string or a list of fields",
                "%D [], %F (3,)} # 0 # a record needs at least one field",
                "%D ['a'], %F (3,)} # 0 # field 0 is not of the form",
                "%D [(1, '<f4')], %F (3,)} # 0 # the name of field 0 is not a string",
                "%D [('a', '<f4'), ('a', '<f4')], %F (3,)} # 0 # two fields are named 'a'",
                "%D [('a.b', '<f4'), ('a', [('b', '<f4')])], %F (3,)} # 0 # two fields get the same name 'a.b'"
            })
    void isRefusedWithItsPlace(String shortText, long position, String what) {
        String text = shortText
                .replace("%D", "{'descr':")
                .replace("%F", "'fortran_order': False, 'shape':")
                .replace("%O", "'fortran_order':");
        DatasetException refusal = refusal(text);
        assertTrue(refusal.what().startsWith("bad header: " + what), refusal.what());
        assertEquals(12 + position, refusal.offset());
        assertEquals(Reason.BAD_HEADER, refusal.reason());
    }

    /// Products beyond 63 bits, by every way there is to multiply.
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "'<f8' # (4611686018427387904, 4)",
                "'<f8' # (2305843009213693952,)",
                "'<f8' # (4294967296, 4294967296)",
                "[('a', '<f8', (4294967296, 4294967296))] # (1,)",
                "[('a', '<f8', (9223372036854775807,))] # (0,)",
                "[('a', [('b', '<f8', (4611686018427387904, 4))])] # (0,)",
                "'<f8' # (1, 9223372036854775807, 9223372036854775807)"
            })
    void aSizeBeyond63BitsIsRefused(String descr, String shape) {
        DatasetException refusal = refusal(Tables.header(descr, shape));
        assertTrue(List.of(Reason.SIZE_OVERFLOW, Reason.BAD_HEADER).contains(refusal.reason()), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "'<f8' # (1000000000000,)",
                "'<f8' # (9, 9, 9, 9, 9)",
                "'|S2147483647' # (1,)",
                "[('a', '<f8', (1000000,)), ('b', '|V2000000000')] # (1,)"
            })
    void moreRowsThanTheFileHasAreRefused(String descr, String shape) {
        assertEquals(Reason.TRUNCATED, refusal(Tables.header(descr, shape)).reason());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'|S2147483648'",
                "'<U536870912'",
                "'|S99999999999'",
                "[('a', '|V2147483647'), ('b', '|V1')]",
                "[('a', '|V1', (2147483648,))]"
            })
    void anItemLargerThanNumPyHasIsRefused(String descr) {
        assertEquals(Reason.BAD_HEADER, refusal(Tables.header(descr, "(0,)")).reason());
    }

    @Test
    void sixtyFourDimensionsAreReadAndNoMore() throws IOException {
        try (TableReader table = open(2, Tables.header("'|u1'", "(" + "1,".repeat(64) + ")"), new byte[1])) {
            assertEquals(63, table.rowType().shape().size());
        }
        refusal(Tables.header("'|u1'", "(" + "1,".repeat(65) + ")"));
    }

    @Test
    void bracketsAreNestedToALimit() throws IOException {
        String nested = Tables.header("(".repeat(38) + "'|u1'" + ")".repeat(38), "(1,)");
        open(2, nested, new byte[1]).close();
        for (String bracket : List.of("(", "[", "{'a':", "[('a',")) {
            refusal(Tables.header(bracket.repeat(100_000 / bracket.length()), "(1,)"));
        }
        String tooDeep = Tables.header("(".repeat(41) + "'|u1'" + ")".repeat(41), "(1,)");
        assertTrue(refusal(tooDeep).what().contains("nested deeper than 40 levels"));
    }

    /// A megabyte of header in every shape that could be slow, or could ask for more memory than it has bytes.
    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void theTimeAndMemoryAreThoseOfTheText() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int size = (int) TableFormat.TEXT_SIZE_MAX - 200;
        StringBuilder fields = new StringBuilder();
        for (int i = 0; fields.length() < size / 2; i++) {
            fields.append("('").append(i).append("','u1'),");
        }
        List<String> texts = List.of(
                Tables.header("'" + "x".repeat(size) + "'", "(1,)"),
                Tables.header("'\\x" + "41\\x".repeat(size / 4) + "'", "(1,)"),
                Tables.header("'<f4'", "(" + "1,".repeat(size / 2) + ")"),
                Tables.header("'<f4'", "(" + "9".repeat(size) + ",)"),
                Tables.header("'<f4'", " ".repeat(size)),
                Tables.header("[" + "('','V0'),".repeat(size / 10) + "]", "(1,)"),
                Tables.header("[" + "('a','u1'),".repeat(size / 12) + "]", "(1,)"),
                Tables.header("[('a','u1'," + "(0,)".repeat(size / 4) + ")]", "(1,)"),
                "{" + "'a':1,".repeat(size / 6),
                // Every inner name would repeat the outer one.
                Tables.header("[('" + "n".repeat(size / 2 - 100) + "',[" + fields + "])]", "(1,)"));
        for (String text : texts) {
            // The time of the processor does not depend on what else the machine does.
            long before = threads.getCurrentThreadCpuTime();
            refusal(text);
            long seconds = (threads.getCurrentThreadCpuTime() - before) / 1_000_000_000;
            assertTrue(seconds < 10, () -> text.substring(0, 60) + " takes " + seconds + " s");
        }
    }

    @Test
    void aHeaderLargerThanTheLimitIsRefusedBeforeItIsRead() {
        byte[] file = Tables.file(2, Tables.header("'<f4'", "(1,)"), new byte[4]);
        file[11] = 0x7f;
        MemoryDisk disk = Tables.disk().put(Tables.FILE, file);
        DatasetException refusal =
                assertThrows(DatasetException.class, () -> Tables.open(disk, Tables.FILE, Access.READ));
        assertTrue(refusal.what().contains("is too large: the limit is 1048576 bytes"), refusal.getMessage());
    }

    @Test
    void aVersionOfTheFutureAndOtherFilesAreRefusedByName() {
        byte[] file = Tables.file(1, Tables.header("'<f4'", "(1,)"), new byte[4]);
        file[6] = 4;
        MemoryDisk disk = Tables.disk().put(Tables.FILE, file);
        DatasetException refusal = assertThrows(
                DatasetException.UnsupportedVersion.class, () -> Tables.open(disk, Tables.FILE, Access.READ));
        assertEquals("NumPy format version 4.0 is not supported; supported are 1.0, 2.0 and 3.0", refusal.what());
        Path shard = Tables.FOLDER.resolve("rows-00000.npy");
        disk.addFolder(Tables.FOLDER).put(shard, new byte[] {'P', 'K', 3, 4});
        refusal = assertThrows(DatasetException.WrongFormat.class, () -> Tables.open(disk, Tables.FOLDER, Access.READ));
        assertTrue(refusal.what().contains("take the .npy files out of an .npz"));
    }
}

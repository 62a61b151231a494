// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;

/// Rows with a column for each type of a field: the least and the greatest values, numbers that are none, and
/// random ones.
final class AllTypes {
    static final String TYPES = "u8 u8, u16 u16, u32 u32, f16 f16, bf16 bf16, text utf8(10), wide utf32(6),"
            + " raw bytes(3), vector f32[3], matrix u8[2,2], counts i64[2], c64 c64, c128 c128";

    private static final String SCHEMA = "id long, flag boolean, i8 byte, i16 short, i32 int, i64 long, u8 short,"
            + " u16 int, u32 long, u64 decimal(20,0), f16 float, bf16 float, f32 float, f64 double, text string,"
            + " wide string, raw binary, vector array<float>, matrix array<array<short>>, counts array<long>,"
            + " c64 struct<real:float,imag:float>, c128 struct<real:double,imag:double>";

    private static final BigInteger U64_MAX = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private AllTypes() {}

    static Dataset<Row> rows(int count, long seed) {
        Random random = new Random(seed);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(row(i, random));
        }
        return LocalSpark.session()
                .createDataFrame(rows, StructType.fromDDL(SCHEMA))
                .repartition(3);
    }

    private static Row row(long id, Random random) {
        boolean isLeast = id == 0;
        boolean isGreatest = id == 1;
        double odd = switch ((int) id) {
            case 2 -> Double.NaN;
            case 3 -> Double.POSITIVE_INFINITY;
            case 4 -> Double.NEGATIVE_INFINITY;
            case 5 -> -0.0;
            default -> random.nextInt(-50, 50) / 4.0;
        };
        BigInteger unsigned = isLeast ? BigInteger.ZERO : isGreatest ? U64_MAX : new BigInteger(64, random);
        byte[] raw = new byte[3];
        random.nextBytes(raw);
        return RowFactory.create(
                id,
                random.nextBoolean(),
                isLeast ? Byte.MIN_VALUE : isGreatest ? Byte.MAX_VALUE : (byte) random.nextInt(),
                isLeast ? Short.MIN_VALUE : isGreatest ? Short.MAX_VALUE : (short) random.nextInt(),
                isLeast ? Integer.MIN_VALUE : isGreatest ? Integer.MAX_VALUE : random.nextInt(),
                isLeast ? Long.MIN_VALUE : isGreatest ? Long.MAX_VALUE : random.nextLong(),
                (short) (isGreatest ? 255 : random.nextInt(256)),
                isGreatest ? 65_535 : random.nextInt(65_536),
                isGreatest ? (1L << 32) - 1 : random.nextLong(1L << 32),
                new BigDecimal(unsigned),
                (float) odd,
                (float) odd,
                (float) odd,
                odd,
                isLeast ? "" : isGreatest ? "größe'\\" : "t" + random.nextInt(100),
                isLeast ? "" : isGreatest ? "😀 wide" : "w" + random.nextInt(100),
                raw,
                new float[] {(float) odd, random.nextFloat(), id},
                Arrays.asList(
                        Arrays.asList((short) 255, (short) random.nextInt(256)), Arrays.asList((short) 0, (short) 7)),
                new long[] {Long.MIN_VALUE, id},
                RowFactory.create((float) odd, random.nextFloat()),
                RowFactory.create(odd, random.nextDouble()));
    }
}

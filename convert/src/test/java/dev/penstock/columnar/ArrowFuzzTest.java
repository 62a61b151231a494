// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;

/// Any bytes at all are read as an Arrow file or stream, and as a Parquet file: an error of the data is the worst
/// that may come.
///
/// A normal run replays the inputs below `src/test/resources`; `./check --fuzz` looks for new ones.
class ArrowFuzzTest {
    @FuzzTest(maxDuration = "30s")
    void anyBytesAreReadOrRefusedAsArrow(byte[] bytes) throws IOException {
        ColumnarBytes.readOrRefuse("fuzz.arrow", bytes);
    }

    @FuzzTest(maxDuration = "30s")
    void anyBytesAreReadOrRefusedAsParquet(byte[] bytes) throws IOException {
        ColumnarBytes.readOrRefuse("fuzz.parquet", bytes);
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Verification;
import dev.penstock.Verification.Severity;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The contract of every format for a verification with more findings than are listed.
public interface VerificationContract {
    /// Verifies data with this number of warnings and, after them if the format allows it, one error.
    Verification verifyDamaged(Path folder, int warningCount, boolean hasError) throws IOException;

    @Test
    default void anErrorIsNotHiddenByTheWarningsBeforeIt(@TempDir Path folder) throws IOException {
        int warningCount = Verification.PROBLEMS_MAX + 1;
        Verification verification = verifyDamaged(folder, warningCount, true);
        assertFalse(verification.isOk());
        assertEquals(1, verification.errorCount());
        assertEquals(warningCount + 1, verification.problemCount());
        assertEquals(Verification.PROBLEMS_MAX, verification.problems().size());
        assertEquals(1, listedErrors(verification));
    }

    @Test
    default void warningsAloneAreNoError(@TempDir Path folder) throws IOException {
        int warningCount = Verification.PROBLEMS_MAX + 1;
        Verification verification = verifyDamaged(folder, warningCount, false);
        assertTrue(verification.isOk());
        assertEquals(0, verification.errorCount());
        assertEquals(warningCount, verification.problemCount());
        assertEquals(Verification.PROBLEMS_MAX, verification.problems().size());
        assertEquals(0, listedErrors(verification));
    }

    private static long listedErrors(Verification verification) {
        return verification.problems().stream()
                .filter(problem -> problem.severity() == Severity.ERROR)
                .count();
    }
}

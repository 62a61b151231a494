// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocationTest {
    private static Location remote(String uri) {
        return Location.of(URI.create(uri));
    }

    @Test
    void aLocalLocationIsItsPath() {
        Path path = Path.of("some", "folder", "a b.npy");
        Location location = Location.of(path);
        assertTrue(location.isLocal());
        assertEquals(path, location.path());
        assertEquals(path.toString(), location.toString());
        assertEquals("a b.npy", location.name());
        assertEquals(Location.of(path.getParent()), location.parent());
        assertEquals(Location.of(path.resolve("x")), location.resolve("x"));
        assertEquals(path.toUri(), location.uri());
        assertEquals(location, Location.of(path.resolve("x")).parent());
    }

    @Test
    void aRemoteLocationIsItsUri() {
        Location location = remote("s3://bucket/data/steps-00000.npy");
        assertFalse(location.isLocal());
        assertEquals("s3://bucket/data/steps-00000.npy", location.toString());
        assertEquals(URI.create("s3://bucket/data/steps-00000.npy"), location.uri());
        assertEquals("steps-00000.npy", location.name());
        assertEquals(remote("s3://bucket/data"), location.parent());
        assertEquals(location, location.parent().resolve("steps-00000.npy"));
        assertEquals(location, remote("s3://bucket").resolve("data/steps-00000.npy"));
    }

    @Test
    void aRemoteLocationHasNoPathAndSaysWhatToDo() {
        UnsupportedOperationException refusal =
                assertThrows(UnsupportedOperationException.class, remote("https://host/a.npy")::path);
        assertEquals(
                "https://host/a.npy is remote and has no path on this machine; copy it to a local file" + " first",
                refusal.getMessage());
    }

    @Test
    void theRootHasNoNameAndNoParent() {
        for (String root : List.of("s3://bucket", "s3://bucket/", "memory:/")) {
            assertEquals("", remote(root).name(), root);
            assertNull(remote(root).parent(), root);
        }
        assertEquals("s3://bucket/a", remote("s3://bucket/").resolve("a").toString());
        assertEquals("s3://bucket/", remote("s3://bucket/a").parent().toString());
        assertNull(Location.of(Path.of("a")).parent());
        assertEquals("", Location.of(Path.of("/")).name());
    }

    @Test
    void aSlashAtTheEndMakesNoDifference() {
        assertEquals(remote("https://host/folder"), remote("https://host/folder/"));
        assertEquals("folder", remote("https://host/folder/").name());
    }

    @Test
    void namesAreEscapedInUrisAndReadBack() {
        for (String name : List.of("a b.npy", "100%.npy", "a?b", "a#b", "a+b", "a:b", "naïve", "..", "a&b=c")) {
            Location child = remote("https://host/data").resolve(name);
            assertEquals(name, child.name(), name);
            assertEquals(child, Location.of(URI.create(child.toString())), name);
            assertEquals(remote("https://host/data"), child.parent(), name);
        }
        assertEquals("https://host/a%20b", remote("https://host").resolve("a b").toString());
    }

    @Test
    void aNameThatBeginsWithASlashStaysInTheFolder() {
        assertEquals(
                Location.of(Path.of("/data/etc/a")),
                Location.of(Path.of("/data")).resolve("/etc/a"));
        assertEquals(
                "https://host/data//etc/a",
                remote("https://host/data").resolve("/etc/a").toString());
    }

    @Test
    void aFileUriIsLocal() {
        Path path = Path.of("/some/a b.npy");
        assertEquals(Location.of(path), Location.of(path.toUri()));
    }

    @Test
    void whatIsNoLocationIsRefused() {
        for (String bad :
                List.of("data.npy", "/data.npy", "mailto:someone", "https://host/a?b=c", "https://host/a#b")) {
            IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> remote(bad), bad);
            assertTrue(refusal.getMessage().contains("' is not a valid location"), refusal.getMessage());
        }
    }

    @Test
    void equalityIsThatOfThePathOrUri() {
        assertEquals(
                Location.of(Path.of("a")).hashCode(), Location.of(Path.of("a")).hashCode());
        assertEquals(remote("s3://b/a").hashCode(), remote("s3://b/a").hashCode());
        assertNotEquals(Location.of(Path.of("a")), Location.of(Path.of("b")));
        assertNotEquals(remote("s3://b/a"), remote("s3://b/c"));
        assertNotEquals(Location.of(Path.of("/a")), remote("s3://b/a"));
        assertNotEquals(Location.of(Path.of("a")), Path.of("a"));
    }

    @Test
    void onlyTextWithASchemeAndTwoSlashesIsAUri() {
        for (String path : List.of("a:b", "http:/x", "c:x.npy", "://x", "1a://x", "a/http://x", "data/x.npy")) {
            assertEquals(Location.of(Path.of(path)), Location.parse(path), path);
        }
        assertEquals(Location.of(URI.create("https://host/x.npy")), Location.parse("https://host/x.npy"));
        assertEquals(Location.of(Path.of("/tmp/x")), Location.parse("file:///tmp/x"));
    }

    @Test
    void aUriWithASpaceIsRefusedWithAdvice() {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> Location.parse("http://host/a b"));
        assertTrue(refusal.getMessage().contains("%20"), refusal::getMessage);
    }

    @Test
    void secretsInAUriAreRefusedAndNotRepeated() {
        for (String bad : List.of(
                "https://host/x.npy?X-Signature=SECRET",
                "https://host/x.npy#SECRET",
                "https://user:SECRET@host/x.npy",
                "https://SECRET@host/x.npy",
                "https://user:SEC@SECRET@host/x.npy",
                "https://user:SECRET@host/a b",
                "https://host/a b?SECRET")) {
            Throwable refusal = assertThrows(IllegalArgumentException.class, () -> Location.parse(bad));
            for (Throwable one = refusal; one != null; one = one.getCause()) {
                assertFalse(one.toString().contains("SECRET"), one.toString());
                assertTrue(one.toString().contains("host/"), one.toString());
            }
        }
    }
}

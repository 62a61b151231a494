// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryStorage;
import dev.penstock.file.WebServer;
import dev.penstock.file.WebServer.Lack;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Files of a real web server on the loopback interface, and every way in which one fails.
@Timeout(120)
class HttpStorageTest {
    private static final HttpCalls.Options QUICK =
            new HttpCalls.Options(3, Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofMillis(1));

    private final MemoryStorage content = new MemoryStorage();
    private final byte[] bytes = bytes(1, 100_000);
    private final Location object = content.put("a b.bin", bytes);
    private final HttpStorage storage = new HttpStorage(new PlainServer(), QUICK);

    private static byte[] bytes(long seed, int count) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] read(Disk.Readable file, long offset, int count) throws IOException {
        byte[] target = new byte[count];
        return Arrays.copyOf(target, (int) file.read(offset, MemorySegment.ofArray(target)));
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatLacksSomethingServesTheSameBytes(Lack lack) throws IOException {
        try (WebServer web = WebServer.serve(content, lack)) {
            Disk.Readable file = storage.open(web.at(object));
            assertEquals(bytes.length, file.size());
            for (int[] range : new int[][] {{0, 10}, {500, 1000}, {70_000, 30_000}, {99_990, 50}, {100_000, 5}}) {
                byte[] expected = Arrays.copyOfRange(bytes, range[0], Math.min(bytes.length, range[0] + range[1]));
                assertArrayEquals(expected, read(file, range[0], range[1]));
            }
        }
    }

    @Test
    void anOpenFileNeedsOneRequest() throws IOException {
        try (WebServer web = WebServer.serve(content)) {
            Disk.Readable file = storage.open(web.at(object));
            read(file, 0, 1024);
            assertEquals(1, web.requestCount());
        }
    }

    @Test
    void anEmptyFileHasNoBytes() throws IOException {
        Location empty = content.put("empty", new byte[0]);
        try (WebServer web = WebServer.serve(content)) {
            assertEquals(0, storage.size(web.at(empty)));
            assertEquals(0, storage.read(web.at(empty), 0, MemorySegment.ofArray(new byte[4])));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ETAGS", "IF_MATCH"})
    void aFileThatIsReplacedWhileItIsOpenIsNeverMixed(String lack) throws IOException {
        Lack[] lacks = lack.isEmpty() ? new Lack[0] : new Lack[] {Lack.valueOf(lack)};
        try (WebServer web = WebServer.serve(content, lacks)) {
            Disk.Readable file = storage.open(web.at(object));
            // Without an ETag only another size shows that it is another file.
            content.put(object, bytes(2, lack.equals("ETAGS") ? bytes.length + 1 : bytes.length));
            DatasetException.Corrupt refusal =
                    assertThrows(DatasetException.Corrupt.class, () -> read(file, 5000, 100));
            assertEquals(Reason.SHARD_CHANGED, refusal.reason());
            assertTrue(refusal.getMessage().contains("replaced while it was open"), refusal::getMessage);
        }
    }

    @Test
    void aShortenedFileIsReplacedToo() throws IOException {
        try (WebServer web = WebServer.serve(content, Lack.ETAGS)) {
            Disk.Readable file = storage.open(web.at(object));
            content.put(object, Arrays.copyOf(bytes, 100));
            assertThrows(DatasetException.Corrupt.class, () -> read(file, 5000, 100));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429, 500, 502, 503, 504})
    void aPassingFailureIsRetried(int status) throws IOException {
        try (WebServer web = WebServer.serve(content)) {
            Disk.Readable file = storage.open(web.at(object));
            web.fail((exchange, number) -> isSent(exchange, number <= 2, status));
            assertArrayEquals(Arrays.copyOfRange(bytes, 5000, 6000), read(file, 5000, 1000));
            assertEquals(3, web.requestCount());
        }
    }

    private static boolean isSent(HttpExchange exchange, boolean isNow, int status) throws IOException {
        if (isNow) {
            WebServer.send(exchange, status, new byte[0]);
        }
        return isNow;
    }

    @Test
    void aFailureThatStaysIsAnErrorThatNamesTheAddress() throws IOException {
        try (WebServer web = WebServer.serve(content)) {
            web.fail((exchange, number) -> isSent(exchange, true, 503));
            IOException failure = assertThrows(IOException.class, () -> storage.open(web.at(object)));
            assertTrue(
                    failure.getMessage()
                            .matches("\\Q" + web.at(object)
                                    + "\\E: no usable answer in \\d+ ms and 3 attempts: the server answered with"
                                    + " status 503"),
                    failure::getMessage);
        }
    }

    @Test
    void anAnswerThatIsCutIsRetried() throws IOException {
        try (WebServer web = WebServer.serve(content)) {
            Disk.Readable file = storage.open(web.at(object));
            web.fail((exchange, number) -> {
                if (number == 1) {
                    exchange.getResponseHeaders().set("Content-Range", "bytes 5000-5999/100000");
                    exchange.sendResponseHeaders(206, 1000);
                    exchange.getResponseBody().write(bytes, 5000, 300);
                    exchange.getResponseBody().flush();
                }
                return number == 1;
            });
            assertArrayEquals(Arrays.copyOfRange(bytes, 5000, 6000), read(file, 5000, 1000));
            assertEquals(2, web.requestCount());
        }
    }

    @Test
    void anotherRangeThanTheOneAskedForIsRefused() throws IOException {
        try (WebServer web = WebServer.serve(content, Lack.ETAGS)) {
            Disk.Readable file = storage.open(web.at(object));
            web.fail((exchange, number) -> {
                exchange.getResponseHeaders().set("Content-Range", "bytes 0-999/100000");
                WebServer.send(exchange, 206, Arrays.copyOf(bytes, 1000));
                return true;
            });
            IOException failure = assertThrows(IOException.class, () -> read(file, 5000, 1000));
            assertTrue(failure.getMessage().contains("bytes 0-999/100000"), failure::getMessage);
        }
    }

    @Test
    void aLargeFileOfAServerWithoutRangesIsRefused() throws IOException {
        Location large = content.put("large", new byte[HttpObject.WHOLE_SIZE_MAX + 1]);
        try (WebServer web = WebServer.serve(content, Lack.RANGES)) {
            IOException failure = assertThrows(IOException.class, () -> storage.open(web.at(large)));
            assertTrue(failure.getMessage().contains("does not answer range requests"), failure::getMessage);
        }
    }

    @Test
    void anAbsentFileAndAForbiddenOneAreErrorsOfTheirOwn() throws IOException {
        try (WebServer web = WebServer.serve(content)) {
            Location absent = web.at(MemoryStorage.ROOT.resolve("absent"));
            assertThrows(NoSuchFileException.class, () -> storage.open(absent));
            assertFalse(storage.exists(absent));
            web.fail((exchange, number) -> isSent(exchange, true, 403));
            AccessDeniedException denied =
                    assertThrows(AccessDeniedException.class, () -> storage.open(web.at(object)));
            assertEquals(web.at(object).toString(), denied.getFile());
        }
    }

    @Test
    void aServerThatIsNotThereIsAnErrorThatNamesTheAddress() throws IOException {
        Location gone;
        try (WebServer web = WebServer.serve(content)) {
            gone = web.at(object);
        }
        IOException failure = assertThrows(IOException.class, () -> storage.open(gone));
        assertTrue(failure.getMessage().startsWith(gone + ": no usable answer in "), failure::getMessage);
    }

    @Test
    void aServerThatStallsIsGivenUp() throws IOException {
        HttpStorage hurried = new HttpStorage(
                new PlainServer(),
                new HttpCalls.Options(2, Duration.ofSeconds(60), Duration.ofMillis(50), Duration.ofMillis(1)));
        CountDownLatch end = new CountDownLatch(1);
        try (WebServer web = WebServer.serve(content)) {
            web.fail((exchange, number) -> isStalled(end));
            IOException failure = assertThrows(IOException.class, () -> hurried.open(web.at(object)));
            assertTrue(failure.getMessage().contains(" and 2 attempts: no answer in 50 ms"), failure::getMessage);
            end.countDown();
        }
    }

    private static boolean isStalled(CountDownLatch end) throws IOException {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
        return true;
    }

    @Test
    void anInterruptEndsARequest() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicReference<Throwable> result = new AtomicReference<>();
        try (WebServer web = WebServer.serve(content)) {
            web.fail((exchange, number) -> {
                asked.countDown();
                return isStalled(end);
            });
            Thread reader = Thread.ofPlatform().start(() -> {
                result.set(assertThrows(InterruptedIOException.class, () -> storage.open(web.at(object))));
            });
            asked.await();
            reader.interrupt();
            reader.join();
            end.countDown();
        }
        assertTrue(result.get() instanceof InterruptedIOException);
    }

    @Test
    void aFolderIsListedByItsIndexPage() throws IOException {
        content.put("folder/x y.npy", new byte[1]);
        content.put("folder/inner/z.npy", new byte[1]);
        try (WebServer web = WebServer.serve(content)) {
            Location folder = web.at(MemoryStorage.ROOT.resolve("folder"));
            assertEquals(Set.of(folder.resolve("x y.npy"), folder.resolve("inner")), Set.copyOf(storage.list(folder)));
            assertTrue(storage.isFolder(folder));
            assertTrue(storage.exists(folder));
            assertThrows(NoSuchFileException.class, () -> storage.open(folder));
            assertFalse(storage.isFolder(web.at(object)));
        }
        try (WebServer web = WebServer.serve(content, Lack.INDEX_PAGES)) {
            assertEquals(List.of(), storage.list(web.at(MemoryStorage.ROOT.resolve("folder"))));
        }
    }

    @Test
    void onlyLinksToNamesInTheFolderCount() {
        String html = """
                <a href="../">up</a> <A class=x HREF='b.npy'>b</A> <a href=c%20d.npy>c</a> <a href="inner/">i</a>
                <a href="/data/folder/e.npy">e</a> <a href="http://other/data/folder/f.npy">f</a> <a href="?C=M">m</a>
                <a href="inner/deep.npy">d</a> <a href="javascript:x()">j</a> <a href="a%2Fb">s</a>
                <a href="%zz">bad</a> <a href="..">p</a> <a href="a&amp;b">and</a> <a href="">self</a>
                """;
        assertEquals(
                Set.of("b.npy", "c d.npy", "inner", "e.npy", "a&b"),
                IndexPage.names(URI.create("http://host/data/folder/"), html));
    }
}

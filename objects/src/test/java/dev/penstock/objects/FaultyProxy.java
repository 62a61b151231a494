// SPDX-License-Identifier: Apache-2.0
package dev.penstock.objects;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Stands between a client and an S3 server on the loopback interface. It delays answers, limits the bandwidth of
/// a connection, and misbehaves when a test says so. It passes the bytes of requests on as they are, so that their
/// signatures stay valid.
final class FaultyProxy implements AutoCloseable {
    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: *(\\d+)");

    private final ServerSocket server;
    private final URI upstream;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile BiFunction<String, Integer, Fault> faults = (_, _) -> Fault.NONE;
    private volatile int status = 503;
    private volatile long latencyMillis;
    private volatile long bytesPerSecond = Long.MAX_VALUE;

    /// What happens to a request.
    enum Fault {
        NONE,
        /// The answer is an error with the status of [#status].
        STATUS,
        /// The connection is reset instead of an answer.
        RESET,
        /// The connection is closed in the middle of the body.
        CUT,
        /// The connection is reset in the middle of the body.
        RESET_IN_BODY,
        /// No byte comes after the middle of the body.
        STALL,
        /// The answer has half of the bytes, and a length that says so.
        SHORT,
        /// A byte in the middle of the body is another one.
        WRONG_BYTE
    }

    FaultyProxy(URI upstream) throws IOException {
        this.upstream = upstream;
        this.server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort());
    }

    /// Decides about requests from now on; they are counted from 1 again.
    void fail(IntFunction<Fault> faults) {
        failOn((_, number) -> faults.apply(number));
    }

    /// [#fail(IntFunction)], given the first line of a request as well.
    void failOn(BiFunction<String, Integer, Fault> faults) {
        requests.set(0);
        this.faults = faults;
    }

    void status(int status) {
        this.status = status;
    }

    void slow(long latencyMillis, long bytesPerSecond) {
        this.latencyMillis = latencyMillis;
        this.bytesPerSecond = bytesPerSecond;
    }

    int requestCount() {
        return requests.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                sockets.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException e) {
            // The test has ended.
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket remote = new Socket()) {
            remote.connect(new InetSocketAddress(upstream.getHost(), upstream.getPort()));
            InputStream asked = new BufferedInputStream(client.getInputStream());
            InputStream answered = new BufferedInputStream(remote.getInputStream());
            for (String head = head(asked); head != null; head = head(asked)) {
                TimeUnit.MILLISECONDS.sleep(latencyMillis);
                remote.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
                passBody(head, asked, remote.getOutputStream());
                String line = head.substring(0, head.indexOf('\r'));
                boolean isHead = line.startsWith("HEAD ");
                if (!answer(client, answered, isHead, faults.apply(line, requests.incrementAndGet()))) {
                    return;
                }
            }
        } catch (IOException | InterruptedException e) {
            // The client or the test has closed the connection.
        } finally {
            sockets.remove(client);
        }
    }

    /// Reads the head of a request or an answer, or null at the end.
    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        for (int last = 0; last != 0x0d0a0d0a; ) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            head.write(next);
            last = last << 8 | next;
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    private void passBody(String head, InputStream asked, OutputStream remote)
            throws IOException, InterruptedException {
        Matcher length = LENGTH.matcher(head);
        if (length.find()) {
            byte[] body = asked.readNBytes(Integer.parseInt(length.group(1)));
            send(remote, "", body, body.length);
        }
    }

    /// Returns whether the connection stays open.
    private boolean answer(Socket client, InputStream answered, boolean isHead, Fault fault)
            throws IOException, InterruptedException {
        String head = head(answered);
        if (head == null) {
            return false;
        }
        Matcher length = LENGTH.matcher(head);
        byte[] body = isHead
                ? new byte[0]
                : length.find() ? answered.readNBytes(Integer.parseInt(length.group(1))) : chunks(head, answered);
        OutputStream out = client.getOutputStream();
        switch (fault) {
            case STATUS -> send(out, "HTTP/1.1 " + status + " Fault\r\nContent-Length: 0\r\n\r\n", body, 0);
            case RESET -> client.setSoLinger(true, 0);
            case WRONG_BYTE -> {
                if (body.length > 0) {
                    body[body.length / 2] ^= 1;
                }
                send(out, head, body, body.length);
            }
            case SHORT -> {
                // An answer in chunks says nowhere how long it is.
                boolean hasLength = length.reset().find() && !isHead;
                int count = hasLength ? body.length / 2 : body.length;
                send(out, hasLength ? length.replaceFirst("Content-Length: " + count) : head, body, count);
            }
            case CUT, STALL, RESET_IN_BODY -> {
                send(out, head, body, body.length / 2);
                client.setSoLinger(fault == Fault.RESET_IN_BODY, 0);
                if (fault == Fault.STALL) {
                    // Ends when the client gives up.
                    client.getInputStream().read();
                }
            }
            default -> send(out, head, body, body.length);
        }
        return Set.of(Fault.NONE, Fault.STATUS, Fault.SHORT, Fault.WRONG_BYTE).contains(fault);
    }

    /// The body of an answer that comes in chunks, with their sizes, as it is.
    private static byte[] chunks(String head, InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        boolean isLast = !head.toLowerCase(Locale.ROOT).contains("transfer-encoding: chunked");
        while (!isLast) {
            String size = line(in);
            int count = Integer.parseInt(size.strip(), 16);
            body.writeBytes(size.getBytes(StandardCharsets.ISO_8859_1));
            body.writeBytes(in.readNBytes(count + 2));
            isLast = count == 0;
        }
        return body.toByteArray();
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            line.append((char) next);
            if (next == '\n') {
                break;
            }
        }
        return line.toString();
    }

    private void send(OutputStream out, String head, byte[] body, int count) throws IOException, InterruptedException {
        out.write(head.getBytes(StandardCharsets.ISO_8859_1));
        int step = 64 << 10;
        for (int done = 0; done < count; done += step) {
            int part = Math.min(step, count - done);
            out.write(body, done, part);
            if (bytesPerSecond < Long.MAX_VALUE) {
                TimeUnit.NANOSECONDS.sleep(part * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
            }
        }
        out.flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

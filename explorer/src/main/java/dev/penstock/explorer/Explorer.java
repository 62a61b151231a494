// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.penstock.catalog.Catalog;
import dev.penstock.plugin.Description;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/// The server of the explorer.
///
/// Every address begins with a random token ([Gate]). A page answers `format=json` with its data and otherwise
/// with the same HTML, whose scripts fetch that data and show it. So every number on a page is also in its JSON.
///
/// A GET changes nothing. Scans with progress are POST requests, because they take the time of the machine.
/// Nothing is ever written to a dataset; a list of flags is written beside it, when the server may.
///
/// **Ownership.** The caller closes the explorer and then the [Shelf].
///
/// **Threads.** Requests run on virtual threads, and reading on those of [Workers].
public final class Explorer implements AutoCloseable {
    private static final int BACKLOG = 64;

    /// A verification or statistics of everything may take hours.
    private static final long UNLIMITED_SECONDS = 1L << 30;

    static {
        // The JDK's server reads these when its first instance is made. Other settings of the process are kept.
        limit("jdk.httpserver.maxConnections", "128");
        limit("sun.net.httpserver.maxIdleConnections", "64");
        limit("sun.net.httpserver.maxReqHeaders", "64");
        limit("sun.net.httpserver.maxReqHeaderSize", "65536");
        // A request has to arrive within these seconds.
        limit("sun.net.httpserver.maxReqTime", "20");
        // Small answers are sent at once.
        limit("sun.net.httpserver.nodelay", "true");
    }

    private final Shelf shelf;
    private final Gate gate;
    private final Options options;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Workers workers = new Workers();
    private final Searches searches = new Searches(workers);
    private final Map<String, Page> pages;
    private final FlagsPage flags;
    private final ValueReply values;

    /// How the server is reached.
    ///
    /// @param host           the name or address to listen on
    /// @param port           the port, or 0 for any free one
    /// @param frameAncestors the pages that may show the explorer in a frame, as in a Content-Security-Policy
    /// @param isReadOnly     whether flags cannot be written beside the data
    public record Options(String host, int port, String frameAncestors, boolean isReadOnly) {
        /// A free port of this machine only, no frames, and nothing is written.
        public static final Options DEFAULT = new Options("127.0.0.1", 0, "'none'", true);

        public Options withAddress(String host, int port) {
            return new Options(host, port, frameAncestors, isReadOnly);
        }

        public Options withFrameAncestors(String frameAncestors) {
            return new Options(host, port, frameAncestors, isReadOnly);
        }

        public Options withReadOnly(boolean isReadOnly) {
            return new Options(host, port, frameAncestors, isReadOnly);
        }
    }

    private Explorer(Shelf shelf, Options options) throws IOException {
        this.shelf = shelf;
        this.options = options;
        this.gate = Gate.create(options.host());
        this.flags = new FlagsPage(shelf, options.isReadOnly());
        this.values = new ValueReply(shelf, workers);
        this.pages = Map.ofEntries(
                Map.entry("overview", new OverviewPage(shelf)),
                Map.entry("records", new RecordsPage(shelf, searches, workers)),
                Map.entry("fields", new FieldsPage(shelf, searches)),
                Map.entry("order", new OrderPage(shelf, searches, workers)),
                Map.entry("history", new HistoryPage(shelf, workers)),
                Map.entry("compare", new ComparePage(shelf, searches, workers)),
                Map.entry("store", new StorePage(shelf, searches)),
                Map.entry("flags", flags),
                Map.entry("pair", new PairPage(shelf, workers)),
                Map.entry("record", new RecordPage(shelf, workers)),
                Map.entry("find", new FindPage(shelf, workers)));
        this.server = HttpServer.create(new InetSocketAddress(options.host(), options.port()), BACKLOG);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
    }

    /// Starts a server.
    ///
    /// @throws IOException when the port is taken, or the host is not one of this machine
    public static Explorer start(Shelf shelf, Options options) throws IOException {
        Explorer explorer = new Explorer(shelf, options);
        explorer.server.start();
        return explorer;
    }

    private static void limit(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    /// The address of the first page, with the token.
    public URI url() {
        String host = options.host().contains(":") ? "[" + options.host() + "]" : options.host();
        return URI.create("http://" + host + ":" + server.getAddress().getPort() + "/" + gate.token() + "/");
    }

    private void answer(HttpExchange exchange) {
        try (exchange) {
            Reply reply = new Reply(exchange, options.frameAncestors());
            try {
                String path = gate.admit(exchange);
                if (exchange.getRequestMethod().equals("POST")) {
                    answerPost(path, Query.parse(exchange.getRequestURI().getRawQuery()), reply);
                } else {
                    answerGet(path, Query.parse(exchange.getRequestURI().getRawQuery()), reply);
                }
            } catch (Gate.Refused e) {
                reply.text(e.status(), e.getMessage());
            } catch (RejectedExecutionException e) {
                reply.json(503, Failure.usage(503, e.getMessage()).json());
            } catch (Exception | Error e) {
                Failure failure = Failure.of(e);
                reply.json(failure.status(), failure.json());
            }
        } catch (IOException e) {
            // The reader of the answer is gone.
        }
    }

    private void answerGet(String path, Query query, Reply reply) throws IOException {
        if (path.isEmpty()) {
            reply.redirect("overview");
        } else if (path.equals("value")) {
            values.send(query, reply);
        } else if (path.startsWith("assets/")) {
            asset(path.substring("assets/".length()), reply);
        } else if (!pages.containsKey(path)) {
            reply.text(404, "there is no page " + path);
        } else if (query.text("format", "html").equals("json")) {
            reply.json(200, pages.get(path).json(query));
        } else {
            reply.bytes(200, "text/html; charset=utf-8", Assets.shell());
        }
    }

    private static void asset(String name, Reply reply) throws IOException {
        String type = Assets.type(name);
        byte[] content = type == null ? null : Assets.read(name);
        if (content == null) {
            reply.text(404, "there is no file " + name);
        } else {
            reply.bytes(200, type, content);
        }
    }

    private void answerPost(String path, Query query, Reply reply) throws IOException {
        switch (path) {
            case "verify" -> verify(query, reply);
            case "flags" -> reply.json(200, flags.write(query, reply.exchange().getRequestBody()));
            default -> {
                if (pages.get(path) instanceof SearchPage page) {
                    search(page, query, reply);
                } else {
                    reply.text(404, "there is nothing to do at " + path);
                }
            }
        }
    }

    private void verify(Query query, Reply reply) throws IOException {
        Shelf.Entry entry = shelf.entry(query.text("dataset"));
        ProgressLines.send(
                reply,
                workers,
                UNLIMITED_SECONDS,
                tracker -> Description.of(
                        shelf.isGiven() || entry.view() != null
                                ? shelf.with(entry.id(), dataset -> dataset.verify(tracker))
                                : Catalog.verify(entry.location(), shelf.options(), tracker)));
    }

    private void search(SearchPage page, Query query, Reply reply) throws IOException {
        String id = query.text("dataset");
        long budget = query.number("budget", SearchPage.BUDGET_SECONDS_MAX, 1, UNLIMITED_SECONDS);
        shelf.with(id, dataset -> {
            searches.send(page.search(query, id, dataset), dataset, budget, reply);
            return null;
        });
    }

    /// Stops the server. Requests in progress end with an error.
    @Override
    public void close() {
        server.stop(0);
        workers.close();
        threads.shutdownNow();
    }
}

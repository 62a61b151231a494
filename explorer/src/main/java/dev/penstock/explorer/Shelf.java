// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.Io;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// The datasets that the explorer shows. Each has an id, which is the only way to name it in a request, so that no
/// request leads to any other file.
///
/// Datasets are opened when somebody asks for them. The least recently used ones are closed when there are many.
///
/// **Ownership.** Owns the datasets that it opened. A dataset that was given stays open.
///
/// **Threads.** Safe for any number of threads.
public final class Shelf implements AutoCloseable {
    private static final int OPEN_MAX = 16;
    private static final int LISTED_MAX = 1000;
    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<Location> locations;
    private final Catalog.Options options;
    private final Dataset given;
    private final Map<String, Held> held = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, String> knownViews = new ConcurrentHashMap<>();
    private boolean isClosed;

    /// One dataset that can be asked for.
    ///
    /// @param format the name of its format
    /// @param view   the name of a view of the dataset there ([Views]), or null
    record Entry(String id, Location location, String format, String view) {
        boolean isTree() {
            return format.equals("tree");
        }
    }

    private static final class Held {
        private final Dataset dataset;
        private final Map<String, Dataset> views = new HashMap<>();
        private int users;
        private long refreshedNanos = System.nanoTime();

        Held(Dataset dataset) {
            this.dataset = dataset;
        }

        /// The dataset or a view of it. Views are kept, because the first use of one may collect an index.
        Dataset dataset(String view, Catalog.Options options) throws IOException {
            if (view == null || view.equals(Views.GROUPS)) {
                return view == null ? dataset : Views.open(dataset, view, options);
            }
            synchronized (views) {
                Dataset open = views.get(view);
                if (open == null) {
                    open = Views.open(dataset, view, options);
                    views.put(view, open);
                }
                return open;
            }
        }

        void closeViews() {
            views.values().forEach(Dataset::close);
        }
    }

    private Shelf(List<Location> locations, Catalog.Options options, Dataset given) {
        this.locations = List.copyOf(locations);
        this.options = options;
        this.given = given;
    }

    /// The datasets at some locations, and those in folders and prefixes.
    ///
    /// @throws IOException when a location does not exist or cannot be read
    public static Shelf of(List<Location> locations, Catalog.Options options) throws IOException {
        Shelf shelf = new Shelf(locations, options, null);
        if (shelf.entries().isEmpty()) {
            String names = locations.stream().map(Location::toString).collect(Collectors.joining(", "));
            throw new IllegalArgumentException("there is no dataset in " + names);
        }
        return shelf;
    }

    /// One open dataset, which stays open when the shelf is closed.
    public static Shelf of(Dataset dataset) {
        return new Shelf(List.of(dataset.location()), Catalog.Options.DEFAULT, dataset);
    }

    Catalog.Options options() {
        return options;
    }

    /// Whether the dataset was given, so that only its holder may refresh and verify it as a whole.
    boolean isGiven() {
        return given != null;
    }

    /// All datasets, with those that are in the folders now.
    List<Entry> entries() throws IOException {
        if (given != null) {
            return List.of(new Entry(idOf(given.location()), given.location(), given.format(), null));
        }
        Map<String, Entry> entries = new LinkedHashMap<>();
        for (Location location : locations) {
            for (Entry entry : entriesAt(location)) {
                boolean isTaken = entries.containsKey(entry.id());
                String id = isTaken ? entry.location().toString() : entry.id();
                entries.putIfAbsent(id, new Entry(id, entry.location(), entry.format(), null));
            }
        }
        return List.copyOf(entries.values());
    }

    private static String idOf(Location location) {
        return location.name().isEmpty() ? location.toString() : location.name();
    }

    private List<Entry> entriesAt(Location location) throws IOException {
        Entry single = entry(idOf(location), location);
        if (single != null) {
            return List.of(single);
        }
        Storage storage = options.reading().storageOf(location);
        if (location.name().matches(".*[*?\\[].*") && !storage.exists(location)) {
            // A pattern, which opens as one dataset.
            return List.of(new Entry(idOf(location), location, "several", null));
        }
        if (!storage.exists(location)) {
            throw new NoSuchFileException(location.toString());
        }
        if (!storage.isFolder(location)) {
            // The message of the catalog says what the file is.
            Catalog.open(location, options).close();
        }
        List<Entry> found = new ArrayList<>();
        List<Location> names = storage.list(location).stream()
                .filter(file -> !file.name().startsWith("."))
                .sorted(Comparator.comparing(Location::name))
                .toList();
        for (Location file : names) {
            Entry entry = entry(idOf(location) + "/" + file.name(), file);
            if (entry != null && found.size() < LISTED_MAX) {
                found.add(entry);
            }
        }
        return found;
    }

    private Entry entry(String id, Location location) {
        try {
            return Catalog.format(location, options)
                    .map(format -> new Entry(id, location, format.format(), null))
                    .orElse(null);
        } catch (IOException e) {
            // Pipes, devices and files that may not be read are no datasets.
            return null;
        }
    }

    /// The dataset with an id. The id of a view is that of its dataset, `#` and the name of the view.
    ///
    /// @throws IllegalArgumentException when there is no such dataset
    Entry entry(String id) throws IOException {
        List<Entry> entries = entries();
        Entry whole = find(entries, id);
        int mark = whole == null ? id.lastIndexOf('#') : -1;
        Entry base = mark < 0 ? whole : find(entries, id.substring(0, mark));
        if (base == null) {
            throw new IllegalArgumentException("there is no dataset " + id + " here");
        }
        return mark < 0 ? base : new Entry(id, base.location(), base.format(), id.substring(mark + 1));
    }

    private static Entry find(List<Entry> entries, String id) {
        return entries.stream()
                .filter(entry -> entry.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    /// The id of the dataset that a view is of; otherwise the id itself.
    String baseId(String id) throws IOException {
        String view = view(id);
        return view == null ? id : id.substring(0, id.length() - view.length() - 1);
    }

    /// The name of the view that an id stands for, or null for a dataset. Listing the datasets again for each
    /// request would take long, so the answer is remembered.
    ///
    /// @throws IllegalArgumentException when there is no such dataset
    String view(String id) throws IOException {
        if (isOpen(id)) {
            return null;
        }
        String known = knownViews.get(id);
        if (known != null) {
            return known;
        }
        String view = entry(id).view();
        if (view != null) {
            if (knownViews.size() >= LISTED_MAX) {
                knownViews.clear();
            }
            knownViews.put(id, view);
        }
        return view;
    }

    /// Works with a dataset, which stays open meanwhile.
    ///
    /// @throws IllegalArgumentException when there is no such dataset
    <T> T with(String id, Io.Function<Dataset, T> work) throws IOException {
        String view = view(id);
        Held use = borrow(view == null ? id : baseId(id));
        try {
            return work.apply(use.dataset(view, options));
        } finally {
            giveBack(use);
        }
    }

    private synchronized boolean isOpen(String id) {
        return held.containsKey(id);
    }

    private synchronized Held borrow(String id) throws IOException {
        if (isClosed) {
            throw new IllegalStateException("the explorer is stopped");
        }
        Held found = held.get(id);
        if (found == null) {
            Entry entry = entry(id);
            found = new Held(given != null ? given : Catalog.open(entry.location(), options));
            held.put(id, found);
            closeUnused(OPEN_MAX);
        } else if (given == null && found.dataset.isRefreshable()) {
            refresh(found);
        }
        found.users++;
        return found;
    }

    private static void refresh(Held found) throws IOException {
        if (System.nanoTime() - found.refreshedNanos > REFRESH_NANOS) {
            found.dataset.refresh();
            found.refreshedNanos = System.nanoTime();
        }
    }

    private synchronized void giveBack(Held use) {
        use.users--;
        closeUnused(isClosed ? 0 : OPEN_MAX);
    }

    private void closeUnused(int max) {
        Iterator<Held> oldest = held.values().iterator();
        while (held.size() > max && oldest.hasNext()) {
            Held one = oldest.next();
            if (one.users == 0) {
                oldest.remove();
                one.closeViews();
                if (one.dataset != given) {
                    one.dataset.close();
                }
            }
        }
    }

    /// The ids of the datasets that are open now.
    synchronized Set<String> openIds() {
        return Set.copyOf(held.keySet());
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        closeUnused(0);
    }
}

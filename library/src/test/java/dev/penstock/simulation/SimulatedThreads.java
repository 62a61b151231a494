// SPDX-License-Identifier: Apache-2.0
package dev.penstock.simulation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;

/// Virtual threads that run one at a time, in an order that a random source decides.
///
/// A thread runs until it waits for a lock of `java.util.concurrent`, or calls [#pause]. Then another one goes on.
/// Threads that the code under test starts are virtual as well and take part. So the same seed always gives the
/// same run, as long as no thread waits for a time, and no monitor is held across a pause.
///
/// **Threads.** All of them run on the thread that calls [#run].
public final class SimulatedThreads {
    private static final Method NEW_THREAD = newThread();

    private final Random random;
    private final Executor scheduler = this::add;
    private final List<Runnable> ready = new ArrayList<>();
    private final List<Thread> started = new ArrayList<>();
    private final boolean hasSleepers;

    public SimulatedThreads(Random random) {
        this(random, false);
    }

    /// @param hasSleepers whether threads may sleep for a short time. A thread that sleeps is ready again before
    /// another one goes on, so time has no influence. The code under test must not start threads
    public SimulatedThreads(Random random, boolean hasSleepers) {
        this.random = random;
        this.hasSleepers = hasSleepers;
    }

    /// The method of the runtime that starts a virtual thread on a scheduler, which has no public form yet.
    private static Method newThread() {
        try {
            Method method = Class.forName("java.lang.ThreadBuilders")
                    .getDeclaredMethod("newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
            method.setAccessible(true);
            return method;
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// Adds a thread that is ready to run.
    public void start(String name, Runnable work) {
        try {
            Thread thread = (Thread) NEW_THREAD.invoke(null, scheduler, name, 0, work);
            started.add(thread);
            thread.start();
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new AssertionError(e);
        }
    }

    private synchronized void add(Runnable continuation) {
        ready.add(continuation);
    }

    private synchronized Runnable next() {
        if (ready.isEmpty()) {
            return null;
        }
        int chosen = random.nextInt(ready.size());
        Runnable last = ready.removeLast();
        return chosen == ready.size() ? last : ready.set(chosen, last);
    }

    private void awaitSleepers() {
        while (readyCount()
                < started.stream().filter(SimulatedThreads::isReadySoon).count()) {
            Thread.onSpinWait();
        }
    }

    private static boolean isReadySoon(Thread thread) {
        Thread.State state = thread.getState();
        return state == Thread.State.RUNNABLE || state == Thread.State.TIMED_WAITING;
    }

    private synchronized int readyCount() {
        return ready.size();
    }

    /// Lets other threads go on. Called by a simulated thread.
    public static void pause() {
        Thread.yield();
    }

    /// Runs all threads until none can go on.
    ///
    /// @return the names of threads that wait for ever
    public List<String> run() {
        for (Runnable next = next(); next != null; next = next()) {
            next.run();
            if (hasSleepers) {
                awaitSleepers();
            }
        }
        List<String> waiting =
                started.stream().filter(Thread::isAlive).map(Thread::getName).toList();
        started.clear();
        return waiting;
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.ClosedException;
import dev.penstock.Io;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/// One thread that makes calls for many others.
final class AuthorThread implements AutoCloseable {
    private final ExecutorService executor;

    AuthorThread(String name) {
        executor = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /// Makes a call and waits for it, also when the calling thread is interrupted: the result must be known.
    <T> T call(Io.Supplier<T> call) throws IOException {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            executor.execute(() -> complete(result, call));
            return result.join();
        } catch (CompletionException e) {
            throw thrown(e.getCause());
        } catch (RejectedExecutionException e) {
            throw new ClosedException("it is closed", e);
        }
    }

    private static <T> void complete(CompletableFuture<T> result, Io.Supplier<T> call) {
        try {
            result.complete(call.get());
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    private static IOException thrown(Throwable cause) {
        return switch (cause) {
            case IOException e -> e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(cause);
        };
    }

    /// Lets a running call finish, and ends the thread.
    @Override
    public void close() {
        executor.shutdown();
    }
}

// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/// Receives the body of an answer up to a number of bytes, and then closes the connection: a server that ignores
/// `Range` would send the whole file.
final class LimitedBody implements BodySubscriber<LimitedBody.Bytes> {
    private static final int FIRST_SIZE = 8 << 10;

    private final int sizeMax;
    private final CompletableFuture<Bytes> result = new CompletableFuture<>();
    private byte[] bytes;
    private volatile int received;
    private Flow.Subscription subscription;

    /// The received bytes.
    ///
    /// @param isCut whether there were more
    record Bytes(byte[] bytes, boolean isCut) {}

    /// @param sizeExpected the size that the server announced, or 0
    LimitedBody(int sizeMax, long sizeExpected) {
        this.sizeMax = sizeMax;
        this.bytes = new byte[(int) Math.min(sizeMax, sizeExpected > 0 ? sizeExpected : FIRST_SIZE)];
    }

    /// The number of bytes that arrived so far.
    int received() {
        return received;
    }

    @Override
    public CompletionStage<Bytes> getBody() {
        return result;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        this.subscription = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            int part = Math.min(buffer.remaining(), sizeMax - received);
            if (received + part > bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(sizeMax, Math.max(received + part, 2L * bytes.length)));
            }
            buffer.get(bytes, received, part);
            received += part;
            if (buffer.hasRemaining()) {
                subscription.cancel();
                complete(true);
                return;
            }
        }
    }

    private void complete(boolean isCut) {
        result.complete(new Bytes(received == bytes.length ? bytes : Arrays.copyOf(bytes, received), isCut));
    }

    @Override
    public void onError(Throwable failure) {
        result.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        complete(false);
    }
}

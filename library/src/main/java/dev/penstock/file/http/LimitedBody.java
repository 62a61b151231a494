// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/// Receives the body of an answer up to a number of bytes, and then closes the connection: a server that ignores
/// `Range` would send the whole file.
final class LimitedBody implements BodySubscriber<LimitedBody.Bytes> {
    private final int sizeMax;
    private final CompletableFuture<Bytes> result = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Flow.Subscription subscription;

    /// The received bytes.
    ///
    /// @param isCut whether there were more
    record Bytes(byte[] bytes, boolean isCut) {}

    LimitedBody(int sizeMax) {
        this.sizeMax = sizeMax;
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
            byte[] part = new byte[Math.min(buffer.remaining(), sizeMax - bytes.size())];
            buffer.get(part);
            bytes.writeBytes(part);
            if (buffer.hasRemaining()) {
                subscription.cancel();
                result.complete(new Bytes(bytes.toByteArray(), true));
                return;
            }
        }
    }

    @Override
    public void onError(Throwable failure) {
        result.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        result.complete(new Bytes(bytes.toByteArray(), false));
    }
}

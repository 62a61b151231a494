// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;

/// The body of a request. It counts the bytes that were handed to the connection, so that a slow upload can be
/// told apart from one that stands still.
final class SentBody implements HttpRequest.BodyPublisher {
    private final HttpRequest.BodyPublisher bytes;
    private volatile long sentBytes;

    SentBody(byte[] bytes) {
        this.bytes = HttpRequest.BodyPublishers.ofByteArray(bytes);
    }

    long sentBytes() {
        return sentBytes;
    }

    @Override
    public long contentLength() {
        return bytes.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        bytes.subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscriber.onSubscribe(subscription);
            }

            @Override
            public void onNext(ByteBuffer part) {
                sentBytes += part.remaining();
                subscriber.onNext(part);
            }

            @Override
            public void onError(Throwable failure) {
                subscriber.onError(failure);
            }

            @Override
            public void onComplete() {
                subscriber.onComplete();
            }
        });
    }
}

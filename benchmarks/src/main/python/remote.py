# SPDX-License-Identifier: Apache-2.0
"""Measures epochs over objects of an S3 server on this machine, behind a proxy that delays each
request, beside parallel GET requests of a client that knows the ranges.

remote.py S3PROXY_JAR LATENCY_MS ROUNDS prints lines `case|floor|ours|theirs|remark`, in MB/s.
"""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import hmac
import http.client
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from penstock import _runtime

JAR, LATENCY, ROUNDS = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
DATASET_BYTES = 32 << 20
CONNECTIONS = 16
REQUEST_BYTES = 1 << 20
EMPTY = hashlib.sha256(b"").hexdigest()
PROPERTIES = """
s3proxy.endpoint=http://127.0.0.1:0
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=test-identity
s3proxy.credential=test-secret
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir={folder}
"""


def signed(host, method, name, body=b"", more=None):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest() if body else EMPTY
    headers = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": now}
    names = ";".join(headers)
    lines = "".join(f"{key}:{value}\n" for key, value in headers.items())
    request = hashlib.sha256(f"{method}\n{name}\n\n{lines}\n{names}\n{digest}".encode()).hexdigest()
    scope = f"{now[:8]}/us-east-1/s3/aws4_request"
    key = b"AWS4test-secret"
    for word in scope.split("/"):
        key = hmac.digest(key, word.encode(), "sha256")
    text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{request}"
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    headers["Authorization"] = (
        f"AWS4-HMAC-SHA256 Credential=test-identity/{scope}, "
        f"SignedHeaders={names}, Signature={signature}"
    )
    return headers | (more or {})


def put(host, name, body=b""):
    connection = http.client.HTTPConnection(host)
    connection.request("PUT", name, body, signed(host, "PUT", name, body))
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    connection.close()


def floor(host, name, size):
    """Reads an object by parallel requests of a megabyte, and returns the seconds."""
    ranges = iter(range(0, size, REQUEST_BYTES))
    lock = threading.Lock()

    def work():
        connection = http.client.HTTPConnection(host)
        while True:
            with lock:
                start = next(ranges, None)
            if start is None:
                return
            last = min(size, start + REQUEST_BYTES) - 1
            headers = signed(host, "GET", name, more={"Range": f"bytes={start}-{last}"})
            connection.request("GET", name, headers=headers)
            answer = connection.getresponse()
            assert len(answer.read()) == last - start + 1 and answer.status == 206

    began = time.perf_counter()
    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def serve_delayed(upstream, port, seconds):
    async def pipe(reader, writer, delay):
        try:
            while data := await reader.read(1 << 18):
                if delay:
                    await asyncio.sleep(delay)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def serve(reader, writer):
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", upstream)
        await asyncio.gather(pipe(reader, far_writer, seconds), pipe(far_reader, writer, 0))

    async def run():
        server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=500)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(run())


def epoch_seconds(loader, count):
    began = time.perf_counter()
    rows = sum(len(batch) for batch in loader)
    assert rows == count
    return time.perf_counter() - began


def orders(penstock, count, record):
    block = max(1, (1 << 20) // record)
    return {
        "sequential": penstock.samplers.Sequential(count),
        "block shuffle": penstock.samplers.Block(count, block_size=block, window_blocks=8, seed=1),
        "full shuffle": penstock.samplers.Permutation(count, seed=1),
    }


def measure(host, folder):
    import penstock

    for record, text in ((32, "32 B"), (2048, "2 KiB"), (102_400, "100 KB")):
        count = DATASET_BYTES // record
        file = io.BytesIO()
        np.save(file, np.arange(count * record // 8, dtype="<i8").reshape(count, -1))
        name = f"/data/r{record}.npy"
        put(host, name, file.getvalue())
        size = len(file.getvalue())
        batch = max(8, min(4096, (1 << 19) // record))
        shares = (0, 10, 25, 50, 100) if record == 2048 else (0, 100)
        for order, sampler in orders(penstock, count, record).items():
            for share in shares:
                place = f"{folder}/{record}-{order[0]}-{share}"
                cache = 0 if share == 0 else f"{place}:{size * share // 100 + 4096}"
                case = f"{order}, {text}, cache {share} %"
                with (
                    penstock.open(f"s3:/{name}", cache=cache) as dataset,
                    penstock.Loader(dataset, batch_size=batch, sampler=sampler) as loader,
                ):
                    report(host, name, size, loader, count, case, share)
        if importlib.util.find_spec("s3fs"):
            s3fs_epoch(host, name, size, text)


def report(host, name, size, loader, count, case, share):
    epoch_seconds(loader, count)
    if share:
        # The cache is filled in the background.
        time.sleep(1)
    before = loader.stats()
    for _ in range(ROUNDS):
        theirs = floor(host, name, size)
        ours = epoch_seconds(loader, count)
        print(f"{case}|parallel GETs|{size / 1e6 / ours}|{size / 1e6 / theirs}|", end="")
        after = loader.stats()
        hits = (after["cache_hit_bytes"] - before["cache_hit_bytes"]) / size
        requests = after["requests"] - before["requests"]
        print(f"{requests} requests, {100 * hits:.0f} % from the cache", flush=True)
        before = after


def s3fs_epoch(host, name, size, text):
    import s3fs

    files = s3fs.S3FileSystem(
        key="test-identity",
        secret="test-secret",
        endpoint_url=f"http://{host}",
        config_kwargs={"s3": {"addressing_style": "path"}},
    )
    for _ in range(ROUNDS):
        began = time.perf_counter()
        assert len(files.cat(name[1:])) == size
        theirs = time.perf_counter() - began
        ours = floor(host, name, size)
        speeds = f"{size / 1e6 / ours}|{size / 1e6 / theirs}"
        print(f"parallel GETs, {text}|s3fs.cat|{speeds}|", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        buckets = Path(folder, "buckets")
        buckets.mkdir()
        properties = Path(folder, "s3proxy.properties")
        properties.write_text(PROPERTIES.format(folder=buckets))
        java = Path(_runtime.find_runtime().home, "bin", "java")
        server = subprocess.Popen(
            [java, "-Xmx256m", "-XX:+UseSerialGC", "-jar", JAR, "--properties", properties],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        proxy = None
        try:
            port = None
            for line in server.stdout:
                found = re.search(r"Started .*ServerConnector.*\{127\.0\.0\.1:(\d+)\}", line)
                if found:
                    port = int(found[1])
                    break
            threading.Thread(target=server.communicate, daemon=True).start()
            direct = f"127.0.0.1:{port}"
            put(direct, "/data")
            if LATENCY:
                proxy = subprocess.Popen(
                    [sys.executable, __file__, "proxy", str(LATENCY), str(port)],
                    stdout=subprocess.PIPE,
                    text=True,
                )
                port = int(proxy.stdout.readline())
            os.environ.update(
                AWS_ACCESS_KEY_ID="test-identity",
                AWS_SECRET_ACCESS_KEY="test-secret",
                AWS_REGION="us-east-1",
                AWS_EC2_METADATA_DISABLED="true",
                AWS_ENDPOINT_URL_S3=f"http://127.0.0.1:{port}",
            )
            measure(f"127.0.0.1:{port}", folder)
        finally:
            server.kill()
            if proxy:
                proxy.kill()


if __name__ == "__main__":
    if JAR == "proxy":
        serve_delayed(ROUNDS, 0, LATENCY / 1000)
    else:
        main()

# SPDX-License-Identifier: Apache-2.0
"""An S3 server on the loopback interface, the one that the Java tests use: s3proxy, which checks
signatures. Objects are written by signed requests of our own."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import http.client
import re
import subprocess
import threading
from pathlib import Path

from penstock import _runtime

JAR = Path(__file__).resolve().parents[2] / "objects" / "target" / "servers" / "s3proxy.jar"
_PROPERTIES = """
s3proxy.endpoint=http://127.0.0.1:0
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=test-identity
s3proxy.credential=test-secret
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir={folder}
"""


class S3Proxy:
    def __init__(self, folder: Path) -> None:
        (folder / "buckets").mkdir()
        properties = folder / "s3proxy.properties"
        properties.write_text(_PROPERTIES.format(folder=folder / "buckets"))
        java = Path(_runtime.find_runtime().home) / "bin" / "java"
        self._process = subprocess.Popen(
            [java, "-Xmx256m", "-XX:+UseSerialGC", "-jar", JAR, "--properties", properties],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.host = f"127.0.0.1:{self._port()}"
        # A process whose output nobody reads stops when the pipe is full.
        self._reader = threading.Thread(target=self._process.communicate)
        self._reader.start()

    def _port(self) -> str:
        assert self._process.stdout is not None
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            found = re.search(r"Started .*ServerConnector.*\{127\.0\.0\.1:(\d+)\}", line)
            if found:
                return found[1]
        raise AssertionError("s3proxy did not start: " + "".join(lines))

    @property
    def environment(self) -> dict[str, str]:
        """The settings with which other processes use the server."""
        return {
            "AWS_ACCESS_KEY_ID": "test-identity",
            "AWS_SECRET_ACCESS_KEY": "test-secret",
            "AWS_ENDPOINT_URL_S3": f"http://{self.host}",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def put(self, name: str, body: bytes = b"") -> None:
        """Creates the bucket `/BUCKET`, or the object `/BUCKET/KEY`."""
        time = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(body).hexdigest()
        headers = {"host": self.host, "x-amz-content-sha256": digest, "x-amz-date": time}
        names = ";".join(headers)
        lines = "".join(f"{key}:{value}\n" for key, value in headers.items())
        request = hashlib.sha256(f"PUT\n{name}\n\n{lines}\n{names}\n{digest}".encode()).hexdigest()
        scope = f"{time[:8]}/us-east-1/s3/aws4_request"
        key = b"AWS4test-secret"
        for word in scope.split("/"):
            key = hmac.digest(key, word.encode(), "sha256")
        text = f"AWS4-HMAC-SHA256\n{time}\n{scope}\n{request}"
        signature = hmac.digest(key, text.encode(), "sha256").hex()
        headers["Authorization"] = (
            f"AWS4-HMAC-SHA256 Credential=test-identity/{scope}, "
            f"SignedHeaders={names}, Signature={signature}"
        )
        connection = http.client.HTTPConnection(self.host)
        connection.request("PUT", name, body, headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        connection.close()

    def close(self) -> None:
        self._process.kill()
        self._reader.join()

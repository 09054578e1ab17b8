"""A client of the Store Orders API. It is one file and needs nothing but Python 3.9 or later: copy it.

    export ORDERS_URL=http://127.0.0.1:3000/staging/v1 ORDERS_KEY=so_test_…
    python3 store_orders.py list                # one JSON object per line
    python3 store_orders.py cancel 1001 1003

The client sends one request at a time and waits as long as the service asks: for hours if the day's limit is used up.
"""

from __future__ import annotations

import argparse
import codecs
import json
import os
import random
import re
import sys
import threading
import time
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

try:
    from compression.zstd import ZstdDecompressor, ZstdError  # Python 3.14 or later
except ImportError:
    ZstdDecompressor, ZstdError = None, zlib.error

USER_AGENT = "store-orders-python/1.0.0"
MAX_ATTEMPTS = 5
TIMEOUT_SECONDS = 30  # The longest wait for the first byte of a response, and for each further byte.
RESERVE = 2  # The number of requests of each window that are left for other processes that use the same key.
MAX_LENGTH = 1_000_000  # A limit for the length of an error or an order, which is never reached.
# Gets the method, the path, the status (0 without a response), and the seconds that the client then waits.
OnAttempt = Callable[[str, str, int, float], object]
NO_RESPONSE = (OSError, EOFError, HTTPException, zlib.error, ZstdError, ValueError, RecursionError)


class StoreOrdersError(Exception):
    """A request failed.

    `code` is the service's, or `unknown` (such as a proxy's page), `redirect`, `no_response`, `incomplete_list` or
    `aborted`. `status` is 0 without a response. Quote `request_id` when you report a problem.
    """

    def __init__(self, code: str, message: str, response: HTTPResponse | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.status = response.status if response else 0
        self.request_id = response.headers.get("x-amz-apigw-id") if response else None


class StoreOrders:
    """Setting `stop` ends a wait at once, and a silent request in 30 s. `allow_http` lets others read the key."""

    def __init__(
        self, base_url: str, api_key: str, stop: threading.Event | None = None, *, allow_http: bool = False,
        on_attempt: OnAttempt = lambda *attempt: None,
    ) -> None:
        url = urlsplit(base_url.strip())
        is_local = re.fullmatch(r"localhost|127(\.\d+){3}|::1", url.hostname or "")
        if url.scheme != "https" and not (url.scheme == "http" and (is_local or allow_http)):
            raise ValueError("The base URL must begin with https://, or others could read the key: see allow_http.")
        self._scheme, self._host, self._path = url.scheme, url.netloc.rpartition("@")[2], url.path.rstrip("/")
        self._api_key, self._stop, self._on_attempt = api_key.strip(), stop, on_attempt
        if re.search("[^0-9A-Za-z_-]", self._api_key):  # An error would show such a key.
            raise ValueError("The API key is malformed.")
        self._turn = threading.Lock()
        self._resume_at = 0.0  # The time from which the next request may be sent, by the monotonic clock.
        self._idle: HTTPConnection | None = self._connection()
        self._used_at = 0.0

    def orders(self) -> Iterator[dict[str, Any]]:
        """Yields all orders in constant memory. After `incomplete_list`, discard them, and list them again."""
        return self._attempts("GET", "/store/orders")

    def cancel(self, order_id: int) -> str:
        """Cancels a pending order. Returns "already cancelled" if the response to an earlier attempt was lost.

        Raises StoreOrdersError, such as `order_already_shipped`, or `insufficient_scope` with a read-only key.
        """
        if not isinstance(order_id, int) or isinstance(order_id, bool):
            raise TypeError(f"The order id {order_id!r} is not an int.")
        try:
            next(self._attempts("DELETE", f"/store/orders/{int(order_id)}"), None)
            return "cancelled"
        except StoreOrdersError as error:
            if error.code == "order_already_cancelled":
                return "already cancelled"
            raise

    def _attempts(self, method: str, path: str) -> Iterator[dict[str, Any]]:
        """Sends a request up to five times, and yields the orders of a list."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            order, status, pause = None, 0, 0.0
            try:
                with self._response(method, path) as response:
                    status = response.status
                    if method == "GET":
                        for order in _orders_in(response, self._texts(response)):
                            yield order
                return
            except StoreOrdersError as error:
                status = error.status or status
                self._sleep(0)
                if order or attempt == MAX_ATTEMPTS or (300 <= status < 500 and status != 429):
                    raise
                pause = random.random() * 0.125 * 2**attempt  # Separates clients that failed together.
            finally:
                self._on_attempt(method, path, status, max(pause, self._resume_at - time.monotonic()))
            self._sleep(pause)

    @contextmanager
    def _response(self, method: str, path: str) -> Iterator[HTTPResponse]:
        """Sends a request when the request before it has been answered."""
        headers = {
            "Accept-Encoding": "zstd, gzip" if ZstdDecompressor else "gzip",
            "Authorization": f"Bearer {self._api_key}",
            "User-Agent": USER_AGENT,
        }
        with self._turn:
            self._sleep(self._resume_at - time.monotonic())
            connection, self._idle = self._idle or self._connection(), None
            if time.monotonic() - self._used_at > 4:  # Some servers close a connection that is idle for 5 s.
                connection.close()
            try:
                connection.request(method, self._path + path, headers=headers)
                response = connection.getresponse()
                while response.status < 200:  # `http.client` returns an interim response, such as 103.
                    response.headers = None
                    response.begin()
            except NO_RESPONSE as error:
                connection.close()
                raise StoreOrdersError("no_response", repr(error)) from error
            seconds = _seconds_in(response.headers.get("Retry-After", ""))
            for remaining, reset in re.findall(r";r=(\d{1,9});t=(\d{1,9})", response.headers.get("RateLimit", "")):
                if int(remaining) <= RESERVE:
                    seconds = max(seconds, int(reset))
            self._resume_at = max(self._resume_at, time.monotonic() + seconds)
        try:
            if response.status != (200 if method == "GET" else 204):  # A proxy may send a page with another status.
                raise _error_of(response, self._texts(response))
            yield response
        finally:
            if response.isclosed() or response.length == 0:
                response.close()
                self._idle, self._used_at = connection, time.monotonic()
            else:
                connection.close()

    def _connection(self) -> HTTPConnection:
        proxy = getproxies().get("https") if self._scheme == "https" else None
        if not proxy or proxy_bypass(self._host):
            connect = HTTPSConnection if self._scheme == "https" else HTTPConnection
            return connect(self._host, timeout=TIMEOUT_SECONDS)
        url = urlsplit("//" + proxy.rpartition("//")[2])
        connection = HTTPSConnection(url.hostname or "", url.port or 80, timeout=TIMEOUT_SECONDS)
        user = f"{unquote(url.username or '')}:{unquote(url.password or '')}".encode()
        credentials = {"Proxy-Authorization": f"Basic {b64encode(user).decode()}"} if url.username else {}
        connection.set_tunnel(self._host, headers=credentials)
        return connection

    def _sleep(self, seconds: float) -> None:
        wait = self._stop.wait if self._stop else time.sleep
        if wait(min(max(0, seconds), threading.TIMEOUT_MAX)):
            raise StoreOrdersError("aborted", "the client was stopped")

    def _texts(self, response: HTTPResponse) -> Iterator[str]:
        coding, unzip = response.headers.get("Content-Encoding", "").lower(), bytes
        if coding == "gzip":
            unzip = zlib.decompressobj(wbits=31).decompress
        if coding == "zstd" and ZstdDecompressor:
            unzip = ZstdDecompressor().decompress
        decode = codecs.getincrementaldecoder("utf-8")().decode
        while chunk := response.read1(16_384):
            self._sleep(0)
            yield decode(unzip(chunk))


def _seconds_in(retry_after: str) -> float:
    """The service sends seconds. A proxy may send a date."""
    try:
        if retry_after.isdecimal():
            return int(retry_after[:9])
        return max(0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, LookupError):
        return 0


def _error_of(response: HTTPResponse, texts: Iterable[str]) -> StoreOrdersError:
    if 300 <= response.status < 400:
        return StoreOrdersError("redirect", f"redirects are not followed: {response.headers['Location']}", response)
    try:
        text = ""
        for part in texts:
            text += part
            if len(text) > MAX_LENGTH:
                break
        body = json.loads(text)
        return StoreOrdersError(body["code"], body["message"], response)
    except (*NO_RESPONSE, LookupError, TypeError):
        # The body is not an error of the service. It may be the page of a proxy, or it may have been cut off.
        return StoreOrdersError("unknown", f"HTTP status {response.status}", response)


def _orders_in(response: HTTPResponse, texts: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Parses an array of objects while its text arrives. Raises StoreOrdersError if it is not a whole array."""
    rest, separator, decode = "", "[", json.JSONDecoder().raw_decode
    try:
        for text in texts:
            rest += text
            end = 0
            while (start := rest.find("{", end)) >= 0:
                if rest[end:start].strip() != separator:
                    raise ValueError("the body is not a list")
                try:
                    order, end = decode(rest, start)
                except ValueError:  # The rest of the order has not arrived yet.
                    break
                separator = ","
                yield order
            rest = rest[end:]
            if len(rest) > MAX_LENGTH:
                break
        if "".join(rest.split()) != ("]" if separator == "," else "[]"):
            raise ValueError("the body is not a whole list")
    except NO_RESPONSE as error:
        message = f"discard the orders of this list, and list them again: {error!r}"
        raise StoreOrdersError("incomplete_list", message, response) from error


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Lists and cancels orders of the Store Orders API.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list all orders, one JSON object per line")
    commands.add_parser("cancel", help="cancel orders").add_argument("id", type=int, nargs="+", help="such as 1001")
    arguments = parser.parse_args()
    names = ("ORDERS_URL", "ORDERS_KEY")
    url, key = (os.environ.get(name) or sys.exit(f"Set the environment variable {name}.") for name in names)
    try:
        store = StoreOrders(url, key)
        if arguments.command == "list":
            for order in store.orders():
                print(json.dumps(order))
        else:
            for order_id in arguments.id:
                print(order_id, end=" ", flush=True)
                print(store.cancel(order_id), flush=True)
    except (StoreOrdersError, HTTPException, ValueError, BrokenPipeError, KeyboardInterrupt) as error:
        sys.exit(str(error) or "interrupted")

"""A client of the Store Orders API. It is one file and needs nothing but Python 3.9 or later: copy it.

    export STORE_ORDERS_URL=http://127.0.0.1:3000/staging/v1 STORE_ORDERS_KEY=so_test_…
    python3 store_orders.py              # lists all orders, one JSON object per line
    python3 store_orders.py 1001 1002    # cancels two orders

The client sends one request at a time and waits as long as the service asks: for hours if the day's limit is used up.
"""

import codecs
import json
import os
import random
import re
import sys
import threading
import time
import zlib
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

MAX_ATTEMPTS = 5
# How long to wait for the first byte of a response, and for each further one.
TIMEOUT_SECONDS = 30
# How many requests of each window are left for other processes that use the same key.
RESERVE = 2
NO_RESPONSE = (OSError, HTTPException, zlib.error, ValueError)


class StoreOrdersError(Exception):
    """A request failed.

    `code` is that of the service's error; `unknown` for the error of another system, such as a proxy; `no_response`;
    `incomplete_list`; or `aborted`. `status` is 0 without a response. Quote `request_id` when you report a problem.
    """

    def __init__(self, code, message, response=None):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.status = response.status if response else 0
        self.request_id = response.headers.get("x-amz-apigw-id") if response else None
        retry_after = response.headers.get("Retry-After", "") if response else ""
        # A proxy may send a date, which is ignored.
        self.retry_after_seconds = int(retry_after) if retry_after.isdecimal() else None


class StoreOrders:
    """Setting `stop`, a `threading.Event`, ends a wait at once and a silent request within 30 s, with `aborted`."""

    def __init__(self, base_url, api_key, stop=None):
        self._base_url, self._api_key, self._stop = base_url, api_key.strip(), stop
        if re.search("[^0-9A-Za-z_-]", self._api_key):  # `urlopen` would put such a key into its error.
            raise ValueError("The API key is malformed.")
        self._turn = threading.Lock()
        self._resume_at = 0  # The time before which the next request would use up the limits.

    def orders(self):
        """Yields all orders in constant memory. A list that is cut off before its first order is requested again.

        Raises StoreOrdersError `incomplete_list`: discard the orders, and list them again.
        """
        for attempt in range(1, MAX_ATTEMPTS + 1):
            order = None
            try:
                for order in self._list():
                    yield order
                return
            except StoreOrdersError as error:
                if order:
                    raise
                self._back_off(error, attempt)

    def cancel(self, order_id):
        """Cancels a pending order. Returns "already cancelled" if the response to an earlier attempt was lost."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                self._send("DELETE", f"/store/orders/{order_id}").close()
                return "cancelled"
            except StoreOrdersError as error:
                if error.code == "order_already_cancelled":
                    return "already cancelled"
                self._back_off(error, attempt)

    def _list(self):
        with self._send("GET", "/store/orders") as response:
            try:
                yield from _objects(self._texts(response))
            except NO_RESPONSE as error:
                self._sleep(0)
                message = f"discard the orders of this list, and list them again: {error!r}"
                raise StoreOrdersError("incomplete_list", message, response) from error

    def _send(self, method, path):
        """Sends a request when the one before it has been answered."""
        request = Request(self._base_url + path, headers={"Accept-Encoding": "gzip"}, method=method)
        request.add_unredirected_header("Authorization", f"Bearer {self._api_key}")
        with self._turn:
            self._sleep(self._resume_at - time.time())
            try:
                response = urlopen(request, timeout=TIMEOUT_SECONDS)
            except HTTPError as error:
                response = error
            except NO_RESPONSE as error:
                raise StoreOrdersError("no_response", repr(error)) from error
            for remaining, seconds in re.findall(r";r=(\d+);t=(\d+)", response.headers.get("RateLimit", "")):
                if int(remaining) <= RESERVE:
                    self._resume_at = max(self._resume_at, time.time() + int(seconds))
        if response.status == (200 if method == "GET" else 204):  # A proxy may send a page with another status.
            return response
        with response:
            raise _error_of(response)

    def _back_off(self, error, attempt):
        """Waits before the next attempt, or raises the error if there is to be none."""
        is_final = error.code == "aborted" or (400 <= error.status < 500 and error.status != 429)
        if is_final or attempt == MAX_ATTEMPTS:
            raise error
        # A random pause separates clients that failed together.
        pause = random.random() * min(20, 0.25 * 2 ** (attempt - 1))
        self._sleep(pause if error.retry_after_seconds is None else error.retry_after_seconds)

    def _sleep(self, seconds):
        if self._stop is None:
            time.sleep(max(0, seconds))
        elif self._stop.wait(max(0, seconds)):
            raise StoreOrdersError("aborted", "the client was stopped")

    def _texts(self, response):
        is_gzip = response.headers.get("Content-Encoding") == "gzip"
        unzip = zlib.decompressobj(wbits=31).decompress if is_gzip else bytes
        decode = codecs.getincrementaldecoder("utf-8")().decode
        while chunk := response.read1(65_536):
            self._sleep(0)
            yield decode(unzip(chunk))


def _error_of(response):
    try:
        body = json.loads(response.read())
        return StoreOrdersError(body["code"], body["message"], response)
    except (*NO_RESPONSE, LookupError, TypeError):
        return StoreOrdersError("unknown", f"HTTP status {response.status}", response)


def _objects(texts):
    """Parses an array of objects while its text arrives. Raises ValueError if the text is not a whole array."""
    rest, separator, decode = "", "[", json.JSONDecoder().raw_decode
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
    if "".join(rest.split()) != ("]" if separator == "," else "[]"):
        raise ValueError("the body is not a whole list")


if __name__ == "__main__":
    missing = [name for name in ("STORE_ORDERS_URL", "STORE_ORDERS_KEY") if not os.environ.get(name)]
    if missing:
        sys.exit(f"Set the environment variable {' and '.join(missing)}.")
    try:
        store = StoreOrders(os.environ["STORE_ORDERS_URL"], os.environ["STORE_ORDERS_KEY"])
        for order in store.orders() if len(sys.argv) == 1 else []:
            print(json.dumps(order))
        for order_id in sys.argv[1:]:
            print(order_id, store.cancel(order_id))
    except (StoreOrdersError, ValueError) as error:
        sys.exit(str(error))

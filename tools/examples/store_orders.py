"""Lists the orders of $STORE_ORDERS_URL with $STORE_ORDERS_KEY, one JSON object a line: python3 store_orders.py
cancels those whose ids it is given instead. It needs Python 3.9 or newer and nothing else."""

import codecs
import json
import os
import random
import sys
import time
import zlib
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ATTEMPTS = 5
IDLE_SECONDS = 30
LONGEST_WAIT_SECONDS = 120
# What is raised when a connection fails, or ends too early.
NO_ANSWER = (OSError, EOFError, HTTPException, zlib.error)


class StoreOrdersError(Exception):
    """An error response; its code is `unknown` where another system has answered."""

    def __init__(self, response):
        self.status = response.code
        try:
            body = json.loads(response.read())
            self.code, message = body["code"], body["message"]
        except (*NO_ANSWER, ValueError, LookupError, TypeError):
            self.code, message = "unknown", response.reason
        super().__init__(f"{self.status} {self.code}: {message}")


class StoreOrders:
    def __init__(self, base_url, api_key, sleep=time.sleep):
        self._base_url, self._api_key, self._sleep = base_url, api_key, sleep

    def orders(self):
        """Yields every order in constant memory. A list that is cut off raises ConnectionError: begin anew."""
        with self._send("GET", "/store/orders") as response:
            try:
                yield from _objects(_texts(response))
            except NO_ANSWER as error:
                raise ConnectionError(f"the list was cut off before its end: {error!r}") from error

    def cancel(self, order_id):
        """Cancels an order, or finds it cancelled: the answer to an earlier attempt may have been lost."""
        try:
            self._send("DELETE", f"/store/orders/{order_id}").close()
        except StoreOrdersError as error:
            if error.code != "order_already_cancelled":
                raise
            return "already cancelled"
        return "cancelled"

    def _send(self, method, path):
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept-Encoding": "gzip"}
        request = Request(self._base_url + path, headers=headers, method=method)
        for attempt in range(1, ATTEMPTS + 1):
            seconds = random.random() * min(20, 0.25 * 2 ** (attempt - 1))
            try:
                return urlopen(request, timeout=IDLE_SECONDS)
            except HTTPError as response:
                retry_after = response.headers.get("Retry-After", "")  # A proxy may give a date.
                seconds = int(retry_after) if retry_after.isdecimal() else seconds
                may_repeat = response.code == 429 or response.code >= 500
                if not may_repeat or attempt == ATTEMPTS or seconds > LONGEST_WAIT_SECONDS:
                    raise StoreOrdersError(response) from None
            except NO_ANSWER:
                if attempt == ATTEMPTS:
                    raise
            self._sleep(seconds)


def _texts(response):
    is_gzip = response.headers.get("Content-Encoding") == "gzip"
    unzip = zlib.decompressobj(wbits=31).decompress if is_gzip else bytes
    decode = codecs.getincrementaldecoder("utf-8")().decode
    while chunk := response.read1(65_536):
        yield decode(unzip(chunk))


def _objects(texts):
    """The objects of a JSON array of flat objects, each as soon as it has arrived."""
    buffer, decode = "", json.JSONDecoder().raw_decode
    for text in texts:
        buffer += text
        end = 0
        while (start := buffer.find("{", end)) >= 0:
            try:
                item, end = decode(buffer, start)
            except ValueError:  # The rest of it is still to come.
                break
            yield item
        buffer = buffer[end:]
    if buffer not in ("]", "[]"):
        raise EOFError("no closing bracket")


if __name__ == "__main__":
    store = StoreOrders(os.environ["STORE_ORDERS_URL"], os.environ["STORE_ORDERS_KEY"])
    try:
        for order in store.orders() if len(sys.argv) == 1 else []:
            print(json.dumps(order))
        for order_id in sys.argv[1:]:
            print(order_id, store.cancel(order_id))
    except (StoreOrdersError, *NO_ANSWER) as error:
        sys.exit(str(error))

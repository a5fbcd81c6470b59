"""An API on loopback that answers by script and remembers every request."""

from __future__ import annotations

import json
import socket
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEADERS = {
    "content-type": "application/json; charset=utf-8",
    "x-request-id": "req_12345678",
    "x-ratelimit-limit": "60",
    "x-ratelimit-remaining": "59",
    "x-ratelimit-reset": "1767225660",
}


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ScriptedServer

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(self.command, self.path, headers, body))
        script = self.server.scripts[self.path]
        if script:
            script.pop(0)(self)
        else:
            self.server.unexpected.append(f"{self.command} {self.path}")
            failure(404, "SCRIPT_IS_OVER")(self)

    do_GET = do_POST = do_PATCH = do_DELETE = answer

    def send(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


Step = Callable[[Handler], None]


class ScriptedServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[Request] = []
        self.scripts: dict[str, list[Step]] = defaultdict(list)
        self.unexpected: list[str] = []
        """Requests that no step was left for; a refusal that is not tried again has answered them."""
        self.over = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=[0.01], daemon=True).start()

    def script(self, path: str, *steps: Step) -> None:
        self.scripts[path].extend(steps)

    def requests_for(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.path == path]

    def close(self) -> None:
        self.over.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Connections break in these tests."""


def success(data: object, meta: object = None) -> Step:
    """A successful answer as the API gives it."""
    body = {"success": True, "data": data} | ({} if meta is None else {"meta": meta})
    return lambda handler: handler.send(200, HEADERS, json.dumps(body).encode())


def failure(status: int, code: str, retry_after: int | None = None) -> Step:
    """A failure as the API gives it."""
    error: dict[str, object] = {"code": code, "message": f"{code} it is", "request_id": "req_12345678"}
    headers = dict(HEADERS)
    if retry_after is not None:
        error["retry_after"] = retry_after
        headers["retry-after"] = str(retry_after)
    body = json.dumps({"success": False, "error": error}).encode()
    return lambda handler: handler.send(status, headers, body)


def plain(status: int, body: str = "", **headers: str) -> Step:
    return lambda handler: handler.send(status, {"content-type": "text/html", **headers}, body.encode())


def drop(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def hang(handler: Handler) -> None:
    handler.server.over.wait()
    handler.close_connection = True


def half(handler: Handler) -> None:
    """Begins an answer, and hangs."""
    handler.wfile.write(b'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"success":')
    hang(handler)


def event_stream(*chunks: bytes | str, then: Step | None = None) -> Step:
    """An event stream that ends properly after its chunks, or goes on with a step of its own."""

    data = [chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks]
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    begin = head + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in data)

    def step(handler: Handler) -> None:
        # In one piece: a client that has the headers has the chunks.
        handler.wfile.write(begin)
        if then is None:
            handler.wfile.write(b"0\r\n\r\n")
        else:
            then(handler)

    return step


def frame(number: int) -> str:
    data = json.dumps({"event": "signal.new", "data": {"id": f"sig_{number}"}})
    return f"id: {number}\nevent: signal.new\ndata: {data}\n\n"

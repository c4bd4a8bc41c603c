"""Serves an ASGI application on 127.0.0.1 and says on stderr where."""

import asyncio
import socket
import sys

import uvicorn


def bind(port: int) -> tuple[socket.socket, str]:
    """Listens on 127.0.0.1; port 0 takes a free one. Who connects early waits in the queue."""
    # With the protocol named, asyncio sets TCP_NODELAY on what is accepted; without it each answer
    # waits 40 ms for the acknowledgement of its head.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", port))
    sock.listen(128)
    return sock, f"http://127.0.0.1:{sock.getsockname()[1]}"


def serve(app, sock: socket.socket, url: str) -> None:
    """Serves until the process is told to end."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))

    async def run() -> None:
        print(f"listening {url}", file=sys.stderr, flush=True)
        await server.serve(sockets=[sock])

    asyncio.run(run())

"""Serves a folder with ranges over HTTP, each answer late by so many milliseconds. It costs next to nothing itself, and so
tells what a client waits for from what a test server such as moto needs to answer.

    range_server.py FOLDER MILLISECONDS    prints its port, then serves until its input ends
"""

import asyncio
import os
import re
import sys

folder, delay = sys.argv[1], float(sys.argv[2]) / 1000
MANY = {"n": 0, "now": 0, "most": 0}


async def answer(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            MANY["n"] += 1
            MANY["now"] += 1
            MANY["most"] = max(MANY["most"], MANY["now"])
            await asyncio.sleep(delay)
            MANY["now"] -= 1
            method, path = head.split(b" ")[:2]
            path = os.path.join(folder, path.decode().lstrip("/"))
            if not os.path.isfile(path):
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                continue
            size = os.path.getsize(path)
            found = re.search(rb"range: bytes=(\d+)-(\d+)", head, re.IGNORECASE)
            start, end = (int(found[1]), int(found[2]) + 1) if found else (0, size)
            status = b"206 Partial Content" if found else b"200 OK"
            with open(path, "rb") as file:
                body = os.pread(file.fileno(), end - start, start)
            more = f"Content-Length: {len(body)}\r\nContent-Range: bytes {start}-{end - 1}/{size}\r\n"
            more += 'ETag: "x"\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n'
            writer.write(b"HTTP/1.1 " + status + b"\r\n" + more.encode() + (b"" if method == b"HEAD" else body))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(f"{MANY['n']} requests, at most {MANY['most']} at a time", flush=True)
    os._exit(0)


asyncio.run(main())

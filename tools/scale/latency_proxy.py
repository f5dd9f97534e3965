"""Puts a delay between a client and a server: every byte arrives that much later, in both directions together.

Unlike a pause between pieces, this does not slow a stream down: bytes wait side by side, as on a long line.

    latency_proxy.py TO_PORT MILLISECONDS    prints its port, then serves until its input ends
"""

import asyncio
import sys


async def pump(reader, writer, delay, counts, name):
    queue = asyncio.Queue()

    async def send():
        while True:
            due, piece = await queue.get()
            await asyncio.sleep(max(0, due - asyncio.get_running_loop().time()))
            if not piece:
                writer.close()
                return
            writer.write(piece)
            await writer.drain()

    sender = asyncio.create_task(send())
    while True:
        try:
            piece = await reader.read(1 << 16)
        except ConnectionError:
            piece = b""
        counts[name] += len(piece)
        queue.put_nowait((asyncio.get_running_loop().time() + delay, piece))
        if not piece:
            break
    try:
        await sender
    except ConnectionError:
        pass


async def main():
    port, delay = int(sys.argv[1]), float(sys.argv[2]) / 1000
    counts = {"asked": 0, "answered": 0}

    async def serve(reader, writer):
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(
            pump(reader, server_writer, delay / 2, counts, "asked"),
            pump(server_reader, writer, delay / 2, counts, "answered"),
        )

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(f"{counts['asked']} bytes asked, {counts['answered']} bytes answered", flush=True)


asyncio.run(main())

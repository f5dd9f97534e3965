"""Answers ClickHouse's HTTP interface out of chdb, ClickHouse's engine in this process.

Not a server to use: one query at a time, no users. It shows that the SQL of the program is what the engine takes, and
that its answers are read rightly, where there is no server.

    clickhouse_bridge.py FOLDER    prints its port, then serves until its input ends
"""

import http.server
import os
import sys
import tempfile
import threading
import urllib.parse

from chdb import session

# The structure of the rows that an insert sends, by table: chdb cannot be handed a body.
STRUCTURES = {
    "version": "version UInt32, corpus String",
    "sources": "source UInt64, key String, label String, digest String, stats String, head String, "
    "removed UInt8, changed UInt64",
    "postings": "key UInt64, source UInt64, blob UInt32, component UInt32",
    "blobs": "id String, source UInt64, blob UInt32",
    "blocks": "source UInt64, start UInt64, checksum UInt32, bytes String",
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            parts = []
            while True:
                n = int(self.rfile.readline().split(b";")[0], 16)
                parts.append(self.rfile.read(n))
                self.rfile.readline()
                if n == 0:
                    return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer()

    def answer(self):
        parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        body = self.body()
        query = parameters.get("query", "")
        try:
            with self.server.lock:
                result = self.insert(query, body) if query.upper().startswith("INSERT") else self.ask(query, body, parameters)
            status = 200
        except Exception as why:  # What the engine says goes to the client, as a server does it.
            result, status = str(why).encode(), 500
        self.send_response(status)
        self.send_header("Content-Length", str(len(result)))
        self.end_headers()
        self.wfile.write(result)

    def ask(self, query, body, parameters):
        query = query or body.decode()
        form = parameters.get("default_format", "TabSeparated")
        if " FORMAT " in query:
            query, form = query.rsplit(" FORMAT ", 1)
        return self.server.session.query(query, form.strip()).bytes() or b""

    def insert(self, query, body):
        into = query[: query.upper().index(" FORMAT ")]
        form = query[query.upper().index(" FORMAT ") + 8 :].strip()
        table = into.split("(")[0].split(".")[-1].strip(" `")
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(body)
        try:
            if body:
                select = f"SELECT * FROM file('{file.name}', {form}, '{STRUCTURES[table]}')"
                self.server.session.query(f"{into} {select}")
        finally:
            os.unlink(file.name)
        return b""


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.lock = threading.Lock()
    server.session = session.Session(sys.argv[1])
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()

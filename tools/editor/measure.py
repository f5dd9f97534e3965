"""Times the language server: from an edit to its diagnostics.

    tools/editor/measure.py BINARY REPOSITORY FILE [EDITS]

Opens the file, then inserts in its middle a line of its own, and every other time forty lines of its own, which is a
copy. Prints the wall time, without what the server waits for the next keystroke, and the CPU time of the server.
"""

import json
import os
import pathlib
import queue
import statistics
import subprocess
import sys
import threading
import time

# The server is told to wait for no further keystroke.
OPTIONS = {"debounce": 0}


class Server:
    def __init__(self, binary, root):
        self.process = subprocess.Popen(
            [binary, "lsp"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.messages = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while line := self.process.stdout.readline():
            n_bytes = 0
            while line.strip():
                name, value = line.split(b":", 1)
                if name.lower() == b"content-length":
                    n_bytes = int(value)
                line = self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(n_bytes))
            self.messages.put((time.monotonic(), message))

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def diagnostics(self, version):
        """The time at which the diagnostics of a version came, and how many."""
        while True:
            at, message = self.messages.get(timeout=60)
            if message.get("method") == "textDocument/publishDiagnostics":
                if message["params"].get("version", version) == version:
                    return at, len(message["params"]["diagnostics"])
            elif "method" in message and "id" in message:
                self.send(id=message["id"], result=None)

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(binary, root, name, n_edits=20):
    root = pathlib.Path(root).resolve()
    text = (root / name).read_text()
    lines = text.split("\n")
    uri = (root / name).as_uri()
    server = Server(os.path.abspath(binary), root)
    folders = [{"uri": root.as_uri(), "name": "tree"}]
    server.send(
        id=1,
        method="initialize",
        params={"rootUri": root.as_uri(), "capabilities": {}, "workspaceFolders": folders,
                "initializationOptions": OPTIONS},
    )
    server.messages.get(timeout=60)
    server.send(method="initialized", params={})
    document = {"uri": uri, "languageId": "", "version": 1, "text": text}
    server.send(method="textDocument/didOpen", params={"textDocument": document})
    server.diagnostics(1)
    walls, cpus, found = [], [], 0
    middle = {"line": len(lines) // 2, "character": 0}
    for version in range(2, 2 + int(n_edits)):
        added = lines[20 * version:20 * version + (40 if version % 2 else 1)]
        change = {"range": {"start": middle, "end": middle}, "text": "\n".join(added) + "\n"}
        cpu, start = server.cpu(), time.monotonic()
        server.send(
            method="textDocument/didChange",
            params={"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]},
        )
        at, found = server.diagnostics(version)
        walls.append(1000 * (at - start))
        cpus.append(1000 * (server.cpu() - cpu))
    server.process.kill()
    for what, figures in [("wall", walls), ("CPU", cpus)]:
        largest = sorted(figures)[int(0.95 * (len(figures) - 1))]
        print(f"{what}: median {statistics.median(figures):.0f} ms, p95 {largest:.0f} ms, {len(figures)} edits")
    print(f"{len(lines)} lines at first, {found} diagnostics in the end")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])

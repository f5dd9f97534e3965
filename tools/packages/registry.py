"""Serves the npm packages of a folder on this machine, as a registry does: registry.py DIR prints its address."""

import base64
import hashlib
import json
import sys
import tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


def manifest(file: Path) -> dict:
    with tarfile.open(file) as tar:
        return json.load(tar.extractfile("package/package.json"))


def main(folder: Path) -> None:
    packages = {found["name"]: (file, found) for file in folder.glob("*.tgz") for found in [manifest(file)]}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            path = unquote(self.path).strip("/")
            if path.endswith(".tgz") and (folder / Path(path).name).exists():
                self.answer((folder / Path(path).name).read_bytes(), "application/octet-stream")
            elif path in packages:
                file, found = packages[path]
                sri = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
                found = {**found, "dist": {"tarball": f"{address}/{file.name}", "integrity": f"sha512-{sri}"}}
                version = found["version"]
                self.answer(json.dumps({"name": path, "dist-tags": {"latest": version}, "versions": {version: found}}).encode(), "application/json")
            else:
                self.send_error(404)

        def answer(self, body: bytes, kind: str):
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}"
    print(address, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

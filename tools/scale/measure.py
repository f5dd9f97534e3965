"""Measures what searching a corpus in place costs, with a delay on the line to it.

    measure.py SECONDHAND CORPUS_DIR CORPUS REPOSITORY BASE HEAD [--server ranges|moto|S3RVER|PORT]
               [--milliseconds 60] [--runs 5]

The server is range_server.py, which itself costs next to nothing; moto, an emulator of Amazon's S3 in Python; s3rver, one
in JavaScript, by the path of its program; or any other that runs already, by its port: with a bucket `corpora` and the
credentials of the environment. Each run with the store comes right after one with segments, since other work on
the machine changes from minute to minute. Reports must be the same bytes. Cold runs have no index here.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent


def start(*command):
    """A server that ends with its input, and the port that it prints."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return process, int(process.stdout.readline())


def moto():
    code = (
        "import sys\nfrom moto.server import ThreadedMotoServer\n"
        "s = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)\ns.start()\n"
        "import boto3\nport = s.get_host_and_port()[1]\n"
        "boto3.client('s3', endpoint_url=f'http://127.0.0.1:{port}', region_name='us-east-1', aws_access_key_id='x',\n"
        "    aws_secret_access_key='x').create_bucket(Bucket='corpora')\nprint(port, flush=True)\nsys.stdin.read()"
    )
    return start(sys.executable, "-c", code)


def s3rver(program, folder):
    code = (
        "const S3rver = require(process.argv[1]);\n"
        "const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: process.argv[2],\n"
        "  configureBuckets: [{ name: 'corpora' }] });\n"
        "server.run().then(({ port }) => console.log(port));\n"
        "process.stdin.on('end', () => process.exit()).resume();"
    )
    return start("node", "-e", code, str(Path(program).resolve().parent.parent), folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["secondhand", "corpus_dir", "corpus", "repository", "base", "head"]:
        parser.add_argument(name)
    parser.add_argument("--server", default="ranges")
    parser.add_argument("--milliseconds", type=float, default=60)
    parser.add_argument("--runs", type=int, default=5)
    flags = parser.parse_args()
    folder = tempfile.mkdtemp(dir=flags.corpus_dir, prefix=".measured-")
    processes = []
    if flags.server == "ranges":
        process, slow_port = start(sys.executable, HERE / "range_server.py", folder, str(flags.milliseconds))
        processes.append(process)
        pushed_to, url, port = f"file:{folder}", f"http://127.0.0.1:{slow_port}", 0
    else:
        if flags.server.isdigit():
            port = int(flags.server)
        else:
            process, port = moto() if flags.server == "moto" else s3rver(flags.server, folder)
            processes.append(process)
        process, slow_port = start(sys.executable, HERE / "latency_proxy.py", str(port), str(flags.milliseconds))
        processes.append(process)
        pushed_to = url = "s3://corpora/measured"
    key = "x" if flags.server == "moto" else "S3RVER"
    keys = {"AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}
    if not flags.server.isdigit():
        keys |= {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": key}

    def run(arguments, port):
        variables = {**os.environ, **keys, "AWS_ENDPOINT": f"http://127.0.0.1:{port}"}
        begun = time.monotonic()
        ran = subprocess.run([flags.secondhand, *arguments], env=variables, capture_output=True, text=True)
        return time.monotonic() - begun, ran

    seconds, pushed = run(["corpus", "push", flags.corpus, pushed_to, "--corpus-dir", flags.corpus_dir], port)
    print(f"push: {seconds:.1f} s: {pushed.stdout.strip()} {pushed.stderr.strip()}")
    check = ["check", "-C", flags.repository, "--base", flags.base, "--head", flags.head, "--format", "json"]
    check += ["--corpus-dir", flags.corpus_dir]
    run([*check, "--corpus", flags.corpus], port)
    kept = Path(flags.corpus_dir) / ".elsewhere"
    for manner in ["cold", "warm"]:
        added = []
        for _ in range(flags.runs):
            if manner == "cold":
                shutil.rmtree(kept, ignore_errors=True)
            here, expected = run([*check, "--corpus", flags.corpus], port)
            there, ran = run([*check, "--corpus", url], slow_port)
            added.append(there - here)
            said = " ".join(re.findall(r"[\d.]+ requests, [\d.]+ kB", ran.stderr))
            alike = "the same report" if ran.stdout == expected.stdout else "ANOTHER REPORT " + ran.stderr
            print(f"{manner}: {there:.2f} s, segments {here:.2f} s, {said}, status {ran.returncode}, {alike}", flush=True)
        print(f"{manner}: {statistics.median(added):.2f} s added ({min(added):.2f} to {max(added):.2f})")
        size = sum(file.stat().st_size for file in kept.glob("*/*"))
        print(f"kept here: {size / 1e6:.2f} MB")
    for process in processes:
        process.stdin.close()
        process.wait(10)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()

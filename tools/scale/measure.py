"""Measures what searching a corpus in place costs: an S3 server (moto) on this machine, a delay on the line to it.

    measure.py SECONDHAND CORPUS_DIR CORPUS REPOSITORY BASE HEAD [--milliseconds 60] [--runs 5]

Prints, for each run, the seconds of the whole process with the corpus in segments, and in the object store: first
without an index here, then with one; and what the program says of requests and bytes. Reports must be the same bytes.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def server():
    """A server of Amazon's interface that ends with this process: its port."""
    code = (
        "import sys, time\nfrom moto.server import ThreadedMotoServer\n"
        "s = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)\ns.start()\n"
        "print(s.get_host_and_port()[1], flush=True)\nsys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return process, int(process.stdout.readline())


def proxy(port, milliseconds):
    process = subprocess.Popen(
        [sys.executable, HERE / "latency_proxy.py", str(port), str(milliseconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    return process, int(process.stdout.readline())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["secondhand", "corpus_dir", "corpus", "repository", "base", "head"]:
        parser.add_argument(name)
    parser.add_argument("--milliseconds", type=float, default=60)
    parser.add_argument("--runs", type=int, default=5)
    flags = parser.parse_args()
    import boto3

    moto, port = server()
    slow, slow_port = proxy(port, flags.milliseconds)
    keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}
    boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
    ).create_bucket(Bucket="corpora")

    def run(arguments, port):
        variables = {**os.environ, **keys, "AWS_ENDPOINT": f"http://127.0.0.1:{port}"}
        begun = time.monotonic()
        ran = subprocess.run([flags.secondhand, *arguments], env=variables, capture_output=True, text=True)
        return time.monotonic() - begun, ran

    url = "s3://corpora/measured"
    seconds, pushed = run(["corpus", "push", flags.corpus, url, "--corpus-dir", flags.corpus_dir], port)
    print(f"push: {seconds:.1f} s: {pushed.stdout.strip()} {pushed.stderr.strip()}")
    check = ["check", "-C", flags.repository, "--base", flags.base, "--head", flags.head, "--format", "json"]
    check += ["--corpus-dir", flags.corpus_dir]
    seconds, ran = run(check, port)
    print(f"without a corpus: {seconds:.2f} s")
    for _ in range(flags.runs):
        seconds, expected = run([*check, "--corpus", flags.corpus], port)
        print(f"segments: {seconds:.2f} s, status {expected.returncode}")
    shutil.rmtree(Path(flags.corpus_dir) / ".elsewhere", ignore_errors=True)
    for n in range(flags.runs + 1):
        seconds, ran = run([*check, "--corpus", url], slow_port)
        said = " ".join(re.findall(r"[\d.]+ requests, [\d.]+ kB", ran.stderr))
        alike = "the same report" if ran.stdout == expected.stdout else "ANOTHER REPORT " + ran.stderr
        print(f"{'first' if n == 0 else 'later'} at {flags.milliseconds:.0f} ms: {seconds:.2f} s, {said}, {alike}")
    for process in (slow, moto):
        process.stdin.close()
        process.wait(10)


if __name__ == "__main__":
    main()

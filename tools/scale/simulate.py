"""Draws how long looking a change up takes when its hashes lie on many shards, from parts that were measured.

    simulate.py [--milliseconds FILE] [--trials N] [--hashes N]

FILE has the time of one read in milliseconds on each line, as measured; without it, reads take 60 ms with a tail: one in
a hundred takes ten times as long. Each round of a look-up waits for the slowest of its reads, so what counts is the tail.
"""

import argparse
import random
import statistics

# The rounds of a look-up that wait for each other, in a database: postings and the ids of whole files, rows of blobs, their
# records and tokens, where licenses end, licenses.
ROUNDS = 5


def read_times(path):
    if path:
        with open(path) as lines:
            return [float(line) for line in lines]
    return [60.0] * 99 + [600.0]


def slowest(times, n, hedge):
    """The time until the last of `n` reads has answered; with `hedge` each is asked again after that percentile."""
    worst = 0.0
    for _ in range(n):
        first = random.choice(times)
        if hedge is not None and first > hedge:
            first = min(first, hedge + random.choice(times))
        worst = max(worst, first)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--milliseconds")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--hashes", type=int, default=1200, help="hashes of a change of 500 lines")
    flags = parser.parse_args()
    random.seed(1)
    times = read_times(flags.milliseconds)
    hedge = sorted(times)[int(len(times) * 0.95)]
    print("shards  reads a round  median s  99 % s  99 % s, late reads asked again")
    for shards in [1, 4, 16, 64, 256, 1024]:
        reads = min(shards, flags.hashes)
        plain = [sum(slowest(times, reads, None) for _ in range(ROUNDS)) / 1000 for _ in range(flags.trials)]
        hedged = [sum(slowest(times, reads, hedge) for _ in range(ROUNDS)) / 1000 for _ in range(flags.trials // 4)]
        at = lambda values, part: sorted(values)[int(len(values) * part)]
        print(f"{shards:6} {reads:14} {statistics.median(plain):9.2f} {at(plain, 0.99):7.2f} {at(hedged, 0.99):8.2f}")


if __name__ == "__main__":
    main()

"""Prints the table of `docs/scale.md` from what was measured with one corpus: all else is multiplied.

    arithmetic.py
"""

# A corpus of 128 sources; measure.py says these, and `corpus list`.
SOURCE = 1016e6
POSTINGS = 9.781e6
SEGMENTS = 294e6
TABLE = 139.6e6
INDEX = 4.38e6
# A change of 502 lines of which 251 are copied.
KEYS = 1200
REQUESTS = 434
# Bytes of a posting: measured in PostgreSQL 15, with the index; on paper in ClickHouse.
POSTGRES = 106
CLICKHOUSE = 10
# Bytes of a shard, and the price of a read in dollars.
SHARD = 250e9
PRICE = 0.4e-6
COLUMNS = [("1 GB", 1e9), ("100 GB", 1e11), ("1 TB", 1e12), ("100 TB", 1e14)]


def short(value, units):
    """Two digits, and a unit."""
    for unit, name in reversed(units):
        if value >= unit:
            return f"{float(f'{value / unit:.2g}'):g} {name}".strip()
    return f"{value:.1g}"


BYTES = [(1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")]
COUNT = [(1, ""), (1e6, "million"), (1e9, "billion"), (1e12, "trillion")]
ROWS = [
    ("postings", lambda n: short(n * POSTINGS / SOURCE, COUNT)),
    ("segments", lambda n: short(n * SEGMENTS / SOURCE, BYTES)),
    ("table of an object store", lambda n: short(n * TABLE / SOURCE, BYTES)),
    ("its index, kept by each reader", lambda n: short(n * INDEX / SOURCE, BYTES)),
    ("tables of PostgreSQL", lambda n: short(n * POSTINGS / SOURCE * POSTGRES, BYTES)),
    ("tables of ClickHouse", lambda n: short(n * POSTINGS / SOURCE * CLICKHOUSE, BYTES)),
    ("shards of 250 GB, of ClickHouse and of PostgreSQL", lambda n: f"{shards(n, CLICKHOUSE)} and {shards(n, POSTGRES)}"),
    (f"absent keys that hit by chance, of {KEYS}, in 56 bits", lambda n: short(KEYS * n * POSTINGS / SOURCE / 2**56, [])),
]


def shards(n, n_bytes):
    return max(1, -(-int(n * POSTINGS / SOURCE * n_bytes) // int(SHARD)))


def main():
    print("| | " + " | ".join(name for name, _ in COLUMNS) + " |")
    print("|---|" + "--:|" * len(COLUMNS))
    for name, of in ROWS:
        print(f"| {name} | " + " | ".join(of(n) for _, n in COLUMNS) + " |")
    print(f"\nreads of a change: {REQUESTS} cost {REQUESTS * PRICE:.1g} dollars")


if __name__ == "__main__":
    main()

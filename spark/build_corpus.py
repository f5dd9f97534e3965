"""Builds a corpus of many folders that `secondhand corpus fingerprint` wrote.

    build_corpus.py --output DIR [--max-documents N] [--partitions N] [--master URL] FINGERPRINTS...

Each FINGERPRINTS is a folder, on any file system that Spark reads. The result is what `secondhand corpus import NAME DIR`
takes: `sources.parquet`, `blocks/` and `postings/`, the postings sorted by hash, a folder for each prefix of hashes.

The shuffle is by hash alone, and a hash goes to one partition whatever the others do, so the work is one sort of the
postings. With `--max-documents`, hashes that more blobs have are left out: they are common, and cost the most.
"""

import argparse
import os
from collections import Counter

import pyspark
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as f

HASH_BITS = 56
PREFIX_BITS = 12


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fingerprints", nargs="+")
    parser.add_argument("--output", required=True)
    parser.add_argument("--max-documents", type=int, help="leave out hashes that more blobs have")
    parser.add_argument("--partitions", type=int, default=16, help="ranges of prefixes that are sorted at a time")
    parser.add_argument("--master", help="where to run, such as local-cluster[4,1,1024]")
    return parser.parse_args()


def session(name, master):
    """A session that writes what other tools read: no legacy types, one compression."""
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    builder = SparkSession.builder.appName(name)
    if master:
        builder = builder.master(master)
    builder = builder.config("spark.sql.parquet.compression.codec", "zstd").config("spark.ui.enabled", "false")
    return builder.getOrCreate()


def numbered(spark, folders):
    """For each folder and number of a source in it, the number in the whole: by key, so that runs agree."""
    rows = []
    for folder in folders:
        for row in spark.read.parquet(f"{folder}/sources.parquet").collect():
            rows.append((row["key"], folder, row))
    twice = [key for key, n in Counter(key for key, _, _ in rows).items() if n > 1]
    if twice:
        raise SystemExit(f"error: these sources are there twice: {', '.join(sorted(twice))}")
    rows.sort(key=lambda row: row[0])
    return [(folder, row["source"], number, row) for number, (_, folder, row) in enumerate(rows)]


def united(tables):
    """All rows of many tables, as a tree: a chain of thousands is deeper than Spark plans."""
    tables = list(tables)
    while len(tables) > 1:
        pairs = [first.unionByName(second) for first, second in zip(tables[::2], tables[1::2])]
        tables = pairs + tables[2 * len(pairs) :]
    return tables[0]


def renumbered(spark, folders, table, numbers):
    """The rows of a table of all folders, with the numbers of the whole."""
    by_folder = {}
    for folder, old, new, _ in numbers:
        by_folder.setdefault(folder, {})[old] = new

    def of_folder(folder):
        pairs = [f.lit(value) for pair in by_folder[folder].items() for value in pair]
        rows = spark.read.parquet(f"{folder}/{table}")
        return rows.withColumn("source", f.create_map(*pairs)[f.col("source")].cast("int"))

    return united(of_folder(folder) for folder in folders)


def build(spark, folders, output, max_documents=None, partitions=16):
    numbers = numbered(spark, folders)
    sources = [{**row.asDict(), "source": new} for _, _, new, row in numbers]
    schema = spark.read.parquet(f"{folders[0]}/sources.parquet").schema
    rows = [tuple(source[field.name] for field in schema) for source in sources]
    spark.createDataFrame(rows, schema).coalesce(1).write.parquet(f"{output}/sources.parquet")

    blocks = renumbered(spark, folders, "blocks", numbers)
    blocks.repartitionByRange(partitions, "source", "start").sortWithinPartitions("source", "start").write.parquet(
        f"{output}/blocks"
    )

    postings = renumbered(spark, folders, "postings", numbers)
    if max_documents:
        of_hash = Window.partitionBy("hash")
        postings = postings.withColumn("n", f.count("*").over(of_hash)).where(f.col("n") <= max_documents).drop("n")
    postings = postings.withColumn("prefix", f.shiftright("hash", HASH_BITS - PREFIX_BITS).cast("int"))
    postings = postings.repartitionByRange(partitions, "prefix", "hash")
    postings = postings.sortWithinPartitions("prefix", "hash", "source", "blob")
    postings.write.partitionBy("prefix").parquet(f"{output}/postings")


def main():
    flags = arguments()
    spark = session("secondhand corpus", flags.master)
    try:
        build(spark, flags.fingerprints, flags.output, flags.max_documents, flags.partitions)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()

"""Audits many repositories against one corpus: a join finds which sources each has code of, the program does the rest.

    audit_repositories.py --corpus-files DIR --corpus PLACE --output DIR [--corpus-dir DIR] [--min-shared N] [--best N]
        [--secondhand PROGRAM] [--master URL] LIST

LIST is a text file with a line for each repository: its path, a tab, and the folder that `secondhand corpus fingerprint
PATH` wrote. DIR is the corpus as Parquet files, and PLACE what `secondhand audit --corpus` takes on each worker: a name or a URL.
A repository that shares fewer than N fingerprints with every blob is not audited, and its row says so: it has no status.
(With N = 1 it has no match of 31 tokens; an identical file may be shorter.) The output has a row for each repository:
its status, the report, and which blobs share most.
"""

import argparse
import subprocess

from pyspark.sql import Window
from pyspark.sql import functions as f

from build_corpus import session, united


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list")
    parser.add_argument("--corpus-files", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--corpus-dir", help="the folder of corpora on each worker")
    parser.add_argument("--min-shared", type=int, default=1, help="shared fingerprints with one blob")
    parser.add_argument("--best", type=int, default=5, help="blobs to name for each repository")
    parser.add_argument("--secondhand", default="secondhand", help="the program on each worker")
    parser.add_argument("--master")
    return parser.parse_args()


def candidates(spark, repositories, corpus_files, min_shared, best):
    """For each repository the blobs of the corpus that share most fingerprints with it."""
    def hashes(path, folder):
        return spark.read.parquet(f"{folder}/postings").select("hash").distinct().withColumn("path", f.lit(path))

    asked = united(hashes(path, folder) for path, folder in repositories)
    corpus = spark.read.parquet(f"{corpus_files}/postings").select("hash", "source", "blob")
    shared = corpus.join(asked, "hash").groupBy("path", "source", "blob").agg(f.count("*").alias("shared"))
    by_shared = Window.partitionBy("path").orderBy(f.desc("shared"), "source", "blob")
    ranked = shared.where(f.col("shared") >= min_shared).withColumn("rank", f.row_number().over(by_shared))
    return ranked.where(f.col("rank") <= best)


def auditor(flags):
    command = [flags.secondhand, "audit", "--format", "json", "--no-cache", "--corpus", flags.corpus]
    if flags.corpus_dir:
        command += ["--corpus-dir", flags.corpus_dir]

    def audit(path):
        ran = subprocess.run([*command, "-C", path], capture_output=True, text=True)
        return path, ran.returncode, ran.stdout, ran.stderr

    return audit


def main():
    flags = arguments()
    with open(flags.list) as lines:
        repositories = [tuple(line.rstrip("\n").split("\t")) for line in lines if line.strip()]
    spark = session("secondhand audit", flags.master)
    try:
        best = candidates(spark, repositories, flags.corpus_files, flags.min_shared, flags.best).cache()
        paths = sorted(row["path"] for row in best.select("path").distinct().collect())
        audit = auditor(flags)
        audited = spark.sparkContext.parallelize(paths, max(len(paths), 1)).map(audit)
        reports = spark.createDataFrame(audited, "path string, status int, report string, errors string")
        named = best.groupBy("path").agg(
            f.sort_array(f.collect_list(f.struct("rank", "source", "blob", "shared"))).alias("best")
        )
        everything = spark.createDataFrame([(path,) for path, _ in repositories], "path string")
        why = f.lit(f"not audited: it shares fewer than {flags.min_shared} fingerprints with each blob")
        everything = everything.join(reports, "path", "left").join(named, "path", "left")
        everything = everything.withColumn("errors", f.coalesce("errors", why))
        everything.write.parquet(flags.output)
        failed = spark.read.parquet(flags.output).where("status > 1").select("path", "errors").collect()
    finally:
        spark.stop()
    for row in failed:
        print(f"error: {row['path']}: {row['errors']}")
    # As of the program: an audit that could not be done is never a clean one.
    raise SystemExit(2 if failed else 0)


if __name__ == "__main__":
    main()

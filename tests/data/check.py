"""Real data: every dataset imported with no option, and each number and each row of it compared with its README
(datasets.tsv has the numbers) and with the rows as Python reads them.

    check.py SCADYG          the data is in $SCADYG_DATA; exit code 77: there is none
"""
import csv
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile
from array import array
from datetime import datetime, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = ("file separator header src dst time weight label features nodes events times first last edge node bipartite "
        "self again back positive").split()
ZEROS = {  # file: all edge features are zero, all node features are zero
    "uci/ml_CollegeMsg.csv.gz": (True, True),
    "enron/ml_enron.csv.gz": (True, True),
    "canparl/ml_CanParl.csv.gz": (False, True),
    "mooc/ml_mooc.csv.gz": (False, False),
}
FLOAT = struct.Struct("f")
csv.field_size_limit(1 << 24)


def fail(dataset, message):
    raise SystemExit(f"{dataset}: {message}")


def single(number):
    """A number as float32 holds it."""
    return FLOAT.unpack(FLOAT.pack(float(number)))[0]


def seconds(text):
    try:
        return float(text)
    except ValueError:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone.utc).timestamp()


def datasets():
    with open(os.path.join(HERE, "datasets.tsv"), encoding="utf-8") as table:
        for line in table:
            if not line.startswith("#"):
                yield dict(zip(KEYS, line.rstrip("\n").split("\t"), strict=True))


def matrix(path):
    """Rows of a .npy of float64."""
    with gzip.open(path) as file:
        raw = file.read()
    length = struct.unpack_from("<H", raw, 8)[0]
    header = eval(raw[10:10 + length], {})  # a literal by the format's definition
    assert header["descr"] == "<f8" and not header["fortran_order"]
    numbers = array("d", raw[10 + length:])
    width = header["shape"][1]
    return lambda row: numbers[row * width:(row + 1) * width]


def rows_of(dataset, path):
    """(source, destination, time, weight, label, features) of each row, in the order of the file."""
    separator, where = dataset["separator"], dataset["features"]
    column = {key: int(dataset[key]) if dataset[key] != "-" else None for key in ("src", "dst", "time", "weight", "label")}
    features = matrix(path.replace(".csv.gz", ".npy.gz")) if where == "npy" else None
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = (line.split() for line in file) if separator == "blank" else csv.reader(
            file, delimiter="\t" if separator == "tab" else separator)
        for _ in range(int(dataset["header"])):
            next(rows)
        for row in rows:
            if where == "-":
                numbers = []
            elif where == "npy":
                numbers = features(int(row[-1]))
            elif where.endswith("+"):
                numbers = row[int(where[:-1]):]
            elif where.endswith("*"):
                numbers = row[int(where[:-1])].split(",")
            else:
                numbers = [row[int(where)]]
            yield (row[column["src"]], row[column["dst"]], seconds(row[column["time"]]),
                   None if column["weight"] is None else single(row[column["weight"]]),
                   None if column["label"] is None else single(row[column["label"]]), [single(x) for x in numbers])


def exported_rows(path, has_weight, has_label):
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        for row in rows:
            at = 3
            weight = label = None
            if has_weight:
                weight, at = single(row[at]), at + 1
            if has_label:
                label, at = single(row[at]), at + 1
            yield row[0], row[1], seconds(row[2]), weight, label, [single(x) for x in row[at:]]


def check_rows(dataset, path, exported):
    name = dataset["file"]
    expected = rows_of(dataset, path)
    if dataset["back"] != "0":
        expected = sorted(expected, key=lambda row: row[2])  # stable
    positive, count = 0, 0
    found = exported_rows(exported, dataset["weight"] != "-", dataset["label"] != "-")
    for row, other in zip(expected, found, strict=True):
        if row != other:
            fail(name, f"event {count} is {other} instead of {row}")
        positive += row[4] == 1
        count += 1
    if dataset["positive"] != "-" and positive != int(dataset["positive"]):
        fail(name, f"{positive} positive labels instead of {dataset['positive']}")
    return count


def run(*arguments, **more):
    done = subprocess.run(arguments, capture_output=True, check=False, **more)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def same_bytes(one, other):
    with open(one, "rb") as a, open(other, "rb") as b:
        while True:
            left, right = a.read(1 << 20), b.read(1 << 20)
            if left != right:
                return False
            if not left:
                return True


def check_numbers(dataset, report, info):
    name = dataset["file"]
    expected = {
        "nodes": int(dataset["nodes"]), "events": int(dataset["events"]), "distinct_times": int(dataset["times"]),
        "first_time": float(dataset["first"]), "last_time": float(dataset["last"]),
        "edge_features": int(dataset["edge"]), "node_features": int(dataset["node"]),
        "bipartite": dataset["bipartite"] == "yes", "self_loops": int(dataset["self"]),
        "repeated_events": int(dataset["again"]),
    }
    if name in ZEROS:
        expected["edge_features_zero"], expected["node_features_zero"] = ZEROS[name]
    for key, value in expected.items():
        if info[key] != value:
            fail(name, f"{key} is {info[key]} instead of {value}")
    for key, value in {"rows": int(dataset["events"]), "bad": 0, "out_of_order": int(dataset["back"]),
                       "unused_node_features": 0}.items():
        if report[key] != value:
            fail(name, f"import says {key} is {report[key]} instead of {value}")


def check(scadyg, dataset, data, directory):
    path = os.path.join(data, dataset["file"])
    events, table, again = (os.path.join(directory, name) for name in ("x.events", "x.csv", "again.events"))
    report = json.loads(run(scadyg, "import", "--json", path, "-o", events))
    info = json.loads(run(scadyg, "info", "--verify", "--json", events))
    check_numbers(dataset, report, info)
    run(scadyg, "export", "--quiet", events, "-o", table)
    check_rows(dataset, path, table)
    run(scadyg, "import", "--quiet", table, "-o", again)
    if not same_bytes(events, again):
        fail(dataset["file"], "what was exported does not import back to the same bytes")
    if dataset["features"] != "npy":  # files beside the input are not found from standard input
        memory = "16M" if int(dataset["nodes"]) < 100000 else "64M"  # the ids must fit
        with gzip.open(path) as packed:
            run(scadyg, "import", "--quiet", "--memory", memory, "--threads", "1", "-", "-o", again,
                input=packed.read())
        if not same_bytes(events, again):
            fail(dataset["file"], "standard input, one thread and little memory give other bytes")
    for name in os.listdir(directory):
        os.remove(os.path.join(directory, name))


def check_names(scadyg, data, directory):
    """Names that are easily spoilt come back as they were."""
    events, table = os.path.join(directory, "x.events"), os.path.join(directory, "x.csv")
    run(scadyg, "import", "--quiet", os.path.join(data, "un-votes/un_covotes_edgelist.csv.gz"), "-o", events)
    run(scadyg, "export", "--quiet", events, "-o", table)
    with open(table, encoding="utf-8") as file:
        text = file.read()
    for name in ("Côte d’Ivoire", "São Tomé & Príncipe"):
        if name not in text:
            fail("un-votes", f"{name} is not among the exported names")
        at = json.loads(run(scadyg, "messages", events, "--at", "2021", "--node", name, "--json"))
        if [node["id"] for node in at["messages"]] != [name]:
            fail("un-votes", f"{name} is not found by its name")


def main():
    scadyg, data = sys.argv[1], os.environ.get("SCADYG_DATA", "")
    if not os.path.isdir(data):
        print("skipped, no data")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        for dataset in datasets():
            check(scadyg, dataset, data, directory)
            print(f"{dataset['file']}: {dataset['events']} events", flush=True)
        check_names(scadyg, data, directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())

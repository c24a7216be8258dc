#!/usr/bin/env python3
"""What one would take instead: the usual ways to rank destinations, beside scadyg on the same questions.

    bench/alternatives.py LOG [--scadyg PROGRAM] [--only NAME,...] [--part test|validation] [--queries N|all]
                          [--negatives K] [--refits N] [--threads N] [--train OPTIONS] [--json FILE]

LOG is an events file, or text that `scadyg import` understands without options. Everybody answers the queries of the
protocol live (docs/protocols.md) as scadyg writes them (`eval --write-queries`): the same events, the same candidates, and
of the log what lies strictly before the time of the question.

    scadyg       the default model: `train`, then `eval`
    popularity   events that a destination received, each halved in every 2 % of the training time
    item-knn     cosines between destinations from who met both (the last 200 of each source), shrunk; 100 neighbours;
                 summed over the last 30 destinations of the source
    als          implicit-feedback factors (Hu, Koren, Volinsky 2008), 64 of them, by conjugate gradients; a source's own
                 are solved for anew from all it has met until the question
    xgboost      a gradient-boosted ranker on what one would compute in pandas: counts, recencies, popularities

The baselines of scadyg stand below for comparison. What a source has met and popularities are of the moment of the question
for all; item-knn and als are fit again N times over the part (--refits), each time on everything before. xgboost learns from
10,000 events before the part, each beside 200 destinations. Nothing is tuned on the part that is evaluated.

Each runs in a process of its own: seconds are of its wall clock, from the log in memory to the last answer (scadyg: of both
commands, reading included), CPU seconds are those of the process and all its threads, and memory is its peak. The last column is the difference to scadyg's MRR with its standard error over
sources. Needs Debian's python3-numpy, python3-scipy for item-knn and als, python3-xgboost; what is not installed is skipped by
name.
"""
import argparse
import csv
import importlib.util
import itertools
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from measured import Failed, run  # noqa: E402 (it lies beside this file)

NEEDS = {"popularity": ["numpy"], "item-knn": ["numpy", "scipy"], "als": ["numpy", "scipy"],
         "xgboost": ["numpy", "scipy", "xgboost"]}
HALF_LIFE = 0.02  # of the training time


# ---- The log and the questions ----

class Log:
    """Columns of events; nodes are numbered by their ids."""

    def __init__(self, path, two_id_spaces):
        import numpy as np
        number, src, dst, times = {}, [], [], []
        with open(path, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            next(rows)  # an export begins with source, destination and time; their names say of which kinds they are
            for row in rows:
                a, b, at = row[:3]
                src.append(number.setdefault((0, a), len(number)))
                dst.append(number.setdefault((1 if two_id_spaces else 0, b), len(number)))
                times.append(at)
        self.src, self.dst = np.array(src, dtype=np.int64), np.array(dst, dtype=np.int64)
        self.time = self.read_times(np, times)
        self.nodes = len(number)
        order, first = np.unique(self.dst, return_index=True)
        by_first = np.argsort(first)
        self.destinations, self.first = order[by_first], first[by_first]  # in the order of their first events

    @staticmethod
    def read_times(np, times):
        try:
            return np.array(times, dtype=np.float64)
        except ValueError:
            texts = [text.replace(" ", "T").rstrip("Z") for text in times]
            return np.array(texts, dtype="datetime64[us]").astype(np.int64) / 1e6


class Query:
    __slots__ = ("event", "seen", "rank", "negatives")

    def __init__(self, row):
        self.event, self.seen, self.rank = int(row["event"]), int(row["seen"]), float(row["rank"])
        self.negatives = row["negatives"]


def read_queries(path):
    csv.field_size_limit(1 << 30)
    with open(path, newline="", encoding="utf-8") as file:
        return [Query(row) for row in csv.DictReader(file) if row["seed"] == "0"]


def candidates_of(log, query):
    """The destination of the event, then those it is ranked among."""
    import numpy as np
    own = log.dst[query.event]
    if query.negatives != "all":
        named = np.array(query.negatives.split(), dtype=np.int64)
        return np.concatenate(([own], log.dst[named]))
    seen = log.destinations[:np.searchsorted(log.first, query.seen)]
    end = np.searchsorted(log.time, log.time[query.event], side="right")
    now = slice(query.seen, end)
    met = log.dst[now][log.src[now] == log.src[query.event]]
    return np.concatenate(([own], seen[~np.isin(seen, met)]))


def rank_of(scores):
    """Of the first, equals sharing the mean of their ranks."""
    import numpy as np
    scores = np.where(np.isnan(scores), -np.inf, scores)
    return 1 + (np.count_nonzero(scores[1:] > scores[0]) + np.count_nonzero(scores[1:] >= scores[0])) / 2


# ---- What several of them follow ----

class Popularity:
    """Decayed counts, up to a factor that all have in common."""

    def __init__(self, log, half_life):
        import numpy as np
        self.log, self.seen, self.count = log, 0, np.zeros(log.nodes)
        self.rate = math.log(2) / half_life if half_life > 0 else 0
        self.reference = log.time[0]

    def follow(self, seen):
        import numpy as np
        for begin in range(self.seen, seen, 100000):
            end = min(begin + 100000, seen)
            last = self.log.time[end - 1]
            self.count *= math.exp(-self.rate * (last - self.reference))
            self.reference = last
            weight = np.exp(-self.rate * (last - self.log.time[begin:end]))
            np.add.at(self.count, self.log.dst[begin:end], weight)
        self.seen = seen

    def squeezed(self, nodes):
        return self.count[nodes] / (1 + self.count[nodes])


class Histories:
    """Of each source how often and when last it met whom, the latest last."""

    def __init__(self, log):
        self.log, self.seen, self.of = log, 0, {}

    def follow(self, seen):
        src, dst, at = (column[self.seen:seen].tolist() for column in (self.log.src, self.log.dst, self.log.time))
        for s, d, t in zip(src, dst, at):
            history = self.of.setdefault(s, {})
            history[d] = (history.pop(d, (0, 0))[0] + 1, t)
        self.seen = seen

    def latest(self, source, most):
        return list(itertools.islice(reversed(self.of.get(source, {})), most))


# ---- The alternatives: fit on the first events, follow the log, score candidates ----

class PopularityRanker:
    refits = False

    def __init__(self, log, options):
        self.popularity = Popularity(log, HALF_LIFE * options.training_time)

    def fit(self, seen):
        pass

    def follow(self, seen):
        self.popularity.follow(seen)

    def score(self, source, at, nodes):
        return self.popularity.count[nodes]


class ItemKnn:
    refits = True
    USED, NEIGHBOURS, PLACES, SHRINK, ROWS = 200, 100, 30, 5, 512

    def __init__(self, log, options):
        import numpy as np
        self.log = log
        self.histories, self.popularity = Histories(log), Popularity(log, HALF_LIFE * options.training_time)
        self.neighbours, self.sum = {}, np.zeros(log.nodes)

    def follow(self, seen):
        self.histories.follow(seen)
        self.popularity.follow(seen)

    def fit(self, seen):
        """The most similar destinations of each, a block of rows at a time: the whole product would be too large."""
        import numpy as np
        from scipy import sparse
        self.follow(seen)
        pairs = [(s, d) for s in self.histories.of for d in self.histories.latest(s, self.USED)]
        s, d = np.array(pairs, dtype=np.int64).T
        met = sparse.csr_matrix((np.ones(len(s), dtype=np.float32), (d, s)), shape=(self.log.nodes,) * 2)
        by_source, sources = met.T.tocsr(), np.asarray(met.sum(axis=1)).ravel()
        known = np.flatnonzero(sources)
        self.neighbours = {}
        for begin in range(0, len(known), self.ROWS):
            rows = known[begin:begin + self.ROWS]
            both = (met[rows] @ by_source).tocsr()
            for place, i in enumerate(rows):
                piece = slice(both.indptr[place], both.indptr[place + 1])
                nodes, count = both.indices[piece], both.data[piece]
                similar = np.where(nodes == i, 0, count / (np.sqrt(sources[i] * sources[nodes]) + self.SHRINK))
                if len(nodes) > self.NEIGHBOURS:
                    best = np.argpartition(-similar, self.NEIGHBOURS)[:self.NEIGHBOURS]
                    nodes, similar = nodes[best], similar[best]
                self.neighbours[int(i)] = nodes.copy(), similar

    def score(self, source, at, nodes):
        for place, i in enumerate(self.histories.latest(source, self.PLACES)):
            if i in self.neighbours:
                near, similar = self.neighbours[i]
                self.sum[near] += similar / (1 + place)
        scores = self.sum[nodes] + 1e-9 * self.popularity.squeezed(nodes)
        self.sum[:] = 0
        return scores


class Als:
    refits = True
    FACTORS, STEPS, SOLVES, AGAIN, WEIGHT, RIDGE, USED = 64, 3, 15, 3, 10.0, 0.1, 1000

    def __init__(self, log, options):
        import numpy as np
        self.log = log
        self.histories, self.popularity = Histories(log), Popularity(log, HALF_LIFE * options.training_time)
        random = np.random.default_rng(1)
        self.sources, self.destinations = (
            (random.standard_normal((log.nodes, self.FACTORS)) * 0.01).astype(np.float32) for _ in range(2))
        self.fitted = False

    def follow(self, seen):
        self.histories.follow(seen)
        self.popularity.follow(seen)

    def fit(self, seen):
        import numpy as np
        from scipy import sparse
        self.follow(seen)
        met = [(s, d, n) for s, history in self.histories.of.items() for d, (n, _) in history.items()]
        s, d, n = np.array(met, dtype=np.float64).T
        weight = (self.WEIGHT * np.log1p(n)).astype(np.float32)
        shape = (self.log.nodes,) * 2
        there = sparse.csr_matrix((weight, (s.astype(np.int64), d.astype(np.int64))), shape=shape)
        back = there.T.tocsr()
        for _ in range(self.AGAIN if self.fitted else self.SOLVES):
            self.improve(self.sources, self.destinations, there)
            self.improve(self.destinations, self.sources, back)
        self.square = self.destinations.T @ self.destinations
        self.fitted = True

    def improve(self, x, y, weights):
        """A few steps towards (Y'Y + Y'(C - 1)Y + r) x = Y'C p for all rows of x at once."""
        import numpy as np
        rows = np.flatnonzero(np.diff(weights.indptr))
        weights = weights[rows]
        of = np.repeat(np.arange(len(rows)), np.diff(weights.indptr))
        square = y.T @ y + self.RIDGE * np.eye(self.FACTORS, dtype=np.float32)
        sure = weights.copy()
        sure.data = 1 + weights.data

        def product(v):
            told = weights.copy()
            for begin in range(0, len(of), 1 << 18):  # no more memory than that
                piece = slice(begin, begin + (1 << 18))
                told.data[piece] *= np.einsum("ij,ij->i", v[of[piece]], y[weights.indices[piece]])
            return v @ square + told @ y

        at = x[rows]
        rest = sure @ y - product(at)
        way, size = rest.copy(), np.einsum("ij,ij->i", rest, rest)
        for _ in range(self.STEPS):
            moved = product(way)
            far = (size / np.maximum(np.einsum("ij,ij->i", way, moved), 1e-20))[:, None]
            at += far * way
            rest -= far * moved
            before, size = size, np.einsum("ij,ij->i", rest, rest)
            way = rest + (size / np.maximum(before, 1e-20))[:, None] * way
        x[rows] = at

    def score(self, source, at, nodes):
        import numpy as np
        latest = self.histories.latest(source, self.USED)
        rest = 1e-9 * self.popularity.squeezed(nodes)
        if not latest:
            return rest
        history = self.histories.of[source]
        weight = self.WEIGHT * np.log1p(np.array([history[d][0] for d in latest], dtype=np.float32))
        y = self.destinations[latest]
        left = self.square + (y.T * weight) @ y + self.RIDGE * np.eye(self.FACTORS, dtype=np.float32)
        return self.destinations[nodes] @ np.linalg.solve(left, y.T @ (1 + weight)) + rest


class Boosted:
    refits = False
    EVENTS, NEGATIVES, ROUNDS, PATIENCE = 10000, 200, 400, 25
    RATES = (0.01, 0.05, 0.25)  # half-lives, of the training time

    def __init__(self, log, options):
        import numpy as np
        self.log, self.threads, self.seen = log, options.threads, 0
        self.histories = Histories(log)
        self.popularities = [Popularity(log, rate * options.training_time) for rate in self.RATES]
        self.came = {}  # of each destination who came, how often and when last
        self.times_source, self.times_destination, self.distinct = (np.zeros(log.nodes) for _ in range(3))
        self.last_source, self.last_destination = (np.full(log.nodes, np.nan) for _ in range(2))
        self.scratch = [np.zeros(log.nodes), np.full(log.nodes, np.nan), np.zeros(log.nodes), np.full(log.nodes, np.nan)]

    def follow(self, seen):
        import numpy as np
        new = slice(self.seen, seen)
        src, dst, at = self.log.src[new], self.log.dst[new], self.log.time[new]
        self.histories.follow(seen)
        for popularity in self.popularities:
            popularity.follow(seen)
        for s, d, t in zip(src.tolist(), dst.tolist(), at.tolist()):
            came = self.came.setdefault(d, {})
            if s not in came:
                self.distinct[d] += 1
            came[s] = (came.get(s, (0, 0))[0] + 1, t)
        np.add.at(self.times_source, src, 1)
        np.add.at(self.times_destination, dst, 1)
        self.last_source[src], self.last_destination[dst] = at, at  # the last of equal places is what stays
        self.seen = seen

    def spread(self, history, counts, last, nodes):
        """Counts and last times of the nodes in a history, 0 and none for others."""
        import numpy as np
        if history:
            known = np.fromiter(history.keys(), dtype=np.int64, count=len(history))
            values = np.array(list(history.values()))
            counts[known], last[known] = values[:, 0], values[:, 1]
        found = counts[nodes], last[nodes]
        if history:
            counts[known], last[known] = 0, np.nan
        return found

    def features(self, source, at, nodes):
        import numpy as np
        met, met_last = self.spread(self.histories.of.get(source), *self.scratch[:2], nodes)
        came, came_last = self.spread(self.came.get(source), *self.scratch[2:], nodes)
        own = self.times_source[source]
        columns = [met, at - met_last, came, at - came_last, met / max(own, 1),
                   np.full(len(nodes), own), np.full(len(nodes), at - self.last_source[source]),
                   np.full(len(nodes), len(self.histories.of.get(source, ()))),
                   self.times_destination[nodes], at - self.last_destination[nodes], self.distinct[nodes],
                   at - self.last_source[nodes], met / np.maximum(self.times_destination[nodes], 1), nodes == source]
        for popularity in self.popularities:
            columns.append(popularity.count[nodes] * math.exp(-popularity.rate * (at - popularity.reference)))
        return np.column_stack(columns).astype(np.float32)

    def draw(self, random, source, own):
        """The destination of an event, then some that its source has met and others."""
        import numpy as np
        known = self.log.destinations[:np.searchsorted(self.log.first, self.seen)]
        met = np.fromiter(self.histories.of.get(source, {}), dtype=np.int64)
        some = random.choice(met, min(len(met), self.NEGATIVES // 2), replace=False) if len(met) else met
        nodes = np.unique(np.concatenate((some, random.choice(known, self.NEGATIVES - len(some)))))
        return np.concatenate(([own], nodes[nodes != own]))

    def fit(self, seen):
        """From some of the events before, the later half of them, as they come by."""
        import numpy as np
        import xgboost
        random = np.random.default_rng(1)
        chosen = np.sort(random.choice(np.arange(seen // 2, seen), min(self.EVENTS, seen - seen // 2), replace=False))
        rows, answers = [], []
        for event in chosen:
            self.follow(int(np.searchsorted(self.log.time, self.log.time[event])))
            source, own = int(self.log.src[event]), self.log.dst[event]
            if self.times_destination[own] == 0:
                continue  # such events are no questions
            nodes = self.draw(random, source, own)
            rows.append(self.features(source, self.log.time[event], nodes))
            answers.append(np.arange(len(nodes)) == 0)
        cut = len(rows) * 85 // 100
        learned, chosen_by = (self.matrix(xgboost, rows[part], answers[part]) for part in (slice(cut), slice(cut, None)))
        settings = {"objective": "rank:pairwise", "eval_metric": "map", "eta": 0.1, "max_depth": 6, "seed": 1,
                    "subsample": 0.8, "colsample_bytree": 0.8, "tree_method": "hist", "nthread": self.threads}
        self.trees = xgboost.train(settings, learned, self.ROUNDS, evals=[(chosen_by, "later")], verbose_eval=False,
                                   early_stopping_rounds=self.PATIENCE)

    @staticmethod
    def matrix(xgboost, rows, answers):
        import numpy as np
        matrix = xgboost.DMatrix(np.concatenate(rows), np.concatenate(answers))
        matrix.set_group([len(piece) for piece in rows])
        return matrix

    def score(self, source, at, nodes):
        best = self.trees.best_iteration + 1
        return self.trees.inplace_predict(self.features(source, at, nodes), iteration_range=(0, best))


METHODS = {"popularity": PopularityRanker, "item-knn": ItemKnn, "als": Als, "xgboost": Boosted}


def answer(method, log, queries, options):
    """The rank of every query, and the seconds that fitting took."""
    import numpy as np
    fit_seconds, ranks = 0.0, []
    end = max(query.event for query in queries) + 1
    marks = [options.begin + (end - options.begin) * i // options.refits for i in range(options.refits)]
    marks = [int(np.searchsorted(log.time, log.time[mark])) for mark in (marks if method.refits else marks[:1])]
    for query in queries:
        due = None
        while marks and marks[0] <= query.seen:
            due = marks.pop(0)
        if due is not None:
            begun = time.perf_counter()
            method.fit(due)
            fit_seconds += time.perf_counter() - begun
        method.follow(query.seen)
        nodes = candidates_of(log, query)
        ranks.append(rank_of(method.score(int(log.src[query.event]), log.time[query.event], nodes)))
    return ranks, fit_seconds


def run_one(name, folder, options):
    """In a process of its own: reads what the first one wrote, writes ranks and seconds."""
    with open(os.path.join(folder, "task.json"), encoding="utf-8") as file:
        task = json.load(file)
    log = Log(os.path.join(folder, "log.csv"), task["two_id_spaces"])
    queries = read_queries(os.path.join(folder, "queries.csv"))
    options.begin = task["begin"]
    options.training_time = float(log.time[task["train_events"] - 1] - log.time[0])
    begun = time.perf_counter()
    ranks, fit_seconds = answer(METHODS[name](log, options), log, queries, options)
    with open(os.path.join(folder, "answer.json"), "w", encoding="utf-8") as file:
        json.dump({"ranks": ranks, "seconds": time.perf_counter() - begun, "fit_seconds": fit_seconds,
                   "sources": log.src[[query.event for query in queries]].tolist()}, file)


# ---- Running all of them ----

def run_process(words):
    """What a command took, which must succeed."""
    begun = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        process.returncode = 1
        raise SystemExit(f"failed: {' '.join(words)}")
    process.returncode = 0
    return {"seconds": time.perf_counter() - begun, "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "peak_mb": usage.ru_maxrss / 1024}


def run_json(words):
    try:
        return json.loads(run(words)[0])
    except Failed as sentence:
        raise SystemExit(f"failed: {sentence}") from None


def prepare(options, folder):
    """The events file, the log as a table, the queries with everybody's baselines."""
    events = options.log
    if not events.endswith(".events"):
        events = os.path.join(folder, "log.events")
        run_process([options.scadyg, "import", "-q", options.log, "-o", events])
    run_process([options.scadyg, "export", "-q", events, "-o", os.path.join(folder, "log.csv")])
    rule = os.path.join(folder, "rule.scadyg")
    run_process([options.scadyg, "train", "-q", "--no-eval", events, "--model", "popularity", "-o", rule])
    asked = ["--protocol", "live", "--part", options.part, "--queries", options.queries, "--json", "-"]
    if options.negatives:
        asked += ["--negatives", options.negatives]
    queries = os.path.join(folder, "queries.csv")
    result = run_json([options.scadyg, "eval", "-q", rule, events, "--write-queries", queries, *asked])
    begin = result["parts"]["training"]["events"]
    task = {"two_id_spaces": run_json([options.scadyg, "info", "--json", events])["two_id_spaces"],
            "train_events": begin,
            "begin": begin + (result["parts"]["validation"]["events"] if options.part == "test" else 0)}
    with open(os.path.join(folder, "task.json"), "w", encoding="utf-8") as file:
        json.dump(task, file)
    return events, asked, result


def run_scadyg(options, folder, events, asked):
    model, queries = os.path.join(folder, "model.scadyg"), os.path.join(folder, "answered.csv")
    threads = ["--threads", str(options.threads)]
    fit = run_process([options.scadyg, "train", "-q", "--no-eval", events, "-o", model, *threads, *shlex.split(options.train)])
    took = run_process([options.scadyg, "eval", "-q", model, events, "--no-baselines", "--write-queries", queries, *threads,
                        *asked])
    return {"ranks": [query.rank for query in read_queries(queries)], "fit_seconds": fit["seconds"],
            "seconds": fit["seconds"] + took["seconds"], "cpu_seconds": fit["cpu_seconds"] + took["cpu_seconds"],
            "peak_mb": max(fit["peak_mb"], took["peak_mb"])}


def run_alternative(name, options, folder):
    words = [sys.executable, os.path.abspath(__file__), options.log, "--one", name, "--folder", folder,
             "--refits", str(options.refits), "--threads", str(options.threads)]
    took = run_process(words)
    with open(os.path.join(folder, "answer.json"), encoding="utf-8") as file:
        return {**took, **json.load(file)}  # its own seconds: without starting and reading


def error_over(sources, differences):
    """The standard error of the mean difference; what one source does is one piece of evidence."""
    mean = sum(differences) / len(differences)
    sums = {}
    for source, difference in zip(sources, differences):
        sums[source] = sums.get(source, 0) + difference - mean
    groups = len(sums)
    if groups < 2:
        return None
    return math.sqrt(groups / (groups - 1) * sum(value * value for value in sums.values())) / len(differences)


def row_of(name, found, reference, sources):
    ranks = found["ranks"]
    row = {"name": name, "mrr": sum(1 / rank for rank in ranks) / len(ranks),
           "hits@10": sum(rank <= 10 for rank in ranks) / len(ranks),
           **{took: found[took] for took in ("seconds", "fit_seconds", "cpu_seconds", "peak_mb")}}
    if reference and name != "scadyg":
        differences = [1 / rank - 1 / other for rank, other in zip(ranks, reference)]
        row["difference"] = sum(differences) / len(differences)
        if sources:
            row["difference_error"] = error_over(sources, differences)
    return row


def print_table(result):
    print(f"{result['log']}, {result['part']} part, {result['queries']} queries, candidates: {result['candidates']}")
    print(f"{'':24}{'MRR':>8}{'hits@10':>9}{'seconds':>9}{'to fit':>8}{'CPU s':>8}{'peak MB':>9}   MRR less scadyg's")
    for row in result["rows"]:
        line = f"{row['name']:24}{row['mrr']:8.4f}{row['hits@10']:9.4f}{row['seconds']:9.1f}{row['fit_seconds']:8.1f}" \
               f"{row['cpu_seconds']:8.1f}{row['peak_mb']:9.0f}"
        if row.get("difference_error"):
            line += f"   {row['difference']:+.4f} ± {row['difference_error']:.4f}"
        print(line)
    for name, why in result["skipped"].items():
        print(f"{name:24}skipped: {why}")
    if result["baselines"]:
        print("baselines of scadyg, in the same pass:")
        for name, row in result["baselines"].items():
            print(f"  {name:22}{row['mrr']:8.4f}{row['hits@10']:9.4f}")


def missing(name):
    absent = [part for part in NEEDS.get(name, []) if importlib.util.find_spec(part) is None]
    return f"python3-{absent[0]} is not installed for {sys.executable}" if absent else None


def compare(options):
    wanted = options.only.split(",") if options.only else ["scadyg", *METHODS]
    for name in wanted:
        if name != "scadyg" and name not in METHODS:
            raise SystemExit(f"there is no {name}: say some of scadyg, {', '.join(METHODS)}")
    with tempfile.TemporaryDirectory() as folder:
        events, asked, evaluated = prepare(options, folder)
        candidates = "all destinations so far" if evaluated["negatives"] == "all" else f"1 + {evaluated['negatives']}"
        result = {"log": options.log, "part": options.part, "queries": evaluated["queries"], "candidates": candidates,
                  "rows": [], "skipped": {}, "baselines": {name: {score: scores[score] for score in ("mrr", "hits@10")}
                                                           for name, scores in evaluated["baselines"].items()}}
        result["baselines"]["popularity"] = {score: evaluated[score] for score in ("mrr", "hits@10")}
        reference = None
        for name in wanted:
            why = missing(name)
            if why:
                result["skipped"][name] = why
                continue
            found = run_scadyg(options, folder, events, asked) if name == "scadyg" else run_alternative(name, options, folder)
            if name == "scadyg":
                reference = found["ranks"]
            result["rows"].append(row_of(name, found, reference, found.get("sources")))
    return result


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", metavar="LOG")
    parser.add_argument("--scadyg", metavar="PROGRAM", default=os.path.join(here, "..", "build", "scadyg"))
    parser.add_argument("--only", metavar="NAME,...", help="some of them, in this order [all]")
    parser.add_argument("--part", choices=("test", "validation"), default="test")
    parser.add_argument("--queries", metavar="N", default="2000", help="about so many [2000]")
    parser.add_argument("--negatives", metavar="K", help="so many candidates [as live says]")
    parser.add_argument("--refits", metavar="N", type=int, default=5, help="item-knn and als are fit so many times [5]")
    parser.add_argument("--threads", metavar="N", type=int, default=os.cpu_count(), help="of scadyg and xgboost [all]")
    parser.add_argument("--train", metavar="OPTIONS", default="", help="options of scadyg train [none]")
    parser.add_argument("--json", metavar="FILE", help="also write the table there; - prints it instead")
    parser.add_argument("--one", choices=METHODS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.refits < 1:
        parser.error("--refits must be at least 1")
    if options.one:
        run_one(options.one, options.folder, options)
        return
    result = compare(options)
    if options.json != "-":
        print_table(result)
    if options.json:
        with (sys.stdout if options.json == "-" else open(options.json, "w", encoding="utf-8")) as file:
            json.dump(result, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()

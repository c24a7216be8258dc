"""The cases of tests/same/run, in the new spelling of the options, and how they were spelt before the rebuild."""
import shlex

# Tables of NAME GRAPH OPTIONS, one a line. A name that begins with blas. is of a net for which OpenBLAS is called.

GRAPHS = """
g       --seed 3 --events 5000 --nodes 200
small   --seed 8 --events 3000 --nodes 60
edges   --seed 4 --events 4000 --nodes 150 --edge-features 4
wide    --seed 6 --events 3000 --nodes 100 --edge-features 20
items   --seed 5 --events 5000 --nodes 300 --items 60 --kind items
plain   --seed 7 --events 4000 --nodes 200 --communities 4 --again 0
many    --seed 2 --events 200000 --nodes 4000 --communities 2 --again 0
"""  # and log, log-nodes, yearly, shop (ids of users and items overlap): imported from text, see `make_graphs`

# The default model. `defaults` says nothing at all, so it also holds the defaults; --select is not read by this model.
LINK = """
defaults            g
seed2               g       --epochs 3 --seed 2
threads1            g       --epochs 3 --seed 2 --threads 1
threads3            g       --epochs 3 --seed 2 --threads 3
event               g       --epochs 3 --freshness event --split time
event-threads1      g       --epochs 3 --freshness event --split time --threads 1
event-threads3      g       --epochs 3 --freshness event --split time --threads 3
event-steps         g       --epochs 2 --freshness event
step-time           g       --epochs 2 --split time
explicit            g       --model scadyg --epochs 3 --lr 0.005 --lr-decay 0.5 --weight-decay 1e-3 --batch 64
shares              g       --epochs 2 --train-share 0.5 --validation-share 0.2 --steps 30
equal-count         g       --epochs 2 --step-rule equal-count --steps 40
patience            small   --epochs 20 --patience 1 --lr 0.05
hypernetwork        g       --epochs 2 --without hypernetwork
multirate           g       --epochs 2 --without multirate
nodes               g       --epochs 2 --without nodes
pairs               g       --epochs 2 --without pairs
transitions         g       --epochs 2 --without transitions
walks1              g       --epochs 2 --without walks1
walks2              g       --epochs 2 --without walks2
ranking             g       --epochs 2 --without ranking
several             g       --epochs 2 --without hypernetwork,walks2
walk-width16        g       --epochs 2 --walk-width 16
negatives3          g       --epochs 2 --negatives 3
historical          g       --epochs 2 --freshness event --split time --historical 0.3
historical0         g       --epochs 2 --freshness event --split time --historical 0
binary0             g       --epochs 2 --binary 0
binary1             g       --epochs 2 --binary 1
averaging0          g       --epochs 2 --averaging 0
pool-any            g       --epochs 2 --train-pool any
pool-destination    items   --epochs 2 --train-pool destination
items               items   --epochs 3
items-event         items   --epochs 2 --freshness event --split time
shop                shop    --epochs 2
shop-event          shop    --epochs 2 --freshness event --split time
edges               edges   --epochs 2
edges-event         edges   --epochs 2 --freshness event --split time
wide                wide    --epochs 2
weights             log     --epochs 2
weights-event       log     --epochs 2 --freshness event --split time
nodes-stored        log-nodes --epochs 2
nodes-stored-event  log-nodes --epochs 2 --freshness event --split time
yearly              yearly  --epochs 2 --steps 20
plain               plain   --epochs 2
not-stopped         g       --epochs 12 --patience 12
memory              g       --epochs 2 --memory 17800000
memory-pairs        many    --epochs 1 --memory 32M --walk-width 16
"""  # memory: sketches of 32 numbers; memory-pairs: too many pairs to keep (how many follows from the bytes of a node)

# The paper's model. Its defaults were those of a preset, so every option is given, unless a preset is.
# Affinity has no --select, no --train-pool and one split, by the times of the labels.
PAPER_ALL = ("--model scadyg-paper --steps 50 --step-rule equal-time --window all --hops 1 --gamma0 auto --repeat 8 "
             "--node-features none --freshness step --normalise log --without none --hidden auto --lr 0.003 "
             "--weight-decay 1e-4 --batch 128 --epochs 3 --patience 10 --seed 1")
PAPER_LINK = PAPER_ALL + " --split steps --train-share 0.7 --validation-share 0.15 --select mrr --train-pool any"
PAPER = """
explicit            g
threads1            g       --threads 1
threads3            g       --threads 3
hops2               g       --hops 2
hops2-event         g       --hops 2 --freshness event
window5             g       --window 5
window5-event       g       --window 5 --freshness event
equal-count         g       --step-rule equal-count --window 9
blas.onehot         small   --node-features onehot
blas.random12       g       --node-features random:12
blas.random12-event g       --node-features random:12 --freshness event --split time
stored              log-nodes --node-features stored
none                g       --normalise none
standard            g       --normalise standard
log-standard        g       --normalise log-standard
event               g       --freshness event
event-time          g       --freshness event --split time --select ap
split-time          g       --split time
time                g       --without time
hypernetwork        g       --without hypernetwork
multirate           g       --without multirate
pool-destination    items   --train-pool destination
pool-seen           g       --train-pool seen
select-ap           g       --select ap
rates               g       --rates 1e-4,3e-5,1e-5,3e-6,1e-6,3e-7,1e-7,3e-8
gamma0              g       --gamma0 2e-6 --repeat 4 --hidden 16 --lr 0.01 --batch 64
edges               edges
edges-hops2         edges   --hops 2 --normalise standard
items               items
shop                shop
weights             log
yearly              yearly  --steps 20
memory              g       --memory 1M
seed5               g       --seed 5 --epochs 2
"""
PRESETS = """
general             g       --epochs 3
uci                 g       --preset uci --epochs 3
mooc                g       --preset mooc --epochs 3
bitcoinalpha        g       --preset bitcoinalpha --epochs 3
blas.enron          small   --preset enron --epochs 2
lastfm              g       --preset lastfm --epochs 2
unvote              yearly  --preset unvote --epochs 2
blas.reddit-title   small   --preset reddit-title --epochs 2 --steps 30
stackoverflow       g       --preset stackoverflow --epochs 2
trade               yearly  --preset trade --task affinity --epochs 3
blas.genre          yearly  --preset genre --task affinity --epochs 2 --steps 20
"""
RULES = """
popularity          g       --model popularity
edgebank            g       --model edgebank
edgebank-window     g       --model edgebank-window
pair-recency        g       --model pair-recency
pair-then-popularity g      --model pair-then-popularity
markov              g       --model markov
markov-time         items   --model markov --split time
"""

AFFINITY = """
defaults            yearly  --steps 20
threads1            yearly  --steps 20 --epochs 8 --threads 1
threads3            yearly  --steps 20 --epochs 8 --threads 3
generated           g       --steps 25 --epochs 3
event               g       --steps 25 --epochs 3 --freshness event
labels              small   --steps 25 --epochs 3 --labels labels.csv
items               items   --steps 25 --epochs 8
shop                shop    --steps 25 --epochs 3
standard            yearly  --steps 20 --epochs 8 --normalise standard
hypernetwork        g       --steps 25 --epochs 3 --without hypernetwork
multirate           g       --steps 25 --epochs 3 --without multirate
nodes               g       --steps 25 --epochs 3 --without nodes
popularity          g       --steps 25 --epochs 3 --without popularity
reverse             g       --steps 25 --epochs 3 --without reverse
persistence         yearly  --steps 20 --model persistence
moving-average      yearly  --steps 20 --model moving-average
persistence-labels  small   --steps 25 --model persistence --labels labels.csv
"""  # items: no epoch is better than the start, which is kept
AFFINITY_PAPER = """
explicit            yearly  --steps 20
blas.generated      g       --steps 25
blas.event          g       --steps 25 --freshness event
labels              small   --steps 25 --labels labels.csv
labels-threads1     small   --steps 25 --labels labels.csv --threads 1
window              yearly  --steps 20 --window 5 --normalise log-standard
time                yearly  --steps 20 --without time
hypernetwork        yearly  --steps 20 --without hypernetwork
multirate           yearly  --steps 20 --without multirate
onehot              yearly  --steps 20 --node-features onehot --normalise log-standard
"""
TRAINED = (("link", LINK, ""), ("paper", PAPER, PAPER_LINK), ("preset", PRESETS, "--model scadyg-paper"),
           ("rule", RULES, ""), ("affinity", AFFINITY, "--task affinity"),
           ("affinity-paper", AFFINITY_PAPER, PAPER_ALL + " --task affinity"))
# Killed in between and gone on with: resumed.link ends as link.not-stopped does.
RESUMED = f"""
link                g       --epochs 12 --patience 12
paper               g {PAPER_LINK.replace("--epochs 3", "--epochs 100").replace("--patience 10", "--patience 100")}
"""
TUNED = f"""
halving             g       --epochs 3
random              g       --epochs 2 --method random --search-seed 4
paper               g       {PAPER_LINK.replace(" --hidden auto", "").replace(" --lr 0.003", "")}
"""
DATA = """
uci                 uci     --epochs 2 --steps 273
uci-event           uci     --epochs 1 --freshness event --split time
uci-paper           uci     --model scadyg-paper --preset uci --epochs 2
trade               trade   --epochs 1 --task affinity --steps 21
blas.trade-paper    trade   --model scadyg-paper --preset trade --task affinity --epochs 2
"""

# How models of the tables are judged: first the ones under every protocol and pool, then some under each protocol.
JUDGED_FULLY = "link.event link.items paper.explicit"
JUDGED = "link.defaults link.weights link.edges-event link.nodes-stored paper.event-time paper.items rule.markov " \
         "link.shop-event paper.shop blas.paper.onehot"
JUDGED_AFFINITY = "affinity.defaults affinity.labels affinity-paper.explicit affinity.persistence"
ASKED = "link.defaults link.event link.items link.shop link.edges link.weights link.nodes-stored link.hypernetwork " \
        "paper.explicit paper.event paper.hops2 paper.none paper.shop paper.stored rule.popularity rule.markov " \
        "blas.paper.random12"
ASKED_AFFINITY = "affinity.defaults affinity.labels affinity.items affinity.shop affinity.persistence " \
                 "affinity-paper.explicit affinity-paper.labels affinity-paper.onehot blas.affinity-paper.generated"
NO_EMBEDDINGS = "rule.popularity rule.markov affinity.persistence"  # nothing to embed
NO_MATRICES = "link.hypernetwork affinity.defaults affinity.labels affinity.items affinity.shop"
MESSAGES = """
defaults g
earlier  g      --at MIDDLE
hops2    g      --hops 2 --window 7 --steps 40
count    g      --step-rule equal-count --window 3 --at MIDDLE
onehot   small  --node-features onehot
random   g      --node-features random:4 --seed 9 --hops 2
stored   log-nodes --node-features stored
rates    g      --rates 1e-4,1e-5 --repeat 2
gamma0   edges  --gamma0 1e-5 --double
items    items  --window 20
shop     shop
weights  log
"""


def table(text, common=""):
    """Name, graph and options of each line; what a line says wins over what is common."""
    for line in text.strip().split("\n"):
        name, graph, *options = shlex.split(line)
        merged = {}
        for word in shlex.split(common) + options:
            if word.startswith("--"):
                values = merged[word] = []
            else:
                values.append(word)
        yield name, graph, [word for option in merged for word in (option, *merged[option])]


def case_name(kind, name):
    return f"blas.{kind}.{name[5:]}" if name.startswith("blas.") else f"{kind}.{name}"


def old_spelling(words):
    """The same command before the rebuild: the paper's model was a preset, the general one or one for a dataset."""
    words = list(words)

    def take(option):
        if option not in words:
            return None
        at = words.index(option)
        value = words[at + 1]
        del words[at:at + 2]
        return value

    model, preset = take("--model"), take("--preset")
    words = ["--no-heuristics" if word == "--no-baselines" else word for word in words]
    if model == "scadyg-paper" and words[0] in ("train", "tune"):
        return words + ["--preset", "paper:" + preset if preset else "paper"]
    return words + ["--model", model] if model else words

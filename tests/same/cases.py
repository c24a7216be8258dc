"""The cases of tests/same/run."""
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

# The default model, stepwise and live. `live-defaults` says nothing at all, so it also holds the defaults.
LINK = """
defaults            g       --stepwise
live-defaults       g
seed2               g       --epochs 3 --seed 2 --stepwise --no-fallback
threads1            g       --epochs 3 --seed 2 --threads 1 --stepwise --no-fallback
threads3            g       --epochs 3 --seed 2 --threads 3 --stepwise --no-fallback
live                g       --epochs 3 --no-fallback
live-threads1       g       --epochs 3 --threads 1 --no-fallback
live-threads3       g       --epochs 3 --threads 3 --no-fallback
explicit            g       --model scadyg --epochs 3 --lr 0.005 --lr-decay 0.5 --weight-decay 1e-3 --batch 64 --stepwise --no-fallback
shares              g       --epochs 2 --train-share 0.5 --validation-share 0.2 --steps 30 --stepwise --no-fallback
equal-count         g       --epochs 2 --step-rule equal-count --steps 40 --stepwise --no-fallback
patience            small   --epochs 20 --patience 1 --lr 0.05 --stepwise --no-fallback
multirate           g       --epochs 2 --without multirate --stepwise --no-fallback
nodes               g       --epochs 2 --without nodes --stepwise --no-fallback
pairs               g       --epochs 2 --without pairs --stepwise --no-fallback
transitions         g       --epochs 2 --without transitions --stepwise --no-fallback
partners            g       --epochs 2 --without partners --stepwise --no-fallback
together            g       --epochs 2 --without together --stepwise --no-fallback
ranking             g       --epochs 2 --without ranking --stepwise --no-fallback
several             g       --epochs 2 --without nodes,together --stepwise --no-fallback
vectors             g       --epochs 2 --vectors on --stepwise --no-fallback
vectors-live        items   --epochs 2 --vectors on --no-fallback
negatives3          g       --epochs 2 --negatives 3 --stepwise --no-fallback
binary0             g       --epochs 2 --binary 0 --stepwise --no-fallback
binary1             g       --epochs 2 --binary 1 --stepwise --no-fallback
averaging0          g       --epochs 2 --averaging 0 --stepwise --no-fallback
pool-any            g       --epochs 2 --train-pool any --stepwise --no-fallback
pool-destination    items   --epochs 2 --train-pool destination --stepwise --no-fallback
items               items   --epochs 3 --stepwise --no-fallback
items-live          items   --epochs 2 --no-fallback
shop                shop    --epochs 2 --stepwise --no-fallback
shop-live           shop    --epochs 2 --no-fallback
edges               edges   --epochs 2 --stepwise --no-fallback
edges-live          edges   --epochs 2 --no-fallback
wide                wide    --epochs 2 --stepwise --no-fallback
weights             log     --epochs 2 --stepwise --no-fallback
weights-live        log     --epochs 2 --no-fallback
nodes-stored        log-nodes --epochs 2 --stepwise --no-fallback
nodes-stored-live   log-nodes --epochs 2 --no-fallback
yearly              yearly  --epochs 2 --steps 20 --stepwise --no-fallback
plain               plain   --epochs 2 --stepwise --no-fallback
fallback            small   --epochs 1
fallback-stepwise   small   --epochs 1 --stepwise
not-stopped         g       --epochs 12 --patience 12 --stepwise --no-fallback
memory              g       --epochs 2 --memory 49961574 --stepwise --no-fallback
memory-pairs        many    --epochs 1 --memory 65223680 --stepwise --no-fallback
"""  # memory, memory-pairs: less room for pairs than is wanted, and fewer than come

# The paper's model. Its defaults were those of a preset, so every option is given, unless a preset is.
# Affinity has no --select, no --train-pool and one split, by the times of the labels.
PAPER_ALL = ("--model scadyg-paper --steps 50 --step-rule equal-time --window all --hops 1 --gamma0 auto --repeat 8 "
             "--node-features none --normalise log --without none --hidden auto --lr 0.003 "
             "--weight-decay 1e-4 --batch 128 --epochs 3 --patience 10 --seed 1")
PAPER_LINK = PAPER_ALL + " --train-share 0.7 --validation-share 0.15 --select mrr --train-pool any"
PAPER = """
explicit            g
threads1            g       --threads 1
threads3            g       --threads 3
hops2               g       --hops 2
hops2-live          g       --hops 2 --no-stepwise
window5             g       --window 5
window5-live        g       --window 5 --no-stepwise
equal-count         g       --step-rule equal-count --window 9
blas.onehot         small   --node-features onehot
blas.random12       g       --node-features random:12
blas.random12-live  g       --node-features random:12 --no-stepwise
stored              log-nodes --node-features stored
none                g       --normalise none
standard            g       --normalise standard
log-standard        g       --normalise log-standard
live                g       --no-stepwise
live-ap             g       --no-stepwise --select ap
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
item-knn            g       --model item-knn
repeat-then-neighbours g    --model repeat-then-neighbours
edgebank-recent     g       --model edgebank-recent
edgebank-interval   g       --model edgebank-interval
edgebank-repeated   g       --model edgebank-repeated
"""

AFFINITY = """
defaults            yearly  --steps 20 --stepwise
live-defaults       yearly  --steps 20
threads1            yearly  --steps 20 --epochs 8 --threads 1 --stepwise
threads3            yearly  --steps 20 --epochs 8 --threads 3 --stepwise
generated           g       --steps 25 --epochs 3 --stepwise
live                g       --steps 25 --epochs 3
labels              small   --steps 25 --epochs 3 --labels labels.csv --stepwise
items               items   --steps 25 --epochs 8 --stepwise
shop                shop    --steps 25 --epochs 3 --stepwise
standard            yearly  --steps 20 --epochs 8 --normalise standard --stepwise
hypernetwork        g       --steps 25 --epochs 3 --without hypernetwork --stepwise
multirate           g       --steps 25 --epochs 3 --without multirate --stepwise
nodes               g       --steps 25 --epochs 3 --without nodes --stepwise
popularity          g       --steps 25 --epochs 3 --without popularity --stepwise
reverse             g       --steps 25 --epochs 3 --without reverse --stepwise
persistence         yearly  --steps 20 --model persistence
moving-average      yearly  --steps 20 --model moving-average
persistence-labels  small   --steps 25 --model persistence --labels labels.csv
"""  # items: no epoch is better than the start, which is kept
AFFINITY_PAPER = """
explicit            yearly  --steps 20
blas.generated      g       --steps 25
blas.live           g       --steps 25 --no-stepwise
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
# What --short leaves out: nothing else needs these models.
LONG = r"^link\.(memory-pairs|not-stopped)$"
# Killed in between and gone on with: resumed.link ends as link.not-stopped does.
RESUMED = f"""
link                g       --epochs 12 --patience 12 --stepwise --no-fallback
paper               g {PAPER_LINK.replace("--epochs 3", "--epochs 100").replace("--patience 10", "--patience 100")}
"""
TUNED = f"""
halving             g       --epochs 3 --stepwise
random              g       --epochs 2 --method random --search-seed 4 --stepwise
live                g       --epochs 3
paper               g       {PAPER_LINK.replace(" --hidden auto", "").replace(" --lr 0.003", "")}
"""
DATA = """
uci                 uci     --epochs 2 --steps 273 --stepwise
uci-live            uci     --epochs 1
uci-paper           uci     --model scadyg-paper --preset uci --epochs 2
trade               trade   --epochs 1 --task affinity --steps 21 --stepwise
blas.trade-paper    trade   --model scadyg-paper --preset trade --task affinity --epochs 2
"""

# How models of the tables are evaluated: first the ones under every protocol and pool, then some under each protocol.
EVALUATED_FULLY = "link.live link.items paper.explicit"
EVALUATED = "link.defaults link.weights link.edges-live link.nodes-stored paper.live-ap paper.items rule.markov rule.item-knn " \
         "link.shop-live link.fallback paper.shop blas.paper.onehot"
EVALUATED_AFFINITY = "affinity.defaults affinity.labels affinity-paper.explicit affinity.persistence"
ASKED = "link.defaults link.live link.items link.shop link.edges link.weights link.nodes-stored link.vectors-live link.fallback " \
        "paper.explicit paper.live paper.hops2 paper.none paper.shop paper.stored rule.popularity rule.markov " \
        "blas.paper.random12"
ASKED_AFFINITY = "affinity.defaults affinity.labels affinity.items affinity.shop affinity.persistence " \
                 "affinity-paper.explicit affinity-paper.labels affinity-paper.onehot blas.affinity-paper.generated"
NO_EMBEDDINGS = "rule.popularity rule.markov affinity.persistence"  # nothing to embed
NO_MATRICES = "link.defaults link.live link.items link.shop link.edges link.weights link.nodes-stored link.vectors-live " \
              "link.fallback affinity.defaults affinity.labels affinity.items affinity.shop"
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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints one language model of the Mixhead paper's tables 1 to 3, as MLIR.

    models.py vanilla-wt103                 a row of the tables
    models.py vanilla-wt103 --mixing=a      the same with a mixer in each layer
    models.py vanilla-wt103 --mixing=b      or with one made for each position
    models.py baevski-wt103 --head-size=256 the ablation of table 10

Every model takes tokens to the scores of the next one. Where the paper and the
code that it builds on do not say how large a vocabulary is, a model takes
embedded positions to features instead, and counts its layers only.
"""

import argparse
from typing import NamedTuple

from graph import Graph, Value


class Band(NamedTuple):
    """Words `first` to `end` of a vocabulary have `features` features."""
    first: int
    end: int
    features: int


class Model(NamedTuple):
    style: str
    layers: int
    heads: int
    head_size: int
    length: int
    width: int
    hidden: int
    bands: tuple = ()


# fairseq's transformer_lm and transformer_lm_wiki103, Transformer-XL's base model,
# and their vocabularies. Adaptive embeddings are narrower for rarer words.
ADAPTIVE = (Band(0, 20000, 1024), Band(20000, 60000, 256), Band(60000, 267744, 64))
MODELS = {
    "vanilla-wt103": Model("vanilla", 6, 8, 64, 512, 512, 2048, (Band(0, 267744, 512),)),
    "vanilla-wt2": Model("vanilla", 16, 8, 64, 256, 512, 2048, (Band(0, 33280, 512),)),
    "baevski-wt103": Model("vanilla", 16, 8, 128, 512, 1024, 4096, ADAPTIVE),
    "baevski-lm1b": Model("vanilla", 16, 8, 128, 2048, 1024, 4096),
    "synthesizer-wt103": Model("synthesizer", 16, 8, 128, 512, 1024, 4096, ADAPTIVE),
    "xl-wt103": Model("xl", 16, 10, 41, 150, 410, 2100, (Band(0, 267735, 410),)),
    "xl-wt2": Model("xl", 16, 10, 41, 150, 410, 2100),
    "xl-lm1b": Model("xl", 18, 8, 128, 32, 1024, 4096),
}


class Writer:
    """Layers over x, [1, N, width]."""

    def __init__(self, model, mixing, projection_biases):
        self.model, self.mixing = model, mixing
        self.has_biases = projection_biases and model.style != "xl"
        self.graph = Graph("model")
        self.shared = []

    # Attention.

    def heads(self, layer, name, x, size=None):
        """A projection to [1, heads, N, size]."""
        m, g = self.model, self.graph
        size = size or m.head_size
        w = g.parameter(f"{layer}_w{name}", m.width, m.heads, size)
        if not self.has_biases:
            return g.sum("bnf,fhd->bhnd", x, w)
        bias = g.parameter(f"{layer}_b{name}", m.heads, size)
        empty = g.broadcast(bias, (1, m.length, m.heads, size), (0, 1))
        y = g.sum("bnf,fhd->bnhd", x, w, empty)
        return self.transposed(y)

    def transposed(self, x):
        """[1, N, heads, size] as [1, heads, N, size]."""
        g = self.graph
        out = g.empty((1, x.shape[2], x.shape[1], x.shape[3]))
        return out._replace(name=g.op(
            f"linalg.transpose ins({x.name} : {x.type}) outs({out.name} : {out.type}) "
            "permutation = [0, 2, 1, 3]"))

    def mixer(self, layer, source):
        """The clause that mixes weights, for attn.generic."""
        m, g = self.model, self.graph
        if self.mixing == "a":
            mixer = g.parameter(f"{layer}_mixer", m.heads, m.heads)
            return f" postmix({mixer.name} : {mixer.type})"
        if self.mixing == "b":
            w = g.parameter(f"{layer}_mixer_w", m.head_size, m.heads)
            b = g.parameter(f"{layer}_mixer_b", m.heads, m.heads)
            return (f" postmix_by_row({source.name}, {w.name}, {b.name} : "
                    f"{source.type}, {w.type}, {b.type})")
        return ""

    def attend(self, scores, clauses, source, layer, v):
        """One attn.generic, causal."""
        g = self.graph
        return v._replace(name=g.op(
            f"attn.generic {scores}{clauses} causal{self.mixer(layer, source)}\n"
            f"      pool({v.name} : {v.type}) -> {v.type}"))

    def products(self, layer, x):
        q, k, v = (self.heads(layer, name, x) for name in "qkv")
        scores = f"scores({q.name}, {k.name} : {q.type}, {k.type})"
        return self.attend(scores, "", q, layer, v)

    def synthesized(self, layer, x):
        """Scores are a perceptron over each position: its hidden units, then one
        score for each key, with weights that the heads share. The keys' projection
        stays, unread, as in the code of the products."""
        m, g = self.model, self.graph
        hidden = g.relu(self.heads(layer, "q", x))
        g.parameter(f"{layer}_wk", m.width, m.heads, m.head_size)
        g.parameter(f"{layer}_bk", m.heads, m.head_size)
        v = self.heads(layer, "v", x)
        w = g.parameter(f"{layer}_synthesizer_w", m.head_size, m.length)
        b = g.parameter(f"{layer}_synthesizer_b", m.length)
        start = g.broadcast(b, (1, m.heads, m.length, m.length), (0, 1, 2))
        scores = g.sum("bhnd,ds->bhns", hidden, w, start)
        return self.attend(f"given({scores.name} : {scores.type})", "", hidden, layer, v)

    def relative(self, layer, x):
        """((q_i + u).k_j + (q_i + w).r_(i-j)) / sqrt(D), r the projected sines of
        distances; u and w are the same in all layers."""
        m, g = self.model, self.graph
        if not self.shared:
            self.shared = [g.parameter(name, m.heads, m.head_size) for name in "uw"]
            self.sines = g.argument("sines", (m.length, m.width))
        q, k, v = (self.heads(layer, name, x) for name in "qkv")
        u, w = (g.add(q, self.along(bias, q.shape)) for bias in self.shared)
        wr = g.parameter(f"{layer}_wr", m.width, m.heads, m.head_size)
        r = g.sum("nf,fhd->hnd", self.sines, wr)
        by_distance = g.sum("bhnd,hpd->bhnp", w, r)
        bias = self.shifted(by_distance, m.head_size ** -0.5)
        scores = f"scores({u.name}, {k.name} : {u.type}, {k.type})"
        return self.attend(scores, f" bias({bias.name} : {bias.type})", q, layer, v)

    def along(self, bias, shape):
        """[heads, size] along batch and positions."""
        return self.graph.broadcast(bias, shape, (0, 2))

    def shifted(self, x, factor):
        """y[b,h,i,j] = factor x[b,h,i,i-j], where j <= i."""
        g = self.graph
        factor, zero = g.constant(factor), g.constant(0, "index")
        return g.generic(["bhij"], [], g.empty(x.shape), f"""\
  ^bb0(%unused: f32):
    %b = linalg.index 0 : index
    %h = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %back = arith.subi %i, %j : index
    %distance = arith.maxsi %back, {zero} : index
    %value = tensor.extract {x.name}[%b, %h, %i, %distance] : {x.type}
    %scaled = arith.mulf %value, {factor} : f32
    linalg.yield %scaled : f32
""")

    # Layers.

    def norm(self, name, x):
        g = self.graph
        gain, bias = (g.parameter(f"{name}_{part}", x.shape[2]) for part in ("gain", "bias"))
        return g.layer_norm(x, gain, bias)

    def layer(self, name, x):
        """Each part with a residual connection, and a norm before or after it."""
        m, g = self.model, self.graph
        attend = {"vanilla": self.products, "synthesizer": self.synthesized,
                  "xl": self.relative}[m.style]
        attended = attend(name, x)
        wo = g.parameter(f"{name}_wo", m.heads, m.head_size, m.width)
        start = x
        if self.has_biases:
            start = g.add(x, g.broadcast(g.parameter(f"{name}_bo", m.width), x.shape, (0, 1)))
        x = self.norm(f"{name}_norm1", g.sum("bhnd,hdf->bnf", attended, wo, start))
        w1, b1 = g.parameter(f"{name}_w1", m.width, m.hidden), g.parameter(f"{name}_b1", m.hidden)
        w2, b2 = g.parameter(f"{name}_w2", m.hidden, m.width), g.parameter(f"{name}_b2", m.width)
        hidden = g.relu(g.linear("bnf,fg->bng", x, w1, b1))
        return self.norm(f"{name}_norm2", g.add(x, g.linear("bng,gf->bnf", hidden, w2, b2)))

    # Words.

    def embedding(self):
        """Rows of the bands' tables, projected to the model's width where tables
        are of several widths. Projections and tables serve the scores, too."""
        m, g = self.model, self.graph
        tokens = g.argument("tokens", (1, m.length), "i64",
                            f", attn.range = [0, {m.bands[-1].end - 1}]")
        x = None
        self.tables, self.projections = [], []
        for i, band in enumerate(m.bands):
            table = g.parameter(f"table{i}", band.end - band.first, band.features)
            self.tables.append(table)
            rows = self.rows(tokens, table, band)
            if len(m.bands) > 1:
                w = g.parameter(f"table{i}_projection", band.features, m.width)
                self.projections.append(w)
                rows = g.sum("bne,ef->bnf", rows, w, x)
            x = rows
        return x

    def rows(self, tokens, table, band):
        """The table's row of each token of the band, zeros for the others."""
        g = self.graph
        first, end = g.constant(band.first, "i64"), g.constant(band.end, "i64")
        none, zero = g.constant(0, "i64"), g.constant("0.0")
        out = g.empty((1, self.model.length, band.features))
        return g.generic(["bn", "bnf"], [tokens], out, f"""\
  ^bb0(%token: i64, %unused: f32):
    %above = arith.cmpi sge, %token, {first} : i64
    %below = arith.cmpi slt, %token, {end} : i64
    %inside = arith.andi %above, %below : i1
    %offset = arith.subi %token, {first} : i64
    %safe = arith.select %inside, %offset, {none} : i64
    %row = arith.index_cast %safe : i64 to index
    %feature = linalg.index 2 : index
    %value = tensor.extract {table.name}[%row, %feature] : {table.type}
    %masked = arith.select %inside, %value, {zero} : f32
    linalg.yield %masked : f32
""")

    def scores(self, x):
        """Each word's, and each rarer band's as a whole."""
        m, g = self.model, self.graph
        results = []
        for i, table in enumerate(self.tables):
            y = x
            if self.projections:
                y = g.sum("bnf,ef->bne", x, self.projections[i])
            start = None
            if m.style == "xl":
                bias = g.parameter(f"table{i}_bias", table.shape[0])
                start = g.broadcast(bias, (1, m.length, table.shape[0]), (0, 1))
            results.append((f"scores{i}", g.sum("bne,we->bnw", y, table, start)))
        if len(self.tables) > 1:
            bands = g.parameter("bands", m.width, len(self.tables) - 1)
            results.append(("bands_scores", g.sum("bnf,fc->bnc", x, bands)))
        if m.style == "xl":
            # Cut in four, though all tables are as wide.
            bands, bias = g.parameter("bands", m.width, 3), g.parameter("bands_bias", 3)
            results.append(("bands_scores", g.linear("bnf,fc->bnc", x, bands, bias)))
        return results

    def text(self):
        m, g = self.model, self.graph
        x = self.embedding() if m.bands else g.argument("x", (1, m.length, m.width))
        for i in range(m.layers):
            x = self.layer(f"layer{i}", x)
        return g.text(*(self.scores(x) if m.bands else [("y", x)]))


def model(name, mixing=None, projection_biases=True, **changes):
    """The text of a model; `changes` to its row of MODELS."""
    return Writer(MODELS[name]._replace(**changes), mixing, projection_biases).text()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--mixing", choices=("a", "b"))
    parser.add_argument("--head-size", type=int)
    options = parser.parse_args()
    changes = {"head_size": options.head_size} if options.head_size else {}
    print(model(options.model, options.mixing, **changes), end="")


if __name__ == "__main__":
    main()

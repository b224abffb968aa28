# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints one attention layer as the papers count it, as MLIR.

    layers.py softmax                          8 heads, and
    layers.py mixture_of_keys                  4 heads of 2 keys a position: MGK, appendix B
    layers.py softmax --only-weights           the attention matrices alone, and
    layers.py admixture_heads --only-weights   8 heads made of 2: FiSH, appendix D
    layers.py admixture_mlp --width=256 --head-size=32 --feed-forward=2048
                                               the coded GFiSH in a whole layer

Heads, features and widths are static in a graph, hence options; the length N is
a named dim.
"""

import argparse

from graph import Graph, Value

KINDS = ("softmax", "mixture_of_keys", "admixture_heads", "admixture_mlp")


class Layer:
    """Input x, [1, N, width]; arguments in the order in which they are used."""

    def __init__(self, options):
        self.options = options
        self.graph = Graph(options.kind)
        self.x = self.graph.argument("x", (1, "N", options.width))

    def heads(self, name, heads, x):
        """Keys, queries or values: [1, heads, N, features]."""
        size = self.options.head_size
        w = self.graph.parameter(f"w{name}", self.options.width, heads, size)
        return self.graph.sum("bnf,fhd->bhnd", x, w)

    def keys(self, x):
        """Several keys a position: [1, heads, components, N, features]."""
        o = self.options
        w = self.graph.parameter("wk", o.width, o.heads, o.components, o.head_size)
        return self.graph.sum("bnf,fhrd->bhrnd", x, w)

    def values(self, x):
        o = self.options
        if not o.only_weights:
            return self.heads("v", o.heads, x)
        # The op takes values, which nothing reads.
        return self.graph.argument("v", (1, o.heads, "N", o.head_size))

    def attend(self, x):
        """The op between the projections: its result and its weights."""
        o, g = self.options, self.graph
        sources = o.global_heads if o.kind.startswith("admixture") else o.heads
        q = self.heads("q", sources, x)
        k = self.keys(x) if o.kind == "mixture_of_keys" else self.heads("k", sources, x)
        v = self.values(x)
        clauses = ""
        if o.kind == "mixture_of_keys":
            prior = g.parameter("log_prior", o.heads, o.components)
            clauses = f" prior({prior.name} : {prior.type})"
        if o.kind == "admixture_heads":
            mixer = g.parameter("mixer", o.global_heads, o.heads)
            sigma = g.parameter("sigma", o.global_heads)
            noise = g.argument("noise", (1, o.global_heads, "N", "N"))
            clauses = (f" mixer({mixer.name} : {mixer.type})\n      noise <global> "
                       f"sigma({sigma.name} : {sigma.type}) drawn({noise.name} : {noise.type})")
        if o.kind == "admixture_mlp":
            mlp = [g.parameter("mixer_w1", o.global_heads, o.heads),
                   g.parameter("mixer_b1", o.heads),
                   g.parameter("mixer_w2", o.heads, o.heads), g.parameter("mixer_b2", o.heads)]
            clauses = (f" mlp({', '.join(m.name for m in mlp)}\n      : "
                       f"{', '.join(m.type for m in mlp)})")
        name = "admixture_heads" if o.kind == "admixture_mlp" else o.kind
        out = Value("%attended", v.shape)
        weights = Value("%weights", (1, o.heads, "N", "N"))
        results, types = ("%attended", out.type)
        if o.only_weights:
            results, types = "%attended, %weights", f"{out.type} weights {weights.type}"
        g.lines.append(f"{results} = attn.{name} {q.name}, {k.name}, {v.name}{clauses}\n"
                       f"      : ({q.type}, {k.type}, {v.type})\n      -> {types}")
        return out, weights

    def feed_forward(self, x):
        """x + relu(x w1 + b1) w2 + b2."""
        o, g = self.options, self.graph
        w1, b1 = g.parameter("w1", o.width, o.feed_forward), g.parameter("b1", o.feed_forward)
        w2, b2 = g.parameter("w2", o.feed_forward, o.width), g.parameter("b2", o.width)
        hidden = g.relu(g.linear("bnf,fg->bng", x, w1, b1))
        return g.add(x, g.linear("bng,gf->bnf", hidden, w2, b2))

    def text(self):
        o, g = self.options, self.graph
        attended, weights = self.attend(self.x)
        if o.only_weights:
            return g.text(("weights", weights))
        wo = g.parameter("wo", o.heads, o.head_size, o.output_width)
        y = g.sum("bhnd,hdf->bnf", attended, wo)
        if o.feed_forward:
            y = self.feed_forward(y)
        return g.text(("y", y))


DEFAULTS = {"width": 128, "heads": None, "head_size": 16, "components": 2, "global_heads": 2,
            "output_width": None, "feed_forward": None, "only_weights": False}


def layer(kind, **changes):
    """The text of a layer; `changes` to DEFAULTS."""
    options = argparse.Namespace(**{**DEFAULTS, **changes}, kind=kind)
    options.heads = options.heads or (4 if kind == "mixture_of_keys" else 8)
    options.output_width = options.output_width or options.width
    return Layer(options).text()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--width", type=int, help="of x; default 128")
    parser.add_argument("--heads", type=int, help="default 8; with several keys 4")
    parser.add_argument("--head-size", type=int, help="default 16")
    parser.add_argument("--components", type=int, help="keys a position; default 2")
    parser.add_argument("--global-heads", type=int, help="heads that make scores; default 2")
    parser.add_argument("--output-width", type=int, help="default as --width")
    parser.add_argument("--feed-forward", type=int, help="width of a network after the attention")
    parser.add_argument("--only-weights", action="store_true", help="no values, no output")
    given = {name: value for name, value in vars(parser.parse_args()).items() if value}
    words = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}")
             for name, value in given.items() if name != "kind"]
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
          "// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null\n//\n"
          f"// Printed by `layers.py {' '.join([given['kind']] + words)}`.")
    print(layer(**given), end="")


if __name__ == "__main__":
    main()

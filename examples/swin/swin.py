# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the graph of Swin-T, or of Swin-T with Hard GFiSH 6/12, as MLIR.

One public function takes images and weights to logits; parts.py holds what it
calls, one private function for each part of the network and each stage.
"""

import argparse
from string import Template

import parts

DEPTHS = (2, 2, 6, 2)
LOCAL_HEADS = (3, 6, 12, 24)
# Heads that make scores: where they are fewer than the local ones, a small
# perceptron over the heads makes the local ones' of theirs.
GLOBAL_HEADS = {"swin_t": (3, 6, 12, 24), "swin_t_gfish": (3, 6, 6, 12)}
CLASSES = 1000


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def block_weights(width, global_, local):
    """Name and shape of a block's weights before and after its attention, and
    of those of its attention."""
    mixer = [("mixer_w1", (global_, local)), ("mixer_b1", (local,)),
             ("mixer_w2", (local, local)), ("mixer_b2", (local,))]
    attention = [("wq", (width, global_, 32)), ("bq", (global_, 32)),
                 ("wk", (width, global_, 32)), ("bk", (global_, 32)),
                 ("wv", (width, local, 32)), ("bv", (local, 32)),
                 *(mixer if global_ < local else []), ("table", (169, local)),
                 ("wo", (local, 32, width)), ("bo", (width,))]
    before = [("norm1_gain", (width,)), ("norm1_bias", (width,))]
    after = [("norm2_gain", (width,)), ("norm2_bias", (width,)),
             ("w1", (width, 4 * width)), ("b1", (4 * width,)),
             ("w2", (4 * width, width)), ("b2", (width,))]
    return before, attention, after


def merge_weights(width):
    return [("norm_gain", (4 * width,)), ("norm_bias", (4 * width,)),
            ("w", (4 * width, 2 * width))]


def listed(items, indent):
    """`items` with commas, in lines of 80 columns that begin after `indent`."""
    lines = [[]]
    for item in items:
        if lines[-1] and indent + len(", ".join([*lines[-1], item])) > 78:
            lines.append([])
        lines[-1].append(item)
    return (",\n" + " " * indent).join(", ".join(line) for line in lines)


def declared(weights):
    return listed([f"%{name}: {tensor(shape)}" for name, shape in weights], 4)


class Stage:
    """The blocks of one resolution, and their sizes as parts.py calls them."""

    def __init__(self, network, number, images):
        local = LOCAL_HEADS[number - 1]
        global_ = GLOBAL_HEADS[network][number - 1]
        size, width = 112 >> number, 32 * local
        side = size // 7
        self.weights = block_weights(width, global_, local)
        self.sizes = {
            "s": number, "next": number + 1, "n": images, "size": size, "rest": size - 3,
            "positions": images * size**2, "half": size // 2, "merged": images * size**2 // 4,
            "side": side, "apart": side**2, "windows": images * side**2,
            "width": width, "double": 2 * width, "wide": 4 * width,
            "local": local, "global_": global_,
        }
        self.mixes, self.shifts = global_ < local, side > 1

    def fill(self, part, **more):
        return Template(part).substitute(self.sizes, **more)

    def functions(self):
        """The definitions of all that the stage calls."""
        sizes = self.sizes
        text = layer_norm(sizes["positions"], sizes["width"])
        text += self.fill(parts.WINDOWS) + self.fill(parts.BIAS)
        text += self.fill(parts.HEADS, kind="local", heads=sizes["local"])
        if self.mixes:
            text += self.fill(parts.HEADS, kind="global", heads=sizes["global_"])
        text += self.block(shifted=False)
        if self.shifts:
            text += self.fill(parts.ROLL) + self.fill(parts.PARTS) + self.block(shifted=True)
        text += self.fill(parts.PERCEPTRON)
        if sizes["s"] < len(DEPTHS):
            text += layer_norm(sizes["merged"], sizes["wide"]) + self.fill(parts.MERGE)
        return text

    def block(self, shifted):
        """A block, with windows shifted or not, and its attention."""
        before, attention, after = self.weights
        names = ["%windows", *("%" + name for name, _ in attention)]
        types = [f"!windows{self.sizes['s']}", *(tensor(shape) for _, shape in attention)]
        steps = {"seen": parts.SEEN, "lowered": parts.LOWERED, "forth": parts.FORTH,
                 "back": parts.BACK}
        return self.fill(
            parts.ATTENTION + parts.BLOCK, shifted="shifted_" if shifted else "",
            attention_weights=declared(attention), attention_values=listed(names, 6),
            attention_types=listed(types, 9), block_weights=declared(before + attention + after),
            attention=self.fill(parts.ADMIXTURE if self.mixes else parts.SOFTMAX),
            kind="global" if self.mixes else "local",
            rolled="rolled" if shifted else "y", change="unrolled" if shifted else "change1",
            **{name: self.fill(step) if shifted else "" for name, step in steps.items()},
        )


def layer_norm(positions, width):
    return Template(parts.LAYER_NORM).substitute(
        positions=positions, width=width, x=tensor((positions, width)), rows=tensor((positions,)))


class Entry:
    """The public function, written call by call."""

    def __init__(self, images):
        self.arguments = [f'%images: {tensor((images, 3, 224, 224))} {{attn.name = "images"}}']
        self.body = ""
        self.value, self.type = "images", tensor((images, 3, 224, 224))

    def call(self, function, result, type_, weights, prefix):
        """Calls `function` with the last result and with weights of its own,
        named after `prefix`."""
        for name, shape in weights:
            attributes = f'{{attn.name = "{prefix}{name}", attn.parameter}}'
            self.arguments.append(f"%{prefix}{name}: {tensor(shape)} {attributes}")
        values = ["%" + self.value, *(f"%{prefix}{name}" for name, _ in weights)]
        types = [self.type, *(tensor(shape) for _, shape in weights)]
        self.body += (f"  %{result} = call @{function}(\n      {listed(values, 6)})\n"
                      f"      : ({listed(types, 9)})\n      -> {type_}\n")
        self.value, self.type = result, type_


def network(name, images):
    """The whole graph."""
    entry = Entry(images)
    stages = [Stage(name, number, images) for number in range(1, 5)]
    entry.call("embedding", "x0", "!images1", [("w", (3, 4, 4, 96)), ("bias", (96,))], "embedding_")
    norm = [("gain", (96,)), ("bias", (96,))]
    entry.call(f"layer_norm_{images * 56**2}x96", "y0", "!images1", norm, "embedding_norm_")
    for number, (stage, depth) in enumerate(zip(stages, DEPTHS), 1):
        for block in range(1, depth + 1):
            shifted = "shifted_" if stage.shifts and block % 2 == 0 else ""
            entry.call(f"{shifted}block{number}", f"x{number}_{block}", f"!images{number}",
                       sum(stage.weights, []), f"stage{number}_block{block}_")
        if number < len(stages):
            entry.call(f"merge{number}", f"x{number + 1}_0", f"!images{number + 1}",
                       merge_weights(stage.sizes["width"]), f"stage{number}_merge_")
    norm = [("gain", (768,)), ("bias", (768,))]
    entry.call(f"layer_norm_{images * 7**2}x768", "y", "!images4", norm, "norm_")
    entry.call("classifier", "logits", tensor((images, CLASSES)),
               [("w", (768, CLASSES)), ("bias", (CLASSES,))], "classifier_")

    types = "".join(stage.fill(parts.TYPES) for stage in stages)
    functions = "".join(stage.functions() for stage in stages)
    sizes = {"n": images}
    return (f"// Made by examples/swin/swin.py.\n{types}\n"
            f"func.func @{name}(\n    {listed(entry.arguments, 4)})\n"
            f'    -> ({entry.type} {{attn.name = "logits"}}) {{\n{entry.body}'
            f"  return %logits : {entry.type}\n}}\n"
            + Template(parts.EMBEDDING).substitute(sizes) + functions
            + Template(parts.CLASSIFIER).substitute(sizes))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("network", choices=GLOBAL_HEADS)
    parser.add_argument("--images", type=int, default=1, metavar="N",
                        help="images that a call takes (%(default)s)")
    arguments = parser.parse_args()
    print(network(arguments.network, arguments.images), end="")


if __name__ == "__main__":
    main()

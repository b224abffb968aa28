# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws attentions through a softmax: each clause, and their products."""

import numpy as np

from compositions import mods, sizes

FARTHEST = (2**31 - 1, 2**40, 2**62)
SCALES = (1.0, 0.125, 0.5, 0.3, 2.0, -0.5, 0.0)


def broadcast(d, shape):
    """A shape that broadcasts from the right to this one."""
    shape = [1 if d.chance(0.3) else size for size in shape]
    return shape[d.pick((0, 0, 0, 1, 1, 2, 2, 3, 4)):]


def draw_components(d, kind, of, operands, attrs):
    """Components by keys, by shifts, by terms; or none."""
    heads, key_heads, keys, features, dtype = of
    count = 0
    key = ["B", key_heads, keys, features]
    if kind == "mixture_of_keys" or (kind == "generic" and d.chance(0.45)):
        by = d.pick(("keys", "shifts", "query_term", "key_term")
                    if kind == "generic" else ("keys", "shifts"))
        count = d.pick(sizes.COMPONENTS)
        if by == "keys":
            key.insert(2, count)
        if by == "shifts":
            operands["shifts"] = d.new((key_heads, count, features),
                                       d.any_dtype(), "shifts")
        elif by != "keys":
            draw_term(d, by, of, count, operands)
    operands["key"] = d.sequence(key, dtype, "key")
    if kind == "generic":
        for role in ("query_term", "key_term"):
            if role not in operands and d.chance(0.1):
                rank = count if count and d.chance(0.5) else 0
                draw_term(d, role, of, rank, operands)
    is_gaussian = kind in ("generic", "softmax") and d.chance(0.25)
    if is_gaussian:
        attrs["gaussian"] = True
    if kind == "mixture_of_keys" and d.chance(0.4):
        attrs["dot"] = True
    if kind in ("generic", "mixture_of_keys") and d.chance(
            0.5 if count or is_gaussian else 0.15):
        base = float(max(features, 1)) ** 0.5
        by = [1.0] * max(count, 1)
        if d.chance(0.5):
            by = [d.pick((0.25, 1.0, 3.0)) for _ in by]
        attrs["variances"] = [base * each for each in by]
    if not count:
        return
    if d.chance(0.2):
        attrs["maximum"] = True
    elif d.chance(0.6):
        shape = (heads, count, keys) if d.chance(0.35) else (heads, count)
        operands["prior"] = d.new(shape, d.any_dtype(), "prior")


def draw_term(d, role, of, count, operands):
    heads, key_heads, keys, _, _ = of
    shape = ["B", heads, "N"] if role == "query_term" else ["B", key_heads,
                                                            keys]
    if count:
        shape.insert(2, count)
    operands[role] = d.new(shape, d.any_dtype(), role)


def draw_premix(d, kind, heads, keys, operands, attrs):
    """Mixers of scores; the heads that come of it."""
    is_new = kind == "admixture_heads"
    if not is_new and not (kind == "generic" and d.chance(0.3)):
        return heads
    made = d.draw_heads()
    dtype = d.any_dtype()
    form = d.pick(("linear", "linear", "one", "mlp"))
    if form == "mlp":
        hidden = d.pick((1, 2, 3, 5, 8))
        for role, shape in (("w1", (heads, hidden)), ("b1", (hidden,)),
                            ("w2", (hidden, made)), ("b2", (made,))):
            operands[role] = d.new(shape, dtype, role)
    else:
        shape = (heads,) if form == "one" else (heads, made)
        operands["premixer"] = d.new(shape, dtype, "premixer")
        attrs["one_column"] = form == "one"
        if d.chance(0.2):
            attrs["relu_per_key"] = True
    if d.chance(0.3):
        draw_noise(d, form, heads, made, keys, operands, attrs)
    return made


def draw_noise(d, form, heads, made, keys, operands, attrs):
    noise = "global" if form == "mlp" or d.chance(0.5) else "local"
    attrs["noise"] = noise
    operands["sigma"] = d.new((heads,), d.any_dtype(), "sigma")
    if d.chance(0.5):
        of = made if noise == "local" else heads
        operands["noise"] = d.new(("B", of, "N", keys), d.any_dtype(), "noise")
    else:
        operands["seed"] = d.new((), "i64", "seed")
        operands["offset"] = d.new((), "i64", "offset")


def draw_band(d):
    reaches = (0, 1, 2, 3, 7, 16, 40, 300)
    return [d.pick(FARTHEST if d.chance(0.03) else reaches) for _ in range(2)]


def draw_shared(d, heads, keys, projected, operands, attrs):
    """Draws the clauses that bend and hide scores, and normalise them."""
    full = ("B", heads, "N", keys)
    if d.chance(0.25):
        operands["bias"] = d.new(broadcast(d, full), d.any_dtype(), "bias")
    if d.chance(0.25):
        draw_score_mod(d, heads, keys, operands, attrs)
    if d.chance(0.25):
        operands["mask"] = d.new(broadcast(d, full), "i1", "mask")
    if d.chance(0.1):
        attrs["sigsoftmax"] = True
    if projected:
        return
    if d.chance(0.25):
        operands["lengths"] = d.new(("B",), d.pick(("i64", "i64", "i32")),
                                    "lengths")
    if d.chance(0.3):
        attrs["causal"] = True
    if d.chance(0.2):
        attrs["band"] = draw_band(d)
    if d.chance(0.15):
        attrs["keep"] = draw_band(d)
    if any(clause in attrs for clause in ("causal", "band", "keep")):
        if d.chance(0.25):
            operands["start"] = d.new(("B",), d.pick(("i64", "i64", "i32")),
                                      "start")


def draw_score_mod(d, heads, keys, operands, attrs):
    attrs["score_mod"] = d.pick(mods.KINDS)
    if attrs["score_mod"] in mods.TABLES:
        dims = {"batch": "B", "heads": heads, "queries": "N", "keys": keys}
        shape = [dims[dim] for dim in mods.TABLES[attrs["score_mod"]]]
        operands["table"] = d.new(shape, d.any_dtype(), "table")


def draw_postmix(d, kind, heads, features, operands):
    if kind != "mix_heads" and not (kind == "generic" and d.chance(0.3)):
        return
    dtype = d.any_dtype()
    if d.chance(0.65):
        operands["mixer"] = d.new((heads, heads), dtype, "mixer")
        return
    operands["mix_source"] = d.sequence(("B", heads, "N", features), dtype,
                                        "query")
    operands["mix_weight"] = d.new((features, heads), d.any_dtype(),
                                   "mix_weight")
    operands["mix_bias"] = d.new((heads, heads), d.any_dtype(), "mixer")


def draw_results(d, value_dtype, heads, width, keys):
    dtype = "f32" if d.chance(0.08) else value_dtype
    results = [("result", ("B", heads, "N", width), dtype)]
    if d.chance(0.12):
        results.append(("weights", ("B", heads, "N", keys), "f32"))
    if d.chance(0.25):
        results.append(("lse", ("B", heads, "N"), "f32"))
    return results


def draw_attention(d, kind):
    operands, attrs = {}, {}
    heads, features = d.draw_heads(), d.draw_features()
    keys = d.pick(("N", "S")) if d.graph or d.chance(0.1) else "S"
    length, dtype = keys, d.any_dtype()
    if kind == "generic" and d.chance(0.12):
        operands["given"] = d.new(("B", heads, "N", keys), dtype, "given")
    else:
        key_heads = d.pick(sizes.divisors(heads))
        operands["query"] = d.sequence(("B", heads, "N", features), dtype,
                                       "query")
        draw_components(d, kind, (heads, key_heads, keys, features, dtype),
                        operands, attrs)
        plain = {"shifts", "key_term", "prior"}.isdisjoint(operands) and len(
            d.program.tensors[operands["key"]].shape) == 4
        if (plain and kind in ("generic", "softmax") and d.chance(0.12)
                and "query_term" not in operands):
            length = d.pick((1, 3, 16, 24, 33, 64))
            for role in ("key_projection", "value_projection"):
                operands[role] = d.new((length, keys), d.any_dtype(), role)
    made = draw_premix(d, kind, heads, length, operands, attrs)
    value_heads = d.pick(sizes.divisors(made))
    if attrs.pop("one_column", False):
        value_heads = made
    if (kind != "mixture_of_keys" and "gaussian" not in attrs
            and d.chance(0.3)):
        attrs["scale"] = d.pick(SCALES)
    if kind in ("generic", "admixture_heads") and d.chance(0.15):
        attrs["scale_before"] = True
    draw_shared(d, made, length, length != keys, operands, attrs)
    draw_postmix(d, kind, made, features, operands)
    if kind == "generic":
        if "sigsoftmax" not in attrs and d.chance(0.12):
            attrs["base2"] = True
        if d.chance(0.1):
            attrs["finite"] = True
    value_dtype = d.any_dtype()
    width = features if d.chance(0.6) else d.draw_features()
    operands["value"] = d.sequence(("B", value_heads, keys, width),
                                   value_dtype, "value")
    d.add(kind, operands, attrs,
          draw_results(d, value_dtype, made, width, length))

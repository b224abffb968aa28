# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws linear attentions, pools and the ops of training."""

from compositions import sizes
from compositions.clauses import draw_band, broadcast

MAPS = ("elu", "elu", "normalized_elu", "relu", "dpfp", "favor")


def draw_map(d, kind, features, operands, attrs):
    if kind == "linear_generic" and d.chance(0.15):
        return
    attrs["feature_map"] = name = d.pick(MAPS)
    if name == "dpfp":
        attrs["rolls"] = d.pick((1, 2, 3))
    if name == "favor":
        operands["projection"] = d.new((features, d.pick((1, 3, 8, 16, 33))),
                                       d.any_dtype(), "projection")


def draw_states(d, kind, heads, key_heads, operands):
    """Mixers of states; whether there is one."""
    is_new = kind == "linear_admixture_heads"
    if not is_new and not (kind == "linear_generic" and d.chance(0.35)):
        return False
    dtype = d.any_dtype()
    if d.chance(0.65):
        operands["premixer"] = d.new((key_heads, heads), dtype,
                                     "state_mixer")
        return True
    hidden = d.pick((1, 2, 5))
    for role, shape in (("w1", (key_heads, hidden)), ("b1", (hidden,)),
                        ("w2", (hidden, heads)), ("b2", (heads,))):
        operands[role] = d.new(shape, dtype, role)
    operands["normaliser"] = d.new((key_heads, heads), d.any_dtype(),
                                   "state_mixer")
    return True


def draw_linear(d, kind):
    operands, attrs = {}, {}
    heads, features = d.draw_heads(), d.draw_features()
    keys = d.pick(("N", "S")) if d.graph or d.chance(0.1) else "S"
    dtype, value_dtype = d.any_dtype(), d.any_dtype()
    key_heads = d.pick(sizes.divisors(heads))
    draw_map(d, kind, features, operands, attrs)
    if attrs.get("feature_map") == "dpfp":
        while features > 64:
            features = d.features = d.pick(sizes.FEATURES)
    if kind in ("linear_generic", "linear_admixture_heads") and d.chance(0.3):
        key_heads = d.draw_heads()
    mixes = draw_states(d, kind, heads, key_heads, operands)
    if not mixes and heads % key_heads:
        key_heads = d.pick(sizes.divisors(heads))
    operands["query"] = d.sequence(("B", heads, "N", features), dtype,
                                   "query")
    key, count = ["B", key_heads, keys, features], 0
    if kind == "linear_mixture_of_keys" or (
            kind == "linear_generic" and d.chance(0.4)):
        count = d.pick(sizes.COMPONENTS)
        if d.chance(0.5):
            key.insert(2, count)
        else:
            operands["shifts"] = d.new((key_heads, count, features),
                                       d.any_dtype(), "shifts")
        if d.chance(0.6):
            shape = (key_heads, count, keys)[:3 if d.chance(0.4) else 2]
            operands["prior"] = d.new(shape, d.any_dtype(), "linear_prior")
    operands["key"] = d.sequence(key, dtype, "key")
    if d.chance(0.3):
        operands["lengths"] = d.new(("B",), d.pick(("i64", "i32")), "lengths")
    if d.chance(0.4):
        attrs["causal"] = True
    if d.chance(0.3):
        attrs["eps"] = d.pick((1e-5, 0.25, 1.0))
    if d.chance(0.2):
        attrs["output_scale"] = d.pick((0.125, 2.0, -1.0))
    width = features if d.chance(0.6) else d.draw_features()
    operands["value"] = d.sequence(
        ("B", d.pick(sizes.divisors(key_heads)), keys, width), value_dtype,
        "value")
    d.add(kind, operands, attrs,
          [("result", ("B", heads, "N", width), value_dtype)])


def draw_pool(d, kind):
    operands, attrs = {}, {}
    dtype, width = d.any_dtype(), d.draw_features()
    heads = d.draw_heads()
    value_heads = heads
    form = d.pick(("band", "band", "windows", "neither"))
    if form == "band":
        value_heads = d.pick(sizes.divisors(heads))
        reach = d.pick((0, 1, 2, 3, 5, 16, 40))
        operands["band"] = d.new((heads, "N", 2 * reach + 1), d.any_dtype(),
                                 "band")
    elif form == "windows":
        d.program.dims.setdefault("T", None)
        operands["windows"] = d.new(("T", 3), d.pick(("i64", "i32")),
                                    "windows")
    if d.chance(0.4):
        d.program.dims.setdefault("E", None)
        index = d.pick(("i64", "i32"))
        operands["error_index"] = d.new(("E", 3), index, "error_index")
        operands["error_value"] = d.new(("E",), d.any_dtype(), "error_value")
    operands["value"] = d.sequence(("B", value_heads, "N", width), dtype,
                                   "value")
    if d.chance(0.4):
        attrs["row_normalise"] = True
    d.add(kind, operands, attrs,
          [("result", ("B", heads, "N", width), dtype)])


def draw_training(d, kind):
    if kind == "responsibilities":
        return draw_responsibilities(d)
    if kind == "orthogonal_penalty":
        dtype = d.any_dtype()
        mixer = d.new((d.draw_heads(), d.draw_heads()), dtype, "mixer")
        return d.add(kind, {"mixer": mixer}, {}, [("result", (), dtype)])
    heads, count = d.draw_heads(), d.pick(sizes.COMPONENTS)
    keys, dtype = d.pick(("N", "S")), d.any_dtype()
    shape = ("B", heads, count, "N", keys)
    made = [name for name, tensor in d.program.tensors.items()
            if len(tensor.shape) == 5 and name in d.program.made()]
    gamma = d.pick(made) if made else d.new(shape, dtype, "responsibilities")
    tensor = d.program.tensors[gamma]
    heads, count, _, keys = tensor.shape[1:]
    attrs = {"per_key": True} if d.chance(0.4) else {}
    result = (heads, count, keys) if attrs else (heads, count)
    return d.add(kind, {"responsibilities": gamma}, attrs,
                 [("result", result, tensor.dtype)])


def draw_responsibilities(d):
    operands, attrs = {}, {}
    heads, features = d.draw_heads(), d.draw_features()
    key_heads, count = d.pick(sizes.divisors(heads)), d.pick(sizes.COMPONENTS)
    keys, dtype = d.pick(("N", "S")), d.any_dtype()
    operands["query"] = d.sequence(("B", heads, "N", features), dtype,
                                   "query")
    key = ["B", key_heads, keys, features]
    if d.chance(0.5):
        key.insert(2, count)
    else:
        operands["shifts"] = d.new((key_heads, count, features),
                                   d.any_dtype(), "shifts")
    operands["key"] = d.sequence(key, dtype, "key")
    if d.chance(0.4):
        attrs["dot"] = True
    if d.chance(0.5):
        base = float(features) ** 0.5
        attrs["variances"] = [base * d.pick((0.25, 1.0, 3.0))
                              for _ in range(count)]
    if d.chance(0.5):
        shape = (heads, count, keys)[:3 if d.chance(0.4) else 2]
        operands["prior"] = d.new(shape, d.any_dtype(), "prior")
    if d.chance(0.25):
        operands["mask"] = d.new(broadcast(d, ("B", heads, "N", keys)), "i1",
                                 "mask")
    if d.chance(0.25):
        operands["lengths"] = d.new(("B",), "i64", "lengths")
    if d.chance(0.3):
        attrs["causal"] = True
    if d.chance(0.2):
        attrs["band"] = draw_band(d)
    d.add("responsibilities", operands, attrs,
          [("result", ("B", heads, count, "N", keys), dtype)])

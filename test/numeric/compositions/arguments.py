# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a program's arguments, ordinary ones and others."""

import zlib

import numpy as np

import inputs
from compositions import constants
from compositions import sizes as drawn

STYLES = ("plain", "plain", "plain", "large", "huge", "rise", "equal", "tiny",
          "zero", "hidden", "hidden", "inf", "low", "off", "uneven")
# The lowest numbers; f16's is small, but a bias of it hides a key as well.
LOWEST = {"f32": np.finfo(np.float32).min, "bf16": -3.3e38, "f16": -65504.0}
FACTORS = {"large": 8.0, "huge": 100.0, "tiny": 2.0**-12}


def rounded(array, dtype):
    """The value that the dtype holds."""
    if array.dtype.kind != "f":
        return array
    with np.errstate(over="ignore"):
        return inputs.decode(inputs.encode(array, dtype))


def draw_sequence(role, shape, style, rng):
    """Queries, keys, values."""
    values = rng.standard_normal(shape)
    if style in ("large", "huge") and role != "value":
        # Scores grow as the square does; `huge` is about 10^4.
        width = max(shape[-1], 1)
        goal = {"large": 8.0, "huge": 50.0}[style]
        return values * goal if style == "large" else \
            values * goal * min(1.0, (4 / width) ** 0.25)
    if style == "equal":
        return np.full(shape, 0.5) * rng.integers(-2, 3)
    if style == "tiny":
        return values * (2.0**-130 if role == "value" else 2.0**-12)
    if style == "zero":
        return np.zeros(shape)
    if style == "rise" and role in ("query", "key"):
        if role == "query":
            values[..., 0] = 32
        else:
            values[..., 0] = 4 * (np.arange(shape[-2]) // 13)
        return values
    if style == "uneven":
        # A few rows far larger than the others.
        far = rng.random(shape[:-1]) < 0.05
        return values * np.where(far, 30.0, 1.0)[..., None]
    return values


def draw_mask(shape, rng):
    mask = rng.random(shape) < rng.choice((0.1, 0.5, 0.9))
    if not shape:
        return mask
    turn = rng.random()
    if turn < 0.3:
        mask[..., ::3] = False
    elif turn < 0.5 and len(shape) > 1:
        mask[..., -1:, :] = False
    elif turn < 0.6:
        mask[...] = False
    elif turn < 0.7:
        mask[...] = True
    return mask


def draw_prior(shape, style, rng):
    """Logarithms; each head has one above -inf."""
    prior = np.log(1 - rng.random(shape))
    if style == "off":
        if shape[1] > 1:
            prior[0, rng.integers(shape[1])] = -np.inf
        if len(shape) == 3 and shape[2] > 3:
            prior[:, :, ::3] = -np.inf
    return prior


def draw_linear_prior(shape, style, rng):
    prior = 1 - rng.random(shape)
    if style == "off" or rng.random() < 0.3:
        if shape[1] > 1:
            prior[0, -1] = 0
        if len(shape) == 3 and shape[2] > 3:
            prior[:, :, 1::3] = 0
    return prior


def hide_by_infinity(values, style, dtype, rng):
    """Biases and given scores that hide keys, and all of them from a row."""
    if style not in ("inf", "low") or not values.ndim:
        return values
    low = -np.inf if style == "inf" else LOWEST[dtype]
    values[..., ::3] = low
    if values.ndim > 1 and rng.random() < 0.5:
        values[..., :1, :] = low
    return values


def may_be_low(program, role):
    """Whether the lowest number of a type may hide keys. Sums and products of it
    overflow, and of a row that sees nothing else f32 keeps no differences, which
    further ops would read."""
    return role == "bias" and len(program.ops) == 1 and \
        "score_mod" not in program.ops[0].attrs


def is_picked_from(program, name):
    """Whether a constant mixer picks heads of the given scores `name`: what it
    leaves out is not read, where 0 times infinity would be NaN (algebra, 4)."""
    for op in program.ops:
        mixer = op.operands.get("premixer")
        if op.operands.get("given") == name and mixer and \
                program.tensors[mixer].constant == "identity":
            return True
    return False


def draw_one(program, name, shape, style, rng):
    tensor = program.tensors[name]
    role, sizes = tensor.role, shape
    if role in ("query", "key", "value"):
        return draw_sequence(role, sizes, style, rng)
    if role == "mask":
        return draw_mask(sizes, rng)
    if role == "prior":
        return draw_prior(sizes, style, rng)
    if role == "linear_prior":
        return draw_linear_prior(sizes, style, rng)
    if role in ("seed", "offset"):
        return np.array(rng.integers(-2**63, 2**63, dtype=np.int64))
    if role == "responsibilities":
        return rng.random(sizes)
    if role == "band":
        return inputs.draw_band(sizes, rng)
    values = rng.standard_normal(sizes)
    if style == "low" and not may_be_low(program, role):
        style = "plain"
    if role == "given" and style == "inf" and is_picked_from(program, name):
        style = "plain"
    if role in ("bias", "given"):
        scale = {"large": 30.0, "huge": 3e3, "zero": 0.0}.get(style, 1.0)
        return hide_by_infinity(values * scale, style, tensor.dtype, rng)
    if role == "table":
        if style == "inf":
            values[..., 1::3] = -np.inf
        return np.abs(values) if len(sizes) == 1 else values
    if role in ("mixer", "premixer"):
        return np.eye(*sizes) + values / 2 if len(sizes) == 2 \
            else 0.5 + values / 2
    if role == "state_mixer":
        return np.abs(values) if rng.random() < 0.6 else values
    if role == "mix_weight":
        return values / 10
    if role in ("key_projection", "value_projection"):
        return values / np.sqrt(max(sizes[-1], 1))
    if role == "projection":
        return values / np.sqrt(max(sizes[0], 1))
    if role == "shifts":
        return values * (20 if style in ("huge", "off") else 1)
    if role == "sigma":
        return np.abs(values) * (rng.random() < 0.8)
    return values


def head_count(program, name):
    """The heads of the pool whose places these are."""
    op = program.users(name)[0][0]
    return program.tensors[op.results["result"]].shape[1]


def draw_integers(program, name, sizes, rng):
    """Lengths and places, whose values are bounded; else nothing."""
    tensor = program.tensors[name]
    shape = program.shape(name, sizes)
    kind = {"i32": np.int32, "i64": np.int64}.get(tensor.dtype)
    if tensor.role in ("lengths", "start"):
        from compositions.text import tensor_keys
        keys = program.all_sizes(sizes)[tensor_keys(program, name)]
        lengths = rng.integers(0, keys + 1, shape)
        if rng.random() < 0.3:
            lengths[:] = keys
        return lengths.astype(kind)
    rows = program.all_sizes(sizes).get("N", 0)
    if tensor.role == "windows":
        cuts = np.sort(rng.choice(rows + 1, 2 * shape[0], replace=False))
        made = [(rng.integers(0, rows), first, after - first)
                for first, after in zip(cuts[::2], cuts[1::2])]
        return rng.permutation(np.array(made, kind).reshape(-1, 3))
    if tensor.role == "error_index":
        heads = head_count(program, name)
        places = np.sort(rng.choice(heads * rows * rows, shape[0],
                                    replace=False)).astype(np.int64)
        return np.stack(np.unravel_index(places, (heads, rows, rows)),
                        -1).astype(kind) if shape[0] else np.zeros((0, 3), kind)
    return None


def draw_arguments(program, sizes, style, seed):
    """Each argument by name, as its type holds it: floats as doubles."""
    x = {}
    for name in program.constants():
        x[name] = constants.values(program.tensors[name], name)
    for name in program.arguments():
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        tensor = program.tensors[name]
        array = draw_integers(program, name, sizes, rng)
        if array is None:
            array = np.asarray(draw_one(program, name,
                                        program.shape(name, sizes), style,
                                        rng))
        x[name] = rounded(array, tensor.dtype)
    if style == "hidden":
        for op in program.ops:
            drop_weights(op, x)
    return x


def drop_weights(op, x):
    """Makes the weights of some values of a pool 0."""
    band = x.get(op.operands.get("band"))
    if band is None or op.kind != "structured_pool":
        return
    place = np.arange(band.shape[1])
    reach = np.arange(band.shape[2]) - band.shape[2] // 2
    band[:, (place[:, None] + reach) % 5 == 2] = 0
    if "error_value" in op.operands:
        columns = x[op.operands["error_index"]][:, 2]
        x[op.operands["error_value"]][columns % 5 == 2] = 0


def lighten(program, most):
    """Shortens static lengths until the program's work is not far more than
    `most`."""
    smallest = {dim: 1 for dim in program.used_dims()}
    while work_of(program, smallest) > 4 * most:
        lengths = {dim: program.dims[dim] for dim in ("N", "S")
                   if (program.dims[dim] or 0) > 1}
        if not lengths:
            return
        longest = max(lengths, key=lengths.get)
        program.dims[longest] //= 2


def draw_sizes(program, rng, most):
    """Sizes of open dims, so that no op has more than `most` to do."""
    averages = any(op.kind == "prior_update" for op in program.ops)
    for attempt in range(100):
        sizes = {}
        for dim in program.used_dims():
            if dim == "B":
                sizes[dim] = 0 if rng.random() < 0.03 else int(
                    rng.choice(drawn.BATCHES))
            elif dim in ("N", "S"):
                sizes[dim] = drawn.draw_length(rng, 5000 >> attempt // 4)
        if averages:
            sizes = {dim: max(1, size) for dim, size in sizes.items()}
        rows = program.all_sizes(sizes).get("N", 0)
        for dim in ("T", "E"):
            if dim in program.used_dims():
                sizes[dim] = int(rng.integers(0, rows // 4 + 1)) if rows else 0
        if work_of(program, sizes) <= most:
            return sizes
    return sizes


def work_of(program, sizes):
    """Multiplications, about; and elements that the oracle holds."""
    every = program.all_sizes(sizes)
    work = 0
    for op in program.ops:
        shapes = {role: program.shape(name, sizes)
                  for role, name in op.operands.items()}
        made = {role: program.shape(name, sizes)
                for role, name in op.results.items()}
        heads = max([shape[1] for shape in (*shapes.values(), *made.values())
                     if len(shape) >= 4], default=1)
        batch, rows = every.get("B", 1), every.get("N", 1)
        keys = every.get("S", rows)
        if "key" in shapes:
            keys = shapes["key"][-2]
        elif "value" in shapes:
            keys = shapes["value"][-2]
        width = sum(shapes[role][-1] for role in ("query", "value")
                    if role in shapes)
        count = shapes["key"][2] if len(shapes.get("key", ())) == 5 else \
            shapes["shifts"][1] if "shifts" in shapes else 1
        factor = width * count
        if op.kind.startswith("linear") and "w1" in shapes:
            factor = shapes["query"][-1] * shapes["value"][-1] * 6
        if "favor" in op.attrs or op.attrs.get("feature_map") == "dpfp":
            factor *= 4
        work += batch * heads * rows * keys * (factor + 40)
        # Few queries and keys of many features still are long rows.
        work += 20 * batch * heads * (rows + keys) * width
    return work

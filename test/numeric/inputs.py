# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random arguments of a variant, in each element type."""

import numpy as np

import signatures

# Arguments that an input scale multiplies.
SEQUENCES = ("q", "k", "keys", "v", "scores")


def draw_lengths(shape, sizes, rng):
    lengths = rng.integers(0, sizes["S"] + 1, shape)
    lengths[1:2] = 0
    return lengths


def draw_start(shape, sizes, rng):
    """Any key, the first one, and where the last query stands at the last."""
    start = rng.integers(0, sizes["S"] + 1, shape)
    start[1:2] = 0
    start[2:3] = max(sizes["S"] - sizes["N"], 0)
    return start


def draw_mask(shape, rng):
    """The last query sees nothing."""
    mask = rng.random(shape) < 0.7
    mask[..., -1:, :] = False
    return mask


def draw_prior(shape, rng):
    """The last component of the first head is off, and at some positions all
    of them."""
    prior = 1 - rng.random(shape)
    if shape[1] > 1:
        prior[0, -1] = 0
    if len(shape) == 3:
        prior[:, :, 1::3] = 0
    return prior


def draw_band(shape, rng):
    """Rows that sum up to something, and rows of zeros."""
    band = rng.standard_normal(shape) + 1
    band[:, 1::5] = 0
    return band


def draw_coordinates(shape, sizes, rng):
    """(head, row, column), increasing strictly."""
    extents = (sizes["H"], sizes["N"], sizes["N"])
    places = rng.choice(np.prod(extents), shape[0], replace=False)
    places = np.sort(places).astype(np.int64)
    return np.stack(np.unravel_index(places, extents), -1).astype(np.int64)


def draw_windows(sizes, rng):
    """(column, first row, length): windows that do not overlap, of one row at
    least, in any order."""
    length, cuts = sizes["N"], []
    if length > 0:
        cuts = np.unique(rng.integers(0, length + 1, 2 * sizes["T"]))
    windows = [(rng.integers(0, length), first, after - first)
               for first, after in zip(cuts[::2], cuts[1::2])]
    return rng.permutation(np.array(windows, np.int64).reshape(-1, 3))


def draw(name, shape, sizes, scale, rng):
    """One argument, floats as doubles."""
    if name == "lengths":
        return draw_lengths(shape, sizes, rng)
    if name == "start":
        return draw_start(shape, sizes, rng)
    if name in ("mask", "neighbours"):
        return draw_mask(shape, rng)
    if name == "prior":
        return draw_prior(shape, rng)
    if name == "band":
        return draw_band(shape, rng)
    if name == "error_index":
        return draw_coordinates(shape, sizes, rng)
    if name == "triples":
        return draw_windows(sizes, rng)
    if name in ("seed", "offset"):
        return np.array(rng.integers(-2**63, 2**63, dtype=np.int64))
    if name == "slopes":
        return 0.5 ** np.arange(1, shape[0] + 1)
    if name == "gamma":
        return rng.random(shape)
    values = rng.standard_normal(shape)
    if name == "normaliser":
        # Nothing cancels, or something does.
        return np.abs(values) if rng.random() < 0.5 else values
    if name in ("mixer", "mixer_pre", "mixer_post", "b"):
        return (np.eye(*shape) if len(shape) == 2 else 0.5) + values / 2
    if name == "w":
        return values / 10
    if name in ("e", "f"):
        return values / np.sqrt(max(shape[-1], 1))
    return values * scale if name in SEQUENCES else values


def hide_keys(x):
    """Hides some keys from all queries, where a mask can."""
    if "mask" in x:
        x["mask"][..., ::4] = False


def poison(x, special, allow):
    """Puts values into `x` that ordinary numbers do not reach.

    nan: keys and values that no query sees are NaN; inf: the first key of the
    first head scores +inf; ninf: biases or given scores hide keys, and all keys
    from a query; low: biases hide keys as some frontends do, by -1e9 and by the
    lowest number of f32;
    off: priors switch a component off, and all of them at some positions; far:
    shifts put components so far apart that the exponentials of one, taken off
    those of the other, are 0; rise: scores of later keys are larger by far;
    seen: one key that is seen is NaN; tiny, large: mixers of weights are small or
    large by far, those of neighbours by other powers of two, and values the other way;
    partly: values that some queries see, and
    others do not, are NaN, and inf from the second batch row on, each in a
    feature of its own.
    """
    if special == "nan":
        hidden = ~allow.any(axis=(1, 2))
        for name in {"k", "keys", "v"} & set(x):
            np.moveaxis(x[name], -2, 1)[hidden] = np.nan
    elif special == "inf" and "scores" in x:
        x["scores"][:, 0, :, :1] = np.inf
    elif special == "inf":
        x["q"][..., 0] = np.abs(x["q"][..., 0]) + 1
        keys = x["k"] if "k" in x else x["keys"]
        keys[:, 0, ..., :1, 0] = np.inf
    elif special == "ninf":
        terms = x["bias"] if "bias" in x else x["scores"]
        terms[..., ::3] = -np.inf
        terms[..., :1, :] = -np.inf
    elif special == "low":
        x["bias"][..., 1::3] = -1e9
        x["bias"][..., 2::3] = np.finfo(np.float32).min
    elif special == "far":
        x["shifts"] *= 20
    elif special == "rise":
        keys = x["k"] if "k" in x else x["keys"]
        x["q"][..., 0] = 32
        keys[..., 0] = 4 * (np.arange(keys.shape[-2]) // 13)
    elif special == "seen":
        keys = x["k"] if "k" in x else x["keys"]
        keys[..., keys.shape[-2] // 2, 0] = np.nan
    elif special in ("tiny", "large"):
        scale, of_values = (3e-6, 2000) if special == "tiny" else (2e4, 1e-4)
        for name in {"mixer", "mixer_post", "b", "w"} & set(x):
            x[name] *= scale * 0.5 ** (np.arange(x[name].shape[-1]) % 3)
            if special == "large":
                x[name] = np.abs(x[name])
        x["v"] *= of_values
    elif special == "partly":
        keys = np.arange(6, x["v"].shape[-2], 11)
        x["v"][..., keys, keys % x["v"].shape[-1]] = np.nan
        x["v"][1:, ..., keys, keys % x["v"].shape[-1]] = np.inf
    elif special == "off":
        x["log_prior"][0, 1] = -np.inf
        if x["log_prior"].ndim == 3:
            x["log_prior"][:, :, ::3] = -np.inf


def drop_values(x):
    """Some values are NaN, and all weights of theirs that are given are 0."""
    place = np.arange(x["v"].shape[-2])
    x["v"][..., place % 5 == 2, :] = np.nan
    reach = np.arange(x["band"].shape[-1]) - x["band"].shape[-1] // 2
    x["band"][:, (place[:, None] + reach) % 5 == 2] = 0
    if "error_index" in x:
        x["error_value"][x["error_index"][:, 2] % 5 == 2] = 0


def draw_all(variant, sizes, scale, dtype, rng):
    """The arguments by name, and the element types of those that are floats.
    `sizes` holds B, N and S; static sizes, or those of the file."""
    sizes = signatures.static_sizes(variant) | sizes
    # Errors and windows: none where there is hardly room.
    most = 2 * sizes["N"] if sizes["N"] > 1 else 0
    sizes |= {"E": int(rng.integers(min(1, most), most + 1)),
              "T": int(rng.integers(min(1, most), most // 8 + 2))}
    x, dtypes = {}, {}
    for name, dims, kind in signatures.arguments(variant):
        shape = signatures.shape(dims, sizes)
        x[name] = draw(name, shape, sizes, scale, rng)
        if x[name].dtype == np.float64:
            dtypes[name] = kind or dtype
    return x, dtypes


def encode(array, dtype):
    """The array as mixattn-run reads it; bf16 has no name in NumPy. Values
    that are too large for the type are infinite."""
    if dtype == "bf16":
        bits = array.astype(np.float32).view(np.uint32)
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        rounded = np.where(np.isnan(array), 0x7FC0, rounded)
        return rounded.astype(np.uint16).view("V2")
    with np.errstate(over="ignore"):
        return array.astype({"f16": np.float16, "f32": np.float32}[dtype])


def decode(array):
    """An array from a file as doubles, exactly."""
    if array.dtype == np.dtype("V2"):
        bits = array.reshape(-1).view(np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64).reshape(array.shape)
    return array.astype(np.float64) if array.dtype.kind == "f" else array

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expected results of each op, by the formulas of oracle/ put together clause
by clause, in double precision.

In addition to its values a result has the numbers that its tolerance depends on:
`growth`, the largest size of what made a score that carries weight, and
`magnitude`, the largest sum of the magnitudes of what was summed up.
"""

from typing import NamedTuple

import numpy as np

from accuracy import LARGEST_KAPPA
from compositions import mods
from oracle import basics, linear, philox, pooling, scores, softmax

# A weight below 2^-30 of its row's largest carries nothing.
LIGHT = 30 * np.log(2)
MOST_EXPONENT = 80


class Result(NamedTuple):
    values: np.ndarray
    growth: float = 0.0
    magnitude: float = 0.0
    # Rows that count: all, or a boolean that indexes them.
    rows: object = ...
    # The most that products too small for f32 add up to.
    underflow: float = 0.0


class Attended(NamedTuple):
    """How an attention came by its weights."""
    # Scores as they enter the softmax, what is visible, and weights of zero
    # that no mask says: scores of -inf, and what `keep` drops.
    logits: np.ndarray
    allow: np.ndarray
    seen: np.ndarray


def get(x, role):
    return x.get(role)


def visible(op, x, shape):
    """Whether query i may attend to key j: [B, H, N, S]."""
    batches, heads, queries, keys = shape
    allow = np.ones(shape, bool)
    if op.attrs.get("causal"):
        allow &= basics.within((np.inf, 0), queries, keys, x.get("start"))
    if "band" in op.attrs:
        allow &= basics.within(op.attrs["band"], queries, keys,
                               x.get("start"))
    if "lengths" in x:
        allow &= np.arange(keys) < x["lengths"][:, None, None, None]
    if "mask" in x:
        allow = allow & x["mask"]
    return allow


def most(values, least=0.0):
    """The largest finite one; `least` where there is none above."""
    return values[np.isfinite(values)].max(initial=least)


def drift(features):
    """How much further than a few roundings a sum over so many may be off,
    where a large term comes first: that of a walk of half units."""
    return max(1.0, np.sqrt(features) / 4)


def are_equal(values):
    """Whether all features of every row are one number."""
    return values.size > 0 and (values == values[..., :1]).all()


def absolute_dot(q, k):
    """The size that is taken for q k^T: that of the sum of magnitudes counts
    where terms cancel. Where all terms are equal, every rounding can go the
    same way: n roundings by half a unit of half the sum, on average."""
    features = q.shape[-1]
    spread = drift(features)
    if are_equal(q) and are_equal(k):
        spread = max(spread, features / 8)
    return spread * np.maximum(
        np.abs(scores.dot(q, k)), scores.dot(np.abs(q), np.abs(k)) / 4)


def is_gaussian(op):
    if op.kind in ("mixture_of_keys", "responsibilities"):
        return not op.attrs.get("dot")
    return bool(op.attrs.get("gaussian"))


def components(op, x):
    """Scores of each component and their sizes; or of the only one, where
    there are none."""
    q, key = x["query"], x["key"]
    if "shifts" in x:
        keys = basics.keys_of({"k": key, "shifts": x["shifts"]})
    else:
        keys = list(np.moveaxis(key, 2, 0)) if key.ndim == 5 else [key]
    terms = [x[role] for role in ("query_term", "key_term") if role in x]
    count = max([len(keys)] + [term.shape[2] for term in terms
                               if term.ndim == 4])
    keys = keys * (count // len(keys))
    named = op.kind in ("mixture_of_keys", "responsibilities")
    variances = op.attrs.get("variances")
    if variances is None:
        default = np.sqrt(q.shape[-1]) or 1.0
        variances = [default if named or is_gaussian(op) else 1.0] * count
    made, sizes = [], []
    for r, (k, variance) in enumerate(zip(keys, variances, strict=True)):
        score, size = scores.dot(q, k), absolute_dot(q, k)
        if is_gaussian(op):
            norms = sum(scores.square_norms(q, k)) / 2
            score = score - norms
            size = np.maximum(size, drift(q.shape[-1]) * norms)
        score, size = score / variance, size / variance
        for role in ("query_term", "key_term"):
            if role not in x:
                continue
            term = x[role] if x[role].ndim == 3 else x[role][:, :, r]
            term = (term[..., :, None] if role == "query_term" else
                    basics.repeat_heads(term, q.shape[1])[..., None, :])
            score, size = score + term, size + np.abs(term)
        made.append(score)
        sizes.append(size)
    return made, sizes


def has_components(op, x):
    return ("shifts" in x or x["key"].ndim == 5
            or any(role in x and x[role].ndim == 4
                   for role in ("query_term", "key_term")))


def combine(op, x, made, sizes):
    """One score of all components; sizes of those that carry weight."""
    unit = np.log(2) if op.attrs.get("base2") else 1.0
    made, sizes = np.stack(made), np.stack(sizes)
    if op.attrs.get("maximum"):
        top = made.max(0)
        return top, np.where(made == top, sizes, 0).max(0)
    if "prior" in x:
        prior = scores.by_component(x["prior"])
        made = made + prior
        sizes = sizes + np.abs(np.where(np.isinf(prior), 0, prior))
    top = made.max(0)
    near = made >= top - LIGHT / unit
    return (np.logaddexp.reduce(made * unit, axis=0) / unit,
            np.where(near, sizes, 0).max(0))


def noise_of(op, x, shape):
    if "noise" in x:
        return x["noise"]
    return philox.normals(int(x["seed"]), int(x["offset"]), shape)


def premix(op, x, logits, sizes, heads):
    """Output heads from query heads; the sizes add up."""
    noisy = "sigma" in x
    shape = (logits.shape[0], heads, *logits.shape[2:])
    if noisy and op.attrs["noise"] == "global":
        noise = noise_of(op, x, logits.shape)
        by = x["sigma"][:, None, None]
        logits, sizes = logits + by * noise, sizes + np.abs(by * noise)
    if "w1" in x:
        up = {role: np.abs(x[role]) for role in ("w1", "b1", "w2", "b2")}
        return (scores.mix_scores_by_mlp(logits, x),
                scores.mix_scores_by_mlp(sizes, up))
    if "premixer" not in x:
        return logits, sizes
    mixer = x["premixer"]
    if mixer.ndim == 1:
        mixer = np.broadcast_to(mixer[:, None], (len(mixer), heads))
    bend = basics.relu if op.attrs.get("relu_per_key") else lambda y: y
    if noisy and op.attrs["noise"] == "local":
        noise, sigma = noise_of(op, x, shape), x["sigma"]
        mixed = scores.mix_noisy_terms(logits, mixer, sigma, noise, bend)
        return mixed, scores.mix_noisy_terms(
            sizes, np.abs(mixer), np.abs(sigma), np.abs(noise))
    mixed = (scores.mix_positive_scores(logits, mixer)
             if op.attrs.get("relu_per_key")
             else scores.mix_scores(logits, mixer))
    return mixed, scores.mix_scores(sizes, np.abs(mixer))


def scale_of(op, x):
    if "scale" in op.attrs:
        return op.attrs["scale"]
    if ("given" in x or op.kind == "mixture_of_keys" or is_gaussian(op)
            or "variances" in op.attrs):
        return 1.0
    return 1 / np.sqrt(x["query"].shape[-1]) if x["query"].shape[-1] else 1.0


def logits_of(op, x, heads):
    """Scores as they enter the softmax, and their sizes."""
    if "given" in x:
        logits, sizes = x["given"], np.abs(x["given"])
    else:
        made, sizes = components(op, x)
        logits, sizes = (combine(op, x, made, sizes)
                         if has_components(op, x) else (made[0], sizes[0]))
    scale = scale_of(op, x)
    if op.attrs.get("scale_before"):
        logits, sizes = logits * scale, sizes * abs(scale)
    logits, sizes = premix(op, x, logits, sizes, heads)
    if not op.attrs.get("scale_before"):
        logits, sizes = logits * scale, sizes * abs(scale)
    if "bias" in x:
        bias = x["bias"]
        logits = logits + bias
        sizes = sizes + np.abs(np.where(np.isinf(bias), 0, bias))
    if "score_mod" in op.attrs:
        logits, sizes = mods.change(op.attrs["score_mod"], logits, sizes,
                                    x.get("table"))
    return logits, sizes


def mixed(op, x, weights, absolute=False):
    """Weights over heads; their magnitudes where `absolute`."""
    by = np.abs if absolute else lambda y: y
    if "mixer" in x:
        return softmax.mix_heads(weights, by(x["mixer"]))
    if "mix_source" in x:
        return softmax.mix_heads_by_row(weights, by(x["mix_source"]),
                                        by(x["mix_weight"]), by(x["mix_bias"]))
    return weights


def attention(op, x, heads):
    """The results of a softmax attention by role; and how it came by them."""
    if "key_projection" in x:
        x = x | {"key": softmax.projected(x["key_projection"], x["key"]),
                 "value": softmax.projected(x["value_projection"],
                                            x["value"])}
    logits, sizes = logits_of(op, x, heads)
    allow = visible(op, x, logits.shape)
    if op.attrs.get("base2"):
        logits, sizes = logits * np.log(2), sizes * np.log(2)
    if op.attrs.get("sigsoftmax"):
        logits, sizes = scores.sigmoid_damped(logits), 2 * sizes
    weights, lse = softmax.softmax(logits, allow)[:2]
    hidden = np.where(allow, logits, -np.inf)
    top = hidden.max(-1, keepdims=True, initial=-np.inf)
    heavy = (hidden >= top - LIGHT) & (hidden > -np.inf)
    growth = most(sizes[heavy])
    seen = allow & (logits > -np.inf)
    if "keep" in op.attrs:
        weights = softmax.drop(weights, op.attrs["keep"], x.get("start"))
        seen &= basics.within(op.attrs["keep"], *weights.shape[2:],
                              x.get("start"))
    magnitudes = mixed(op, x, weights, absolute=True)
    weights = mixed(op, x, weights)
    value = x["value"]
    # Kernels take weights to be 0 that no normal number of f32 holds.
    lost = 2.0**-126 * max(most(magnitudes), 1.0)
    results = {
        "result": Result(basics.pool(weights, value), growth,
                         most(basics.pool(magnitudes, np.abs(value))),
                         underflow=lost * weights.shape[-1] * most(np.abs(value))),
        "weights": Result(weights, growth, most(magnitudes), underflow=lost),
        "lse": Result(lse, growth, 4.0)}
    return results, Attended(logits, allow, seen)


def linear_map(op, x):
    kind = op.attrs.get("feature_map")
    if kind is None:
        return lambda y: y
    if kind == "dpfp":
        return lambda y: linear.dpfp(y, op.attrs["rolls"])
    if kind == "favor":
        return lambda y: linear.favor(y, x["projection"])
    return {"elu": linear.elu, "normalized_elu": linear.normalized_elu,
            "relu": basics.relu}[kind]


def exponent_of(op, x):
    """The largest exponent of a feature: favor's are sums."""
    if op.attrs.get("feature_map") != "favor":
        return 0.0
    w = np.abs(x["projection"])
    return max(((np.abs(y) @ w).max(initial=0)
                + (y * y).sum(-1).max(initial=0) / 2)
               for y in (x["query"], x["key"]))


def denominators(op, old, options):
    """Of each row, and the sums of its terms' magnitudes."""
    allow = basics.visible(old, causal=bool(op.attrs.get("causal")))
    q = linear.features_of_queries(old, options["feature_map"])
    features = linear.features_of_keys(old, options["feature_map"])
    mixer = old.get("normaliser", old.get("mixer"))
    made = []
    for by in (lambda y: y, np.abs):
        z = allow.astype(float) @ by(features)
        if mixer is None:
            sums = (by(q) * basics.repeat_heads(z, q.shape[1])).sum(-1)
        else:
            sums = sum(by(mixer[k])[:, None]
                       * (by(q) * z[:, k:k + 1]).sum(-1)
                       for k in range(len(mixer)))
        made.append(sums + options["eps"])
    return made


def faint(op, old):
    """Rows that read features of which f32 holds hardly anything: elu's before
    they are divided by their sum."""
    rows = np.zeros(old["q"].shape[:3], bool)
    if op.attrs.get("feature_map") != "normalized_elu":
        return rows
    if any((linear.elu(k).sum(-1) < 2.0**-100).any()
           for k in basics.keys_of(old)):
        return ~rows
    return linear.elu(old["q"]).sum(-1) < 2.0**-100


def linear_attention(op, x, heads):
    """As oracle/linear.py has it, its pieces under names of its own."""
    old = {"q": x["query"], "v": x["value"]}
    old |= {new: x[role] for new, role in (
        ("shifts", "shifts"), ("prior", "prior"), ("lengths", "lengths"),
        ("w1", "w1"), ("b1", "b1"), ("w2", "w2"), ("b2", "b2"),
        ("normaliser", "normaliser"), ("mixer", "premixer")) if role in x}
    old["keys" if x["key"].ndim == 5 else "k"] = x["key"]
    options = {"feature_map": linear_map(op, x),
               "eps": op.attrs.get("eps", 0.0),
               "output_scale": op.attrs.get("output_scale", 1.0)}
    if op.attrs.get("causal"):
        options["causal"] = True
    formula = (linear.bent_linear if "w1" in x else
               linear.mixed_linear if "premixer" in x else linear.linear)
    expected = formula(old, **options)
    sums, sizes = denominators(op, old, options)
    # Rows whose denominator cancels, or is positive and hardly there in f32.
    tiny = (sizes > 0) & (np.abs(sums) < 2.0**-100) & (sizes < 2.0**-90)
    kappas = np.where(sizes == 0, 1, sizes / np.abs(sums))
    rows = ~(kappas > LARGEST_KAPPA) & ~tiny & ~faint(op, old)
    # Beyond, favor's features overflow.
    exponent = exponent_of(op, x)
    rows &= exponent < MOST_EXPONENT
    # A sum of as many equal terms drifts as that of products does.
    growth = drift(x["query"].shape[-1]) * (
        8 + max(most(kappas[rows], 1.0), exponent))
    floats = {name for name in old if old[name].dtype.kind == "f"}
    if op.attrs.get("feature_map"):  # features are never negative
        floats -= {"q", "k", "keys", "shifts"}
    largest = formula({name: np.abs(array) if name in floats else array
                       for name, array in old.items()}, **options)
    magnitude = np.abs(largest.results["o"]).max(-1, initial=0) * kappas
    # The least that f32 holds, of each product and of what a query reads of
    # their sums, over the denominator.
    features = linear.features_of_queries(old, options["feature_map"])
    lost = 2.0**-145 / np.abs(sums) * (
        x["key"].shape[-2] * np.abs(features).sum(-1) + features.shape[-1])
    lost = np.where(np.isfinite(lost), lost, 0)
    return {"result": Result(
        expected.results["o"], growth, most(magnitude[rows]),
        ... if rows.all() else rows, most(lost[rows]))}, None


def structured_pool(op, x, heads):
    old = {new: x[role] for new, role in (
        ("band", "band"), ("triples", "windows"),
        ("error_index", "error_index"), ("error_value", "error_value"))
        if role in x}
    v = basics.repeat_heads(x["value"], heads)
    normalised = bool(op.attrs.get("row_normalise"))
    expected = pooling.structured(old | {"v": v}, normalised)
    rows, growth = ..., 0.0
    if expected.kappas is not None:
        rows = ~(expected.kappas > LARGEST_KAPPA)
        kappas = expected.kappas[rows]
        growth = most(kappas, 1.0)
        if rows.all():
            rows = ...
    # Where rows are divided, what cancels is left out already.
    magnitude = 0.0
    if not normalised:
        absolute = {name: np.abs(array) if array.dtype.kind == "f" else array
                    for name, array in old.items()}
        magnitude = most(np.abs(pooling.structured(
            absolute | {"v": np.abs(v)}).results["o"]))
    return {"result": Result(expected.results["o"], growth, magnitude,
                             rows)}, None


def responsibilities(op, x, heads):
    made, sizes = components(op, x)
    logits, sizes = np.stack(made), np.stack(sizes)
    if "prior" in x:
        prior = scores.by_component(x["prior"])
        logits = logits + prior
        sizes = sizes + np.abs(np.where(np.isinf(prior), 0, prior))
    top = logits.max(0)
    shares = np.exp(logits - np.where(top == -np.inf, 0, top))
    allow = visible(op, x, shares.shape[1:])
    gamma = np.where(allow, basics.quotient(shares, shares.sum(0)), 0)
    near = (logits >= top - LIGHT) & allow & (logits > -np.inf)
    return {"result": Result(np.moveaxis(gamma, 0, 2),
                             most(np.where(near, sizes, 0)))}, \
        Attended(None, allow, allow)


def prior_update(op, x, heads):
    gamma = x["responsibilities"]
    over = (0, 3) if op.attrs.get("per_key") else (0, 3, 4)
    return {"result": Result(gamma.mean(over), 0.0,
                             most(np.abs(gamma).mean(over)))}, None


def orthogonal_penalty(op, x, heads):
    product = x["mixer"].T @ x["mixer"]
    difference = product - np.eye(len(product))
    return {"result": Result(np.array((difference * difference).sum()))}, None


def add(op, x, heads):
    total = x["left"] + x["right"]
    return {"result": Result(total, 0.0, np.abs(x["left"]).max(initial=0)
                             + np.abs(x["right"]).max(initial=0))}, None


OTHERS = {"add": add, "structured_pool": structured_pool,
          "responsibilities": responsibilities, "prior_update": prior_update,
          "orthogonal_penalty": orthogonal_penalty}


def expect(op, x, heads):
    """Results by role for operands by role, `heads` being the result's; and
    how an attention came by them, else None."""
    formula = OTHERS.get(op.kind) or (
        linear_attention if op.kind.startswith("linear") else attention)
    with np.errstate(all="ignore"):
        return formula(op, x, heads)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The families in PyTorch, as somebody who wants speed would write them.

A form takes arguments `x` by name and `hidden`, None or an additive mask [N,S] of
0 and -inf. Where a family can be written in several ways, FORMS holds them all.
"""

import math

import torch

VARIANCES = {"mgk": (8.0, 24.0), "smgk_full": (8.0, 8.0)}


def attend(scores, hidden, v):
    if hidden is not None:
        scores += hidden
    return torch.softmax(scores, -1) @ v


def scaled(q):
    return q * (1 / math.sqrt(q.shape[-1]))


def softmax(x, hidden):
    return attend(scaled(x["q"]) @ x["k"].mT, hidden, x["v"])


def keys_of(x):
    """[B,H,R,S,D]."""
    if "keys" in x:
        return x["keys"]
    return x["k"][:, :, None] + x["shifts"][None, :, :, None]


def variances_of(x):
    return VARIANCES["mgk" if "keys" in x else "smgk_full"]


def square_norm(t):
    return (t * t).sum(-1)


def mgk_formula(x, hidden):
    """Component by component, as the paper has it."""
    q, scores = x["q"], []
    for r, (key, variance) in enumerate(zip(keys_of(x).unbind(2), variances_of(x))):
        distance = (square_norm(q)[..., :, None] + square_norm(key)[..., None, :]
                    - 2 * (q @ key.mT))
        scores.append(x["log_prior"][:, r, None, None] - distance / (2 * variance))
    return attend(torch.logaddexp(*scores), hidden, x["v"])


def mgk_augmented(x):
    """One query and one list of R S keys whose products are the scores: norms and
    priors are features of their own."""
    q, keys = x["q"], keys_of(x)
    b, h, r, s, d = keys.shape
    scale = 1 / torch.tensor(variances_of(x), dtype=q.dtype)[:, None]
    half = -0.5 * scale.expand(r, s).expand(b, h, r, s)
    prior = x["log_prior"][None, :, :, None]
    term = prior + half * square_norm(keys)
    long_keys = torch.cat([keys * scale[..., None], half[..., None],
                           term[..., None]], -1)
    norm = square_norm(q)[..., None]
    long_q = torch.cat([q, norm, torch.ones_like(norm)], -1)
    return long_q, long_keys.reshape(b, h, r * s, d + 2)


def repeated(hidden, x):
    """A mask for keys of all components."""
    return None if hidden is None else hidden.repeat(1, len(variances_of(x)))


def mgk_concatenated(x, hidden):
    """One softmax over the keys of all components."""
    q, keys = mgk_augmented(x)
    scores = q @ keys.mT
    if hidden is not None:
        scores += repeated(hidden, x)
    first, second = torch.softmax(scores, -1).chunk(2, -1)
    return (first + second) @ x["v"]


def shared_key_terms(x):
    """The terms that shifts add to q.k/8: one per query and component, and one per
    key and component."""
    variance = VARIANCES["smgk_full"][0]
    shifts = x["shifts"]
    of_query = torch.einsum("bhnd,hrd->bhnr", x["q"], shifts) / variance
    norms = square_norm(keys_of(x)).transpose(2, 3)
    of_key = x["log_prior"][None, :, None] - norms / (2 * variance)
    return of_query, of_key


def smgk_shared(x, hidden):
    """One product for both components, whose difference has rank two."""
    of_query, of_key = shared_key_terms(x)
    scores = (x["q"] / VARIANCES["smgk_full"][0]) @ x["k"].mT
    if hidden is not None:
        scores += hidden
    (first, second), (one, two) = of_query.unbind(-1), of_key.unbind(-1)
    term = torch.logaddexp(first[..., None] + one[..., None, :],
                           second[..., None] + two[..., None, :])
    return attend(scores + term, None, x["v"])


def mixed(mixer, scores):
    """sum_k mixer[k,a] scores[k] as one product over all pairs."""
    b, heads, n, s = scores.shape
    return (mixer.mT @ scores.reshape(b, heads, n * s)).view(b, -1, n, s)


def fish_product(x, hidden):
    mixer = x["mixer"] / math.sqrt(x["q"].shape[-1])
    return attend(mixed(mixer, x["q"] @ x["k"].mT), hidden, x["v"])


def fish_einsum(x, hidden):
    scores = torch.einsum("ka,bkij->baij", x["mixer"], scaled(x["q"]) @ x["k"].mT)
    return attend(scores, hidden, x["v"])


def gfish(x, hidden):
    scale = 1 / math.sqrt(x["q"].shape[-1])
    scores = mixed(x["w1"], x["q"] @ x["k"].mT)
    scores += x["b1"][:, None, None]
    scores = mixed(x["w2"] * scale, scores.relu_())
    scores += (x["b2"] * scale)[:, None, None]
    return attend(scores, hidden, x["v"])


def weights_of(x, hidden):
    scores = scaled(x["q"]) @ x["k"].mT
    if hidden is not None:
        scores += hidden
    return torch.softmax(scores, -1)


def mixhead_product(x, hidden):
    return mixed(x["mixer"], weights_of(x, hidden)) @ x["v"]


def mixhead_einsum(x, hidden):
    return torch.einsum("ca,bcij->baij", x["mixer"], weights_of(x, hidden)) @ x["v"]


def row_mixers(x):
    """[B,N,C,A]."""
    return torch.einsum("bcid,da->bica", x["q"], x["w"]) + x["b"]


def mixhead_b_einsum(x, hidden):
    return torch.einsum("bica,bcij->baij", row_mixers(x),
                        weights_of(x, hidden)) @ x["v"]


def mixhead_b_product(x, hidden):
    """One small product for each query."""
    weights = row_mixers(x).mT @ weights_of(x, hidden).transpose(1, 2)
    return weights.transpose(1, 2) @ x["v"]


FORMS = {
    "softmax": {"": softmax},
    "mgk": {"concatenated": mgk_concatenated, "formula": mgk_formula},
    "smgk_full": {"shared key": smgk_shared, "concatenated": mgk_concatenated,
                  "formula": mgk_formula},
    "fish_hard": {"product": fish_product, "einsum": fish_einsum},
    "gfish_hard": {"product": gfish},
    "mixhead_a": {"product": mixhead_product, "einsum": mixhead_einsum},
    "mixhead_b": {"product": mixhead_b_product, "einsum": mixhead_b_einsum},
}


def causal_mask(row, dtype, first=0, last=None):
    """The additive mask of queries first..last over the keys that the last one
    sees, or None."""
    if not row.causal:
        return None
    last = row.N if last is None else last
    keys = row.keys - row.N + last
    hidden = torch.full((last - first, keys), -math.inf, dtype=dtype)
    return hidden.triu(row.keys - row.N + first + 1)

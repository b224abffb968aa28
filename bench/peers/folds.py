# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families said as plain attention, exactly: query, keys and values for a kernel
that knows one softmax, and what becomes of its result."""

from typing import Callable, NamedTuple

import torch

from bench.peers import Unsupported, formulas


class Plain(NamedTuple):
    """softmax(scale q kᵀ) v, then `finish`; the keys are those of all
    `components`, one after the other."""
    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    scale: float
    finish: Callable = lambda o: o
    components: int = 1


def scale_of(x):
    return x["q"].shape[-1] ** -0.5


def softmax(x):
    return Plain(x["q"], x["k"], x["v"], scale_of(x))


def mgk(x):
    """Keys of all components in a row, values repeated."""
    q, k = formulas.mgk_augmented(x)
    return Plain(q, k, torch.cat([x["v"], x["v"]], 2), 1.0, components=2)


def fish(x):
    """All global heads' features side by side, weighed by the mixer, against one
    long key that all heads share."""
    b, m, n, d = x["q"].shape
    heads = x["mixer"].shape[1]
    q = torch.einsum("ka,bkid->baikd", x["mixer"], x["q"]).reshape(b, heads, n, m * d)
    k = x["k"].transpose(1, 2).reshape(b, 1, -1, m * d).expand(-1, heads, -1, -1)
    return Plain(q, k, x["v"], scale_of(x))


def mixhead(mix):
    """Every head pools the values of all; outputs are mixed."""
    def fold(x):
        b, heads, s, e = x["v"].shape
        v = x["v"].transpose(1, 2).reshape(b, 1, s, heads * e)

        def finish(o):
            return mix(x, o.unflatten(-1, (heads, e)))
        return Plain(x["q"], x["k"], v.expand(-1, heads, -1, -1), scale_of(x), finish)
    return fold


def mix_alike(x, o):
    return torch.einsum("ca,bciae->baie", x["mixer"], o)


def mix_by_row(x, o):
    return torch.einsum("bica,bciae->baie", formulas.row_mixers(x), o)


FOLDS = {"softmax": softmax, "mgk": mgk, "smgk_full": mgk, "fish_hard": fish,
         "mixhead_a": mixhead(mix_alike), "mixhead_b": mixhead(mix_by_row)}


def fold_of(row):
    if row.is_linear:
        raise Unsupported("linear attention has no softmax")
    if row.variant not in FOLDS:
        raise Unsupported("no exact fold: a perceptron mixes the scores")
    return FOLDS[row.variant]


def widened(plain):
    """The same with values and products of one width, for kernels that know only
    that: zeros are appended."""
    width = max(plain.q.shape[-1], plain.v.shape[-1])

    def pad(t):
        return torch.nn.functional.pad(t, (0, width - t.shape[-1]))
    kept = plain.v.shape[-1]
    return plain._replace(q=pad(plain.q), k=pad(plain.k), v=pad(plain.v),
                          finish=lambda o: plain.finish(o[..., :kept]))

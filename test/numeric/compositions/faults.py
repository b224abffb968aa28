# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Oracles that are wrong on purpose, to show that a wrong answer is found."""

import contextlib

import numpy as np

from compositions import expect


def causal_off_by_one(visible):
    def wrong(op, x, shape):
        allow = visible(op, x, shape)
        if not op.attrs.get("causal"):
            return allow
        return allow & ~np.eye(*shape[2:], shape[3] - shape[2], dtype=bool)
    return wrong


def prior_forgotten(combine):
    def wrong(op, x, made, sizes):
        return combine(op, {name: array for name, array in x.items()
                            if name != "prior"}, made, sizes)
    return wrong


def mixer_transposed(mixed):
    def wrong(op, x, weights, absolute=False):
        if "mixer" in x:
            x = x | {"mixer": x["mixer"].T}
        return mixed(op, x, weights, absolute)
    return wrong


def scale_skipped(scale_of):
    return lambda op, x: 1.0


# name: (the function that it replaces, what takes its place)
FAULTS = {"causal_off_by_one": ("visible", causal_off_by_one),
          "prior_forgotten": ("combine", prior_forgotten),
          "mixer_transposed": ("mixed", mixer_transposed),
          "scale_skipped": ("scale_of", scale_skipped)}


@contextlib.contextmanager
def planted(name):
    """The oracle with this fault; none where the name is empty."""
    if not name:
        yield
        return
    function, make = FAULTS[name]
    real = getattr(expect, function)
    setattr(expect, function, make(real))
    try:
        yield
    finally:
        setattr(expect, function, real)

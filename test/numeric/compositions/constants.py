# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that a program holds itself: what they may be, and their values."""

import zlib

import numpy as np

import inputs

# Small operands that rewrites look into, and what they may hold.
ROLES = {"shifts", "prior", "linear_prior", "premixer", "state_mixer", "mixer",
         "mix_weight", "w1", "b1", "w2", "b2", "sigma", "bias", "mask",
         "query_term", "table", "seed", "offset", "projection"}
KINDS = ("identity", "zero", "one", "random")
MOST = 64


def may_be(shape, role):
    return role in ROLES and all(
        isinstance(size, int) for size in shape) and 0 < np.prod(shape) <= MOST


def choose(role, pick):
    """The kind of values of a constant of that role. Each head of a linear
    prior has a number above 0."""
    kind = pick(KINDS)
    return "one" if role == "linear_prior" and kind == "zero" else kind


def values(tensor, name):
    """Floats as doubles, as the type holds them."""
    shape, kind = tensor.shape, tensor.constant
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    if tensor.dtype.startswith("i"):
        random = rng.integers(0, 2 if tensor.dtype == "i1" else 2**31, shape)
        array = {"zero": np.zeros(shape), "one": np.ones(shape)}.get(kind,
                                                                     random)
        return np.asarray(array).astype(
            bool if tensor.dtype == "i1" else np.int64)
    array = {"zero": np.zeros(shape), "one": np.ones(shape)}.get(kind)
    if array is None and kind == "identity" and len(shape) >= 2:
        array = np.broadcast_to(np.eye(*shape[-2:]), shape)
    if array is None:
        array = rng.standard_normal(shape)
    if tensor.role == "linear_prior":
        array = np.abs(array) + (kind == "identity") / 2
    return inputs.decode(inputs.encode(np.array(array, float), tensor.dtype))

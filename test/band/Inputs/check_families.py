# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The families against search and against their definitions: check_families.py
FOLDER, where families.py lies."""

import itertools
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import families as f  # pylint: disable=C0413
from projections import band_mask, distance, onto_band  # pylint: disable=C0413

SIZE = 6


def all_rare_tokens(width, tokens, start=0):
    """Every choice of windows from row `start` on."""
    yield []
    if not tokens:
        return
    for first in range(start, SIZE):
        for length in range(1, min(width, SIZE - first) + 1):
            for rest in all_rare_tokens(width, tokens - 1, first + length):
                for column in range(first, first + length):
                    yield [(column, first, length)] + rest


def check_rare_tokens():
    """The best member by dynamic program and by trying all; multiples of 1/8 keep
    sums exact."""
    generator = np.random.default_rng(0)
    matrices = generator.integers(-2, 9, (12, SIZE, SIZE)) / 8
    matrices[:4] = np.eye(SIZE)[generator.integers(0, SIZE, (4, SIZE))]
    tried = 0
    for width, tokens in itertools.product((0, 1, 2, 3, 6, 9), (0, 1, 2, 4)):
        members = [f.rare_tokens(SIZE, choice) for choice in all_rare_tokens(width, tokens)]
        least = np.min([distance(matrices, member) for member in members], axis=0)
        nearest = f.nearest_rare_tokens(matrices, width, tokens)
        assert (distance(matrices, nearest) == least).all()
        assert not nearest[:, ~band_mask(SIZE, max(width - 1, 0))].any()
        tried += len(members)
    return tried


def check_planted():
    """A member is nearest to itself, and its windows are found."""
    triples = [(4, 2, 4), (9, 9, 3), (15, 13, 3)]
    member = f.rare_tokens(16, triples)
    assert f.choose_windows(f.row_costs(member[None]), 4, 3) == [triples]
    # Where windows gain nothing there are none.
    assert f.choose_windows(f.row_costs(np.zeros((1, 16, 16))), 4, 3) == [[]]
    print("planted:", member.argmax(axis=1).tolist())


def check_order():
    """The identity is in Sigma3, and Sigma3 in the bands: never nearer."""
    matrices = np.random.default_rng(1).dirichlet(np.ones(20) / 5, (9, 20))
    identity = distance(matrices, f.nearest_identity(matrices))
    assert np.allclose(identity, 2 * (20 - np.trace(matrices, axis1=1, axis2=2)))
    for width in (0, 1, 3, 8):
        tokens = distance(matrices, f.nearest_rare_tokens(matrices, width, 3))
        assert (tokens <= identity).all()
        assert (distance(matrices, onto_band(matrices, width)) <= tokens).all()


def check_samples():
    """Members as the paper's code makes them."""
    size, width, tokens = 16, 3, 2
    for family in f.SAMPLERS:
        made = f.samples(family, size, width, tokens, 30, 7)
        again = f.samples(family, size, width, tokens, 30, 7)
        assert made.shape == (30, size, size) and np.array_equal(made, again, equal_nan=True)
        assert not np.array_equal(made, f.samples(family, size, width, tokens, 30, 8),
                                  equal_nan=True)
        made = made[~np.isnan(made).any(axis=(1, 2))]
        assert len(made) > 20 and made.min() >= 0
        assert np.allclose(made.sum(axis=-1), 1)
    generator = np.random.default_rng(2)
    for _ in range(30):
        error = f.sparse_error(size, generator)
        assert 0 < np.count_nonzero(error) <= size and not np.diagonal(error).any()
        assert 0 <= error.min() and error.max() <= 0.5
    identity = f.sample_identity(size, width, tokens, generator)
    assert (np.diagonal(identity) > 0.9).all() and np.count_nonzero(identity) == size
    band = np.stack([f.sample_band(size, width, tokens, generator) for _ in range(400)])
    assert not band[:, ~band_mask(size, width)].any()
    inside = band[:, band_mask(size, width)]
    assert abs(np.mean(inside > 0) - 0.6) < 0.02 and inside[inside > 0].min() >= 0.7
    for _ in range(100):
        rare = f.sample_rare_tokens(size, width, tokens, generator)
        assert (np.count_nonzero(rare, axis=1) == 1).all()
        assert sorted(np.count_nonzero(rare, axis=0))[-3:] == [1, 3, 3]
        assert (rare.argmax(axis=1) <= np.arange(size)).all()
    # Two windows of two in five rows, every way; no more than fit are made.
    ways = {tuple(f.sample_rare_tokens(5, 2, 9, generator).argmax(axis=1)) for _ in range(100)}
    assert ways == {(0, 0, 2, 2, 4), (0, 0, 2, 3, 3), (0, 1, 1, 3, 3)}


def check_nan():
    """Members with NaN are passed over; nothing is left of a band of width 0."""
    matrix = np.eye(2)[None]
    members = np.array([np.full((2, 2), np.nan), np.zeros((2, 2)), np.ones((2, 2))])
    assert f.sampled_distances(matrix, members) == [2]
    assert np.isnan(f.sampled_distances(matrix, members[:1])).all()


def main():
    print("tried:", check_rare_tokens(), "members")
    check_planted()
    check_order()
    check_samples()
    check_nan()
    print("families are right")


main()

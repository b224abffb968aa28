# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Projections against search: check_projections.py FOLDER, where projections.py
lies. Entries are multiples of 1/4, so that sums are exact and nothing is
nearer between the values that are searched."""

import itertools
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import projections as p  # pylint: disable=C0413

CAP = 0.25
GRID = np.arange(-6, 7) / 4


def some_matrices(count, size, low, high, seed):
    """Multiples of 1/4 from low to high: [count,size,size]."""
    generator = np.random.default_rng(seed)
    return generator.integers(4 * low, 4 * high + 1, (count, size, size)) / 4


def check_dimensions():
    assert (p.dimension(16, 3), p.dimension(16, 10)) == (100, 226)
    for size in range(1, 20):
        for width in range(size):
            assert p.dimension(size, width) == p.band_mask(size, width).sum()


def check_band():
    """Off the band nothing, on it everything; every other matrix tried is farther
    by what it changes."""
    matrices = some_matrices(50, 6, -1.5, 1.5, 0)
    places = np.arange(6)
    off_by = np.abs(places[:, None] - places)
    generator = np.random.default_rng(1)
    for width in range(6):
        band = p.onto_band(matrices, width)
        least = p.distance(matrices, band)
        assert (least == np.abs(matrices[:, off_by > width]).sum(axis=-1)).all()
        assert not band[:, off_by > width].any()
        for _ in range(20):
            change = np.where(off_by <= width, generator.integers(-4, 5, matrices.shape) / 4, 0)
            farther = p.distance(matrices, band + change)
            assert (farther == least + np.abs(change).sum(axis=(1, 2))).all()


def search_band(matrix, width):
    """The least distance over all band matrices of GRID, 2 x 2."""
    inside = np.flatnonzero(p.band_mask(len(matrix), width))
    member, least = np.zeros(matrix.size), np.inf
    for values in itertools.product(GRID, repeat=len(inside)):
        member[inside] = values
        least = min(least, np.abs(matrix.ravel() - member).sum())
    return least


def search_sparse(matrix, width, budget, bounds):
    """The least distance over all B + E: every place of E, and there and in the
    band every value that GRID has."""
    inside = p.band_mask(len(matrix), width).ravel()
    allowed = GRID[(GRID >= bounds[0]) & (GRID <= bounds[1])]
    capped = GRID[np.abs(GRID) <= CAP]

    def left(h, banded, taken):
        return min(abs(h - b - e) for b in (allowed if banded else [0])
                   for e in (capped if taken else [0]))

    costs = [[left(h, banded, taken) for h, banded in zip(matrix.ravel(), inside)]
             for taken in (False, True)]
    return min(sum(costs[place in taken][place] for place in range(matrix.size))
               for count in range(budget + 1)
               for taken in map(set, itertools.combinations(range(matrix.size), count)))


def check_search():
    for matrix in some_matrices(6, 2, -1.5, 1.5, 2):
        for width in (0, 1):
            assert p.distance(matrix, p.onto_band(matrix, width)) == search_band(matrix, width)
    count = 0
    for matrix in some_matrices(6, 3, -1.5, 1.5, 3):
        for width, budget in itertools.product(range(3), (0, 1, 2, 3, 9)):
            for bounds in ((0, 1), (-np.inf, np.inf)):
                band, error = p.onto_band_plus_sparse(matrix, width, budget, CAP, bounds)
                assert p.distance(matrix, band + error) == search_sparse(
                    matrix, width, budget, bounds)
                count += 1
    return count


def check_members():
    """The results are in the set, for any budget; more of it is never farther,
    and the distances over budgets are those of the members."""
    generator = np.random.default_rng(4)
    matrices = generator.normal(0, 0.7, (8, 12, 12))
    matrices[:2] = generator.dirichlet(np.ones(12), (2, 12))
    budgets = [0, 1, 2, 5, 12, 30, 100, 144, 1000]
    for width in (0, 3, 11):
        swept = p.distances_over_budget(matrices, width, budgets, CAP)
        assert (np.diff(swept, axis=-1) <= 0).all() and (swept >= 0).all()
        for budget, distances in zip(budgets, swept.T):
            band, error = p.onto_band_plus_sparse(matrices, width, budget, CAP)
            assert not band[:, ~p.band_mask(12, width)].any()
            assert band.min() >= 0 and band.max() <= 1
            assert np.abs(error).max() <= CAP
            assert (error != 0).sum(axis=(1, 2)).max() <= budget
            assert np.allclose(p.distance(matrices, band + error), distances, 0, 1e-12)
    assert (np.diff([p.distance(matrices, p.onto_band(matrices, width))
                     for width in range(12)], axis=0) <= 0).all()


def check_ties():
    """Of equal ones the first, row by row; what the cap cuts is equal."""
    matrix = np.array([[0, 0.5, 0.125], [0.5, 0, 0.25], [1, 0.25, 0]])
    _, error = p.onto_band_plus_sparse(matrix, 0, 3, CAP)
    print("first three of five:", np.argwhere(error).tolist(), error[error != 0].tolist())


def check_planted():
    """A band and a sparse error that do not touch come back to the last bit, also
    in the form that is compiled."""
    generator = np.random.default_rng(5)
    for width in (0, 2, 7):
        inside = p.band_mask(32, width)
        band = np.where(inside, generator.random((4, 32, 32)), 0).astype(np.float32)
        error = np.zeros_like(band)
        for head in error:
            places = generator.choice(np.flatnonzero(~inside), 20, replace=False)
            head.flat[places] = generator.choice([-1, 1], 20) * generator.uniform(0.01, CAP, 20)
        found = p.onto_band_plus_sparse(band + error, width, 20, CAP)
        assert (found[0] == band).all() and (found[1] == error).all()
        assert found[0].dtype == found[1].dtype == np.float32
        assert (p.from_storage(p.to_storage(band, width)) == band).all()
        places, values = p.coordinates(error)
        assert places.dtype == np.int64 and values.dtype == np.float32 and len(values) == 80
        assert places.flags.c_contiguous
        assert (np.diff(places @ [32 * 32, 32, 1]) > 0).all()
        again = np.zeros_like(error)
        again[tuple(places.T)] = values
        assert (again == error).all()


def check_storage():
    """The form that attn.structured_pool takes, entry by entry."""
    band = p.onto_band(np.arange(1.0, 17).reshape(1, 4, 4), 2)
    print("stored:", p.to_storage(band, 2).astype(int).tolist())


def main():
    check_dimensions()
    check_band()
    print("searched:", check_search(), "sets")
    check_members()
    check_ties()
    check_planted()
    check_storage()
    print("projections are right")


main()

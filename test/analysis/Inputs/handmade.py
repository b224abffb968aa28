# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures of matrices whose measures are known: handmade.py FOLDER, where
measures.py lies."""

import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import measures  # pylint: disable=C0413

SIZE = 8


def one_head(*matrices):
    """Matrices [N,S] as weights [B,1,N,S]."""
    return np.stack(matrices)[:, None].astype(np.float32)


def spots(energies):
    """Matrices that do not overlap: the i-th has only one entry, at place i,
    and `energies[i]` as the sum of squares."""
    result = np.zeros((len(energies), SIZE * SIZE))
    result[np.arange(len(energies)), np.arange(len(energies))] = np.sqrt(energies)
    return one_head(*result.reshape(-1, SIZE, SIZE))


def ranks(*matrices):
    return measures.ranks(measures.singular_values(one_head(*matrices))).ravel().tolist()


def main():
    identity, ones = np.eye(SIZE), np.ones((SIZE, SIZE))
    print("ranks:", ranks(identity, ones, 0 * ones, np.tril(ones) / SIZE,
                          np.diag([1, 1e-2, 2e-6, 5e-7, 0, 0, 0, 0])))

    singular = measures.singular_values(one_head(np.diag([0, 1, 0, 3])))
    print("cumulative:", measures.cumulative(singular).round(6).tolist())

    heads = np.stack([[identity, 0 * ones, ones]])
    print("squared distances:", np.square(measures.head_distances(heads)).round(6).tolist())

    print("components, one energy after the other:",
          [measures.components(spots(energies)) for energies in
           ([90, 6, 3, 1], [1, 3, 6, 90], [94, 6], [96, 4], [1] * 10, [1] * 30)])
    print("components, one matrix often:", measures.components(one_head(*[identity] * 5)))
    print("components, two matrices mixed:", measures.components(
        one_head(identity, ones, identity + ones, 3 * identity - 2 * ones)))

    figures = measures.measure(np.stack([[identity, ones / SIZE]]))
    print("measured:", figures["shape"], figures["row_sums"], figures["rank_counts"],
          figures["median_rank"])


main()

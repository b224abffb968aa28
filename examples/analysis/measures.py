# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The papers' measures of attention matrices, in NumPy, double precision.

`weights` are those of one layer, [B,H,N,S]: B inputs, H heads. MGK is
"Improving Transformers with Probabilistic Attention Keys", FiSH "Improving
Transformer with an Admixture of Attention Heads", Mixhead "Mixhead: Breaking
the low-rank bottleneck in multi-head attention language models".
"""

import numpy as np

SMALLEST = 1e-6
EXPLAINED = 0.95


def singular_values(weights):
    """Those of each matrix, descending: [B,H,min(N,S)]."""
    return np.linalg.svd(weights.astype(np.float64), compute_uv=False)


def ranks(singular):
    """How many singular values of each matrix exceed 1e-6: [B,H]
    (MGK, Figure 2 right and Figure 7)."""
    return (singular > SMALLEST).sum(axis=-1)


def cumulative(singular):
    """The sum of the first k singular values over the sum of all, averaged over
    matrices: [min(N,S)] (Mixhead, Figures 1 and 3)."""
    sums = singular.cumsum(axis=-1)
    return (sums / sums[..., -1:]).mean(axis=(0, 1))


def head_distances(weights):
    """The L2 (Frobenius) distance of each two heads on the same input:
    [B, H (H - 1) / 2] (FiSH, Tables 8 and 12)."""
    first, second = np.triu_indices(weights.shape[1], k=1)
    weights = weights.astype(np.float64)
    return np.stack([np.sqrt(np.square(weights[:, a] - weights[:, b]).sum(axis=(1, 2)))
                     for a, b in zip(first, second)], axis=-1)


def components(weights):
    """How many principal components hold 95 % of the variance (FiSH, section 4
    and Tables 9 and 13): the largest eigenvalues of C = mean of vec(A) vec(A)^T
    over inputs and heads. As there, no mean is taken off. C is [NS,NS], yet its
    nonzero eigenvalues are those of the matrix of inner products, [BH,BH]."""
    vectors = weights.astype(np.float64).reshape(weights.shape[0] * weights.shape[1], -1)
    eigenvalues = np.linalg.eigvalsh(vectors @ vectors.T / len(vectors))[::-1]
    shares = eigenvalues.clip(min=0).cumsum()
    return int(np.searchsorted(shares, EXPLAINED * shares[-1])) + 1


def measure(weights):
    """All measures of one layer, by name, as JSON can hold them."""
    singular = singular_values(weights)
    rank = ranks(singular)
    distances = head_distances(weights)
    row_sums = weights.sum(axis=-1, dtype=np.float64)
    return {
        "shape": list(weights.shape),
        "row_sums": [row_sums.min(), row_sums.max()],
        "rank_counts": np.bincount(rank.ravel(), minlength=singular.shape[-1] + 1).tolist(),
        "median_rank": float(np.median(rank)),
        "cumulative": cumulative(singular).tolist(),
        "distance_mean": distances.mean(),
        "distance_variance": distances.var(),
        "components": components(weights),
    }

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shifted keys whose components have their largest terms far apart.

With shared shifted keys a score is q.k / v + a_r(i) + c_r(j), so
exp(q.k / v + C_j) sum_r A_r(i) B_r(j) would do with one exponential a pair. For
each row the largest A_r is 1, and for each key the largest B_r; where these
stand at different r, the sum underflows. attn-simplify shares the product but
keeps the logarithm of the sum: what is compiled agrees with the exact result.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import accuracy
import oracle
import run_variant

NAME = "smgk_full"
VARIANCE = 8
# How far queries, keys and the two opposite shifts lie along one direction. The
# terms differ by 2 far^2 / v = 144 for queries and keys, in opposite senses;
# in f32 exp(-104) is 0.
FAR = 24.0


def draw(batches, queries, keys, heads, features, seed=5):
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal((heads, 1, features))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)

    def around(centre, *shape):
        return (centre + rng.standard_normal(shape)).astype(np.float32)

    q = around(FAR * direction[None], batches, heads, queries, features)
    k = around(FAR * direction[None], batches, heads, keys, features)
    shifts = around(FAR * direction * np.array([[1], [-1]]), heads, 2, features)
    return {"q": q, "k": k, "shifts": shifts,
            "v": rng.standard_normal(k.shape, dtype=np.float32),
            "log_prior": np.log(np.full((heads, 2), 0.5, np.float32))}


def fast_form(x):
    """The sums over keys of exp(q.k / v + C_j) sum_r A_r(i) B_r(j), all in f32,
    less the largest exponent of each row."""
    one = np.float32(1) / np.float32(VARIANCE)
    product = x["q"] @ x["k"].swapaxes(-1, -2) * one
    # [B,H,R,N] and [B,H,R,S].
    a = np.einsum("bhid,hrd->bhri", x["q"], x["shifts"]) * one
    shifted = x["k"][:, :, None] + x["shifts"][None, :, :, None]
    c = (shifted * shifted).sum(-1) * (-one / 2) + x["log_prior"][None, :, :, None]
    top = c.max(2)
    exponent = product + top[:, :, None]
    exponential = np.exp(exponent - exponent.max(-1, keepdims=True))
    factors = np.einsum("bhri,bhrj->bhij", np.exp(a - a.max(2, keepdims=True)),
                        np.exp(c - top[:, :, None]))
    for array in (exponential, factors):
        assert array.dtype == np.float32
    return (exponential * factors).sum(-1)


def check_rewritten():
    """The rule leaves its remark."""
    source = run_variant.ROOT / "examples" / "variants" / f"{NAME}.mlir"
    process = subprocess.run(
        ["mixattn-opt", source, "--attn-generalize", "--attn-simplify", "--remark-format=emitRemark",
         "--remarks-filter-passed=attn-simplify"], check=True, capture_output=True, text=True)
    if "[Passed] MakeTerms" not in process.stderr:
        sys.exit("expected MakeTerms to apply")


def main():
    check_rewritten()
    x = draw(2, 33, 40, 4, 64)
    sums = fast_form(x)
    if sums.any():
        sys.exit(f"expected the fast form to underflow in every row, but {np.count_nonzero(sums)} "
                 f"of {sums.size} sums are not 0")
    expected = oracle.expected(NAME, {name: array.astype(np.float64) for name, array in x.items()})
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        variant = run_variant.Variant(NAME, "f32", folder, None)
        np.savez(folder / "inputs.npz", **x)
        actual = variant.actual(folder / "inputs.npz")["o"]
    error, limit = accuracy.compare("o", actual, expected, "f32")
    spread = expected.results["o"].std(2).min()
    print(f"all {sums.size} sums of the fast form are 0; compiled: error {error:.1e} (limit {limit:.1e}), "
          f"results vary by {spread:.1e} from row to row")
    sys.exit(not (error <= limit and spread > 1e-2))


if __name__ == "__main__":
    main()

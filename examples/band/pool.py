# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles projections as the attention that they are: no queries, no keys, one
band and one sparse error a head, by which attn.structured_pool pools values.

Each result is compared with NumPy, and with what the true attention makes of
the same values.
"""

import os

import numpy as np

import projections
from matrices import Failure, call

# An f32 sum of few terms; see the tolerance of mixattn-run --check.
LIMIT = 2.0**-19
ENTRY = """\
func.func @{name}(
    %v: {values} {{attn.name = "v", attn.dims = ["B", "N"]}},
    %band: {band} {{attn.name = "band", attn.dims = ["N"]}}{arguments})
    -> ({values} {{attn.name = "o", attn.dims = ["B", "N"]}}) {{
  %o = attn.structured_pool %v band(%band : {band}){clauses}
      : {values} -> {values}
  return %o : {values}
}}
"""
ARGUMENTS = """,
    %index: tensor<?x3xi64> {attn.name = "error_index", attn.dims = ["K"]},
    %value: tensor<?xf32> {attn.name = "error_value", attn.dims = ["K"]}"""
ERROR = " error(%index, %value : tensor<?x3xi64>, tensor<?xf32>)"
NORMALISE = " row_normalise"
# Entries: whether they have the error, and whether rows are divided by their sum.
ENTRIES = {"band": (False, False), "band_normalised": (False, True),
           "band_plus_sparse": (True, False), "band_plus_sparse_normalised": (True, True)}


def graph(heads, features, diagonals):
    """The entries ENTRIES for values [B,heads,N,features]."""
    entries = [ENTRY.format(name=name, values=f"tensor<?x{heads}x?x{features}xf32>",
                            band=f"tensor<{heads}x?x{diagonals}xf32>",
                            arguments=ARGUMENTS * sparse,
                            clauses=ERROR * sparse + NORMALISE * normalised)
               for name, (sparse, normalised) in ENTRIES.items()]
    return ("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            "// Pooling by a band, and by a band plus a sparse error.\n\n" + "\n".join(entries))


def build(heads, features, diagonals, tools, out):
    """Leaves the graph and its library in the folder `out`; returns the library."""
    source, library = os.path.join(out, "pool.mlir"), os.path.join(out, "pool.so")
    with open(source, "w", encoding="ascii") as file:
        file.write(graph(heads, features, diagonals))
    call([os.path.join(tools, "mixattn-compile"), source, "-o", library])
    return library


def run(library, entry, inputs, tools, out):
    """The result of one entry, which the built-in reference checks, too; it and its
    inputs are files in `out`."""
    command = [os.path.join(tools, "mixattn-run"), library, "--entry=" + entry, "--check"]
    for name, array in inputs.items():
        file = os.path.join(out, f"{entry}_{name}.npy")
        np.save(file, array)
        command.append(f"--input={name}={file}")
    result = os.path.join(out, entry + "_o.npy")
    call(command + ["--output=o=" + result])
    return np.load(result)


def normalised(matrices):
    """Rows divided by their sum; a sum of 0 gives zeros."""
    sums = matrices.sum(axis=-1, keepdims=True)
    return np.divide(matrices, sums, out=np.zeros_like(matrices), where=sums != 0)


def matrices_of(weights, setting):
    """The nearest of the two sets to weights [H,N,N], as arguments of the entries and
    as matrices, after whether there is the error."""
    width = setting.width
    plain = projections.onto_band(weights, width)
    yield False, {"band": projections.to_storage(plain, width)}, plain
    band, error = projections.onto_band_plus_sparse(
        weights, width, setting.budget_of(weights.shape[-1]), setting.cap, setting.bounds)
    places, values = projections.coordinates(error)
    yield True, {"band": projections.to_storage(band, width), "error_index": places,
                 "error_value": values}, band.astype(np.float64) + error


def compare(layer, setting, library, tools, out):
    """Pools the values of a layer, (weights [H,N,N], values [H,N,E], pooled [H,N,E]), by
    the projections of its weights. For each entry: how far the compiled result lies
    from NumPy's, relative to the largest; and NumPy's from what the true attention
    pools, as a share of the 2-norm. Rows are divided by their sums only where the
    weights' sums are 1."""
    os.makedirs(out)
    weights, values, pooled = layer
    sums_are_one = np.abs(weights.sum(axis=-1, dtype=np.float64) - 1).max() < 1e-3
    nearest = {sparse: rest for sparse, *rest in matrices_of(weights, setting)}
    found = {}
    for entry, (sparse, normalise) in ENTRIES.items():
        arguments, matrix = nearest[sparse]
        if normalise and not sums_are_one:
            continue
        expected = (normalised(matrix) if normalise else matrix) @ values.astype(np.float64)
        compiled = run(library, entry, {"v": values[None]} | arguments, tools, out)[0]
        error = float(np.abs(compiled - expected).max() / np.abs(expected).max())
        if not error <= LIMIT:
            raise Failure(f"'{entry}': expected an error of at most {LIMIT:.1e}, "
                          f"but got {error:.1e}")
        found[entry] = {"error": error, "distance": float(
            np.linalg.norm(expected - pooled) / np.linalg.norm(pooled))}
    return found


def table(results):
    """How far pooled values lie from the true attention's, and the largest error."""
    lines = [f"{'':30}band{'':20}band plus sparse{'':8}largest error",
             "matrices         layer     as it is  normalised    as it is  normalised    "
             "against NumPy"]
    for name, layers in results.items():
        for layer, found in enumerate(layers):
            shares = [f"{100 * found[entry]['distance']:10.2f} %" if entry in found
                      else f"{'-':>12}" for entry in ENTRIES]
            worst = max(part["error"] for part in found.values())
            lines.append(f"{name:16} {layer:5} {''.join(shares)}{worst:17.1e}")
    return "\n".join(lines)

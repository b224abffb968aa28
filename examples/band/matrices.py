# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the matrices come from: the attentions of a character model
(examples/charlm), or a file."""

import os
import re
import subprocess
import sys
import zipfile

import numpy as np

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
CHARLM = os.path.join(EXAMPLES, "charlm")
sys.path += [CHARLM, os.path.join(EXAMPLES, "analysis")]
import graphs  # pylint: disable=C0413
from characters import CONTEXT, EDITIONS, encode, held_out, windows  # pylint: disable=C0413,W0611

# An attention that returns its weights: its result, its third operand and their types.
ATTENTION = re.compile(
    r"^    (?P<pooled>%\w+), %weights\d+ = attn\.\w+ %\w+, %\w+, (?P<value>%\w+) .*?"
    r"(?P<value_type>tensor<\S+>)\) -> (?P<pooled_type>tensor<\S+>) weights ",
    re.MULTILINE | re.DOTALL)

TEXTS = windows(encode(held_out()))[0]


class Failure(Exception):
    """A failure, told in one sentence."""


def call(command):
    """The output of a command; Failure where it fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False, encoding="utf-8")
    except OSError as error:
        raise Failure(f"cannot run '{command[0]}': {error.strerror}") from error
    if done.returncode:
        raise Failure(f"'{os.path.basename(command[0])}' failed")
    return done.stdout


def with_values(text):
    """A graph that returns weights, returning also the values that each attention
    pools, as `values0`, ..., and what it makes of them, as `pooled0`, ... ."""
    names, kinds = [], []
    for layer, op in enumerate(ATTENTION.finditer(text)):
        for what in ("value", "pooled"):
            names.append((op[what], f"{what}{layer}"))
            kinds.append(op[what + "_type"])
    declared = "".join(f', {kind} {{attn.name = "{name}", attn.dims = ["B", "N"]}}'
                       for (_, name), kind in zip(names, kinds))
    text = re.sub(r"\) \{$", lambda m: declared + m[0], text, count=1, flags=re.MULTILINE)
    return re.sub(r"^    return ([^:]*) : (.*)$",
                  lambda m: (f"    return {m[1]}{''.join(', ' + value for value, _ in names)} : "
                             f"{', '.join([m[2], *kinds])}"), text, flags=re.MULTILINE)


def of_model(edition, texts, length, tools, out):
    """Each layer of an edition on the first characters of held-out texts, as (weights
    [T,H,N,N], values [T,H,N,E], pooled values [T,H,N,E]); leaves files in `out`."""
    os.makedirs(out)
    graph, library, tokens = (os.path.join(out, name)
                              for name in ("graph.mlir", "graph.so", "tokens.npy"))
    source = os.path.join(CHARLM, edition + ".mlir")
    inlined = call(graphs.inlining(os.path.join(tools, "mixattn-opt"), source))
    text, layers = graphs.with_weights(graphs.only(inlined, edition))
    with open(graph, "w", encoding="utf-8") as file:
        file.write(with_values(text))
    call([os.path.join(tools, "mixattn-compile"), graph, "-o", library])
    np.save(tokens, TEXTS[:texts, :length])
    names = [f"{what}{layer}" for layer in range(layers)
             for what in ("weights", "value", "pooled")]
    call([os.path.join(tools, "mixattn-run"), library, "--input=tokens=" + tokens,
          "--weights=" + os.path.join(CHARLM, "weights", edition + ".safetensors")]
         + [f"--output={name}={os.path.join(out, name + '.npy')}" for name in names])
    arrays = [np.load(os.path.join(out, name + ".npy")) for name in names]
    return list(zip(arrays[0::3], arrays[1::3], arrays[2::3]))


def of_file(name):
    """The matrices of an .npy file as [T,H,N,N]; it may lack T, and H."""
    try:
        matrices = np.load(name, allow_pickle=False)
    except OSError as error:
        raise Failure(f"cannot read '{name}': {error.strerror or 'not an .npy file'}") from error
    except (ValueError, EOFError, MemoryError, zipfile.BadZipFile) as error:
        raise Failure(f"cannot read '{name}': not an .npy file of numbers") from error
    if not isinstance(matrices, np.ndarray):
        raise Failure(f"cannot read '{name}': expected one array, but got an archive")
    if matrices.dtype.kind != "f":
        raise Failure(f"'{name}': expected floats, but got {matrices.dtype}")
    if not 2 <= matrices.ndim <= 4 or matrices.shape[-1] != matrices.shape[-2] or not matrices.size:
        shape = ", ".join(map(str, matrices.shape))
        raise Failure(f"'{name}': expected square matrices [T,H,N,N], [H,N,N] or [N,N], "
                      f"but got [{shape}]")
    if not np.isfinite(matrices).all():
        raise Failure(f"'{name}': expected finite numbers, but got "
                      f"{matrices[~np.isfinite(matrices)][0]}")
    return matrices.reshape((1,) * (4 - matrices.ndim) + matrices.shape)

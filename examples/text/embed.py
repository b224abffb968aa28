# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the inputs of an attention layer from a text: embed.py TEXT OUT.npz.

Each character gets an embedding, and its position is added as sines and
cosines; seeded projections give queries, keys and values of 8 heads of 64
features. Two passages of the text make the batch. The mixer is the identity
plus noise: every head keeps most of itself. The same text gives the same
bytes.
"""

import sys

import numpy as np

BATCH, LENGTH, HEADS, FEATURES = 2, 197, 8, 64
MODEL = HEADS * FEATURES


def positions():
    """Sines and cosines of falling frequency, [LENGTH, MODEL]."""
    angle = np.arange(LENGTH)[:, None] / 10000 ** (np.arange(0, MODEL, 2) / MODEL)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(LENGTH, MODEL)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: embed.py TEXT OUT.npz")
    with open(sys.argv[1], "rb") as file:
        text = file.read()
    if len(text) < BATCH * LENGTH:
        sys.exit(f"embed.py: error: expected at least {BATCH * LENGTH} characters, "
                 f"but got {len(text)}")
    characters = np.frombuffer(text[: BATCH * LENGTH], np.uint8)

    random = np.random.default_rng(1)
    table = random.standard_normal((256, MODEL))
    hidden = table[characters.reshape(BATCH, LENGTH)] + positions()
    tensors = {}
    for name in "qkv":
        weight = random.standard_normal((MODEL, MODEL)) / np.sqrt(MODEL)
        heads = (hidden @ weight).reshape(BATCH, LENGTH, HEADS, FEATURES)
        tensors[name] = heads.transpose(0, 2, 1, 3).astype(np.float32)
    noise = random.standard_normal((HEADS, HEADS))
    tensors["mixer"] = (np.eye(HEADS) + 0.2 * noise).astype(np.float32)
    np.savez(sys.argv[2], **{name: np.ascontiguousarray(t) for name, t in tensors.items()})


main()

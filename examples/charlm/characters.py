# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that train.py and run.py share: the alphabet, the held-out text, bits."""

import os

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
EDITIONS = ("mixture_of_keys", "admixture_heads", "mix_heads")
CONTEXT = 128
# The line feed is 0, the printable characters from space to tilde follow.
ALPHABET = "\n" + "".join(map(chr, range(32, 127)))


def encode(text):
    """The tokens of a text, int64."""
    return np.array([ALPHABET.index(c) for c in text], np.int64)


def decode(tokens):
    """The text of tokens."""
    return "".join(ALPHABET[t] for t in tokens)


def path(*names):
    """The path of a file of this folder."""
    return os.path.join(FOLDER, *names)


def held_out():
    """The text that no model was trained on."""
    with open(path("heldout.txt"), encoding="ascii") as file:
        return file.read()


def windows(tokens):
    """Neighbouring windows of CONTEXT tokens, and the token that follows each
    token: inputs and targets, [windows, CONTEXT]; a shorter rest is left out."""
    end = (len(tokens) - 1) // CONTEXT * CONTEXT
    return (tokens[:end].reshape(-1, CONTEXT), tokens[1 : end + 1].reshape(-1, CONTEXT))


def bits_per_window(logits, targets):
    """Mean over each window of -log2 of the probability of its targets."""
    logits = logits.astype(np.float64)
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_sum = np.log(np.exp(logits).sum(axis=-1))
    chosen = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return (log_sum - chosen).mean(axis=-1) / np.log(2)

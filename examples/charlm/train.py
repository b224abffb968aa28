# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the three editions of the character model with PyTorch.

  train.py [EDITION …]      trains, writes weights/ and recorded/
  train.py --verify         recomputes what is recorded from the weights

The text is The Devil's Dictionary from Debian's package dict-devil; what is
not installed is fetched with apt. heldout.txt is its end, kept out of training.
"""

import argparse
import collections
import glob
import gzip
import json
import math
import os
import subprocess
import tempfile
import time

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from characters import (ALPHABET, CONTEXT, EDITIONS, bits_per_window, decode, encode, held_out,
                        path, windows)
from model import forward, initial, shapes

PACKAGE, DICTIONARY = "dict-devil", "usr/share/dictd/devil.dict.dz"
FIRST_WORDS, LAST_WORDS = "ABASEMENT, n.", "horn every two years.\n"
STEPS, WARM_UP, BATCH, RATE, DROPOUT = 2500, 100, 16, 3e-3, 0.1
DECAY, DECAYED = 0.1, 8192  # weight decay, of parameters with so many elements or more
GREEDY, LEAST_GAP = 200, 2e-3
MARGIN = 0.3  # bits per character below the model of order 2


def train(edition, text):
    """The trained parameters, by name."""
    torch.manual_seed(1)
    tokens = torch.from_numpy(encode(text))
    parameters = {}
    for name, shape in shapes(edition).items():
        name_in_layer = name.split("_", 1)[1] if name.startswith("layer") else name
        parameters[name] = initial(name_in_layer, shape).requires_grad_()
    matrices = [p for p in parameters.values() if p.numel() >= DECAYED]
    others = [p for p in parameters.values() if p.numel() < DECAYED]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}],
        betas=(0.9, 0.98))
    begin = time.monotonic()
    for step in range(STEPS):
        rate = RATE * min((step + 1) / WARM_UP,
                          0.02 + 0.98 * (1 + math.cos(math.pi * step / STEPS)) / 2)
        for group in optimizer.param_groups:
            group["lr"] = rate
        starts = torch.randint(len(tokens) - CONTEXT, (BATCH, 1))
        piece = tokens[starts + torch.arange(CONTEXT + 1)]
        logits = forward(edition, parameters, piece[:, :-1], DROPOUT)
        loss = cross_entropy(logits.flatten(0, 1), piece[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters.values(), 1.0)
        optimizer.step()
        if step % 100 == 99:
            print(f"{edition}: step {step + 1} of {STEPS}, {loss / math.log(2):.3f} bits, "
                  f"{time.monotonic() - begin:.0f} s", flush=True)
    return {name: value.detach() for name, value in parameters.items()}


# The recorded values. Everything is computed in double precision, so that the values
# that a compiled model is compared with carry no rounding of their own.

class Evaluated:
    """The results of a model on the held-out text."""

    def __init__(self, edition, parameters):
        self.edition = edition
        self.parameters = {name: value.double() for name, value in parameters.items()}
        inputs, targets = windows(encode(held_out()))
        logits = np.concatenate([self.logits(inputs[i : i + 16])
                                 for i in range(0, len(inputs), 16)])
        self.bits = bits_per_window(logits, targets)
        self.first_logits = logits[:1].astype(np.float32)

    @torch.no_grad()
    def logits(self, tokens):
        return forward(self.edition, self.parameters, torch.from_numpy(tokens)).numpy()

    def write(self, prompt):
        """GREEDY characters after `prompt`, each the likeliest after all before, and
        the smallest gap between the two likeliest."""
        tokens, gap = list(encode(prompt)), math.inf
        for _ in range(GREEDY):
            logits = self.logits(np.array([tokens]))[0, -1]
            second, first = np.sort(logits)[-2:]
            gap = min(gap, float(first - second))
            tokens.append(int(logits.argmax()))
        return decode(tokens[len(prompt):]), gap


def prompts():
    """The beginnings of the entries of nouns in the held-out text."""
    for line in held_out().split("\n"):
        word, comma, rest = line.partition(", n.  ")
        if comma and word.isupper():
            yield word + comma


def record(edition, parameters, order2):
    """Checks a trained model and writes its files."""
    evaluated = Evaluated(edition, parameters)
    bits = evaluated.bits.mean()
    assert bits <= order2 - MARGIN, (bits, order2)
    for prompt in prompts():
        text, gap = evaluated.write(prompt)
        if gap > LEAST_GAP:
            break
    assert gap > LEAST_GAP, "every prompt leads to a text with a near tie"
    save(path("weights", edition + ".safetensors"), parameters)
    np.save(path("recorded", edition + ".npy"), evaluated.first_logits)
    figures = {"bits": round(bits, 6), "order2_bits": round(order2, 6),
               "prompt": prompt, "text": text, "least_gap": round(gap, 6),
               "bits_of_windows": [round(b, 6) for b in evaluated.bits]}
    with open(path("recorded", edition + ".json"), "w", encoding="ascii") as file:
        file.write(json.dumps(figures, indent=1) + "\n")
    print(f"{edition}: {bits:.4f} bits per character, order 2 {order2:.4f}, "
          f"gap {gap:.4f}\n{prompt}{text}", flush=True)


def verify(edition):
    """Recomputes what is recorded from the weights."""
    with open(path("recorded", edition + ".json"), encoding="ascii") as file:
        figures = json.load(file)
    evaluated = Evaluated(edition, load(path("weights", edition + ".safetensors")))
    error = np.abs(evaluated.first_logits - np.load(path("recorded", edition + ".npy"))).max()
    text, gap = evaluated.write(figures["prompt"])
    bits = evaluated.bits.mean()
    assert abs(bits - figures["bits"]) < 1e-5, (bits, figures["bits"])
    assert np.abs(evaluated.bits - figures["bits_of_windows"]).max() < 1e-5
    assert bits <= figures["order2_bits"] - MARGIN, (bits, figures["order2_bits"])
    assert error < 1e-5, f"logits differ by {error}"
    assert text == figures["text"] and gap > LEAST_GAP, (text, gap)
    print(f"{edition}: {bits:.4f} bits per character, logits within {error:.1e}, "
          f"{GREEDY} characters equal")


# Texts and files.

def dictionary():
    """The dictionary's text, from the first entry to the last."""
    def read(name):
        with gzip.open(name, "rt", encoding="ascii") as file:
            text = file.read()
        return text[text.index(FIRST_WORDS) : text.index(LAST_WORDS) + len(LAST_WORDS)]

    if os.path.exists("/" + DICTIONARY):
        return read("/" + DICTIONARY)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["apt-get", "download", PACKAGE], cwd=folder, check=True)
        package = glob.glob(os.path.join(folder, "*.deb"))[0]
        subprocess.run(["dpkg", "-x", package, folder], check=True)
        return read(os.path.join(folder, DICTIONARY))


def order2_bits(text, unseen):
    """Bits per character of a model that knows the two characters before, on
    the characters that the models are measured on: counts of orders 2, 1 and 0,
    each smoothed by the next (Witten and Bell), the last by equal chances."""
    counts = [collections.defaultdict(collections.Counter) for _ in range(3)]
    for i, character in enumerate(text):
        for order in range(min(i, 2) + 1):
            counts[order][text[i - order : i]][character] += 1
    measured = windows(encode(unseen))[1].size
    bits = 0.0
    for i in range(1, measured + 1):
        chance = 1 / len(ALPHABET)
        for order in range(min(i, 2) + 1):
            seen = counts[order].get(unseen[i - order : i])
            if seen:
                kinds = len(seen)
                chance = (seen[unseen[i]] + kinds * chance) / (seen.total() + kinds)
        bits -= math.log2(chance)
    return bits / measured


def save(name, tensors):
    """Writes f32 tensors as safetensors."""
    header, end = {}, 0
    for key, value in tensors.items():
        begin, end = end, end + 4 * value.numel()
        header[key] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(name, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for value in tensors.values():
            file.write(value.contiguous().numpy().astype("<f4").tobytes())


def load(name):
    """Reads what save() wrote."""
    with open(name, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    return {key: torch.tensor(np.frombuffer(data[slice(*entry["data_offsets"])], "<f4")
                              .reshape(entry["shape"])) for key, entry in header.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--verify", action="store_true", help="recompute what is recorded")
    parser.add_argument("editions", nargs="*", metavar="EDITION", help=" ".join(EDITIONS))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    editions = arguments.editions or EDITIONS
    if arguments.verify:
        for edition in editions:
            verify(edition)
        return
    text = dictionary()
    unseen = held_out()
    assert text.endswith(unseen), "heldout.txt is not the end of the dictionary"
    seen = text.removesuffix(unseen)
    order2 = order2_bits(seen, unseen)
    for edition in editions:
        record(edition, train(edition, seen), order2)


main()

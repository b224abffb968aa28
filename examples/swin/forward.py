# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Swin-T and Swin-T with Hard GFiSH in NumPy, window by window, head by head, in
double precision: what the compiled graph is compared with."""

import math

import numpy as np

WINDOW, SHIFT = 7, 3
# Query below and right of key, as a row of the table of biases.
ROWS, COLUMNS = np.divmod(np.arange(WINDOW**2), WINDOW)
DISTANCE = ((ROWS[:, None] - ROWS + WINDOW - 1) * (2 * WINDOW - 1)
            + COLUMNS[:, None] - COLUMNS + WINDOW - 1)
erf = np.frompyfunc(math.erf, 1, 1)


class Weights:
    """Those whose names begin with a prefix."""

    def __init__(self, values, prefix=""):
        self.values, self.prefix = values, prefix

    def __getitem__(self, name):
        return self.values[self.prefix + name]

    def __contains__(self, name):
        return self.prefix + name in self.values

    def of(self, part):
        return Weights(self.values, self.prefix + part + "_")


def layer_norm(x, w, name="norm"):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * w[name + "_gain"] + w[name + "_bias"]


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(x, w, mask):
    """One window [49,F]; `mask` [49,49] is added to the scores of all heads."""
    heads = range(w["wq"].shape[1])
    scores = np.stack([(x @ w["wq"][:, k] + w["bq"][k]) @ (x @ w["wk"][:, k] + w["bk"][k]).T
                       for k in heads]) / math.sqrt(w["wq"].shape[2])
    if "mixer_w1" in w:
        hidden = np.tensordot(w["mixer_w1"].T, scores, 1) + w["mixer_b1"][:, None, None]
        scores = (np.tensordot(w["mixer_w2"].T, np.maximum(hidden, 0), 1)
                  + w["mixer_b2"][:, None, None])
    y = w["bo"]
    for h, score in enumerate(scores):
        weights = softmax(score + w["table"][:, h][DISTANCE] + mask)
        y = y + weights @ (x @ w["wv"][:, h] + w["bv"][h]) @ w["wo"][h]
    return y


def perceptron(x, w):
    hidden = x @ w["w1"] + w["b1"]
    active = hidden * (1 + erf(hidden / math.sqrt(2)).astype(float)) / 2
    return active @ w["w2"] + w["b2"]


def parts(size):
    """Numbers the parts of an image that has been rolled."""
    labels = np.zeros((size, size))
    ends = (slice(0, -WINDOW), slice(-WINDOW, -SHIFT), slice(-SHIFT, None))
    for number, (rows, columns) in enumerate((r, c) for r in ends for c in ends):
        labels[rows, columns] = number
    return labels


def block(x, w, shift):
    """One image [Y,X,F]."""
    size = len(x)
    y = np.roll(layer_norm(x, w, "norm1"), (-shift, -shift), (0, 1))
    labels = parts(size) if shift else np.zeros((size, size))
    change = np.empty_like(y)
    for top in range(0, size, WINDOW):
        for left in range(0, size, WINDOW):
            window = slice(top, top + WINDOW), slice(left, left + WINDOW)
            own = labels[window].ravel()
            mask = np.where(own[:, None] == own, 0.0, -100.0)
            attended = attention(y[window].reshape(WINDOW**2, -1), w, mask)
            change[window] = attended.reshape(WINDOW, WINDOW, -1)
    x = x + np.roll(change, (shift, shift), (0, 1))
    return x + perceptron(layer_norm(x, w, "norm2"), w)


def merge(x, w):
    x = np.concatenate([x[0::2, 0::2], x[1::2, 0::2], x[0::2, 1::2], x[1::2, 1::2]], axis=-1)
    return layer_norm(x, w) @ w["w"]


def embedding(image, w):
    rows = [[image[:, y : y + 4, x : x + 4].ravel() for x in range(0, image.shape[2], 4)]
            for y in range(0, image.shape[1], 4)]
    x = np.array(rows) @ w["w"].reshape(-1, w["w"].shape[-1]) + w["bias"]
    return layer_norm(x, w)


def forward(values, depths):
    """Images [N,3,Y,X] and weights to logits; `depths` says how many blocks a
    stage has."""
    w = Weights({name: value.astype(np.float64) for name, value in values.items()})
    logits = []
    for image in w["images"]:
        x = embedding(image, w.of("embedding"))
        for stage, depth in enumerate(depths, 1):
            for number in range(1, depth + 1):
                shifts = number % 2 == 0 and len(x) > WINDOW
                x = block(x, w.of(f"stage{stage}_block{number}"), SHIFT if shifts else 0)
            if stage < len(depths):
                x = merge(x, w.of(f"stage{stage}_merge"))
        mean = layer_norm(x, w).mean(axis=(0, 1))
        logits.append(mean @ w["classifier_w"] + w["classifier_bias"])
    return np.stack(logits)

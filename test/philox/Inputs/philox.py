# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The noise of mixattn-philox against NumPy: words exactly, floats in double.

philox.py write FOLDER: the arguments of the entries of entries.mlir.
philox.py check FOLDER: one line for each claim, with the figure measured.
"""

import sys

import numpy as np

# Random123's known answers: counter, key, words.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2,
     (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]
# In units in the last place of the exact value.
LARGEST = {"radius": 0.9, "cos": 0.7, "sin": 0.7, "normals": 3.2}
SEED, OFFSET = -0x123456789ABCDEF, 5 << 32 | 0xFEDCBA98
SHAPE = (2, 3, 5, 11)


def philox(counter, key):
    """Philox4x32-10 on arrays of uint64 that hold 32 bits."""
    low = np.uint64(0xFFFFFFFF)
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        a = c0 * np.uint64(0xD2511F53)
        b = c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = ((b >> np.uint64(32)) ^ c1 ^ k0, b & low,
                          (a >> np.uint64(32)) ^ c3 ^ k1, a & low)
        k0 = k0 + np.uint64(0x9E3779B9) & low
        k1 = k1 + np.uint64(0xBB67AE85) & low
    return c0, c1, c2, c3


def exact_factors(word):
    """sqrt(-2 ln u), cos 2 pi u and sin 2 pi u in double; the angle is reduced
    to an eighth of a turn exactly, in integers of 2^-24 turns."""
    n = word.astype(np.int64) >> 9
    n = 2 * n + 1
    quarter = n + 2**21 >> 22
    angle = 2 * np.pi * ((n - (quarter << 22)) * 2.0**-24)
    c, s = np.cos(angle), np.sin(angle)
    return {"radius": np.sqrt(-2 * np.log(n * 2.0**-24)),
            "cos": np.choose(quarter & 3, [c, -s, -c, s]),
            "sin": np.choose(quarter & 3, [s, c, -s, -c])}


def units(got, exact):
    """The largest |got - exact| in units in the last place of f32."""
    unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    worst = (np.abs(got.astype(np.float64) - exact) / unit).max()
    return np.inf if np.isnan(worst) else worst


def write(folder):
    random = np.random.default_rng(0)
    words = lambda shape: random.integers(2**32, size=shape)
    columns = np.array([counter + key for counter, key, _ in KNOWN]).T
    columns = np.concatenate([columns, words((6, 2**16))], axis=1)
    # Every u once, each with other low bits, which do not count.
    every = (np.arange(2**23) << 9) + random.integers(2**9, size=2**23)
    arguments = {
        "words": dict(zip(("c0", "c1", "c2", "c3", "k0", "k1"), columns)),
        "factors": {"word": every},
        "normals_of_words": dict(zip(("w0", "w1", "w2", "w3"), words((4, 2**20)))),
    }
    for entry, arrays in arguments.items():
        np.savez(f"{folder}/{entry}.npz", **{
            name: values.astype(np.uint32).view(np.int32) for name, values in arrays.items()})
    np.savez(f"{folder}/noise.npz", seed=np.int64(SEED), offset=np.int64(OFFSET))


class Checks:
    def __init__(self, folder):
        self.folder = folder
        self.bad = 0

    def load(self, entry):
        """An entry's arguments and what it gave; integers as words."""
        both = {}
        for name in entry, entry + ".out":
            both.update(np.load(f"{self.folder}/{name}.npz"))
        return {name: values.view(np.uint32) if values.dtype == np.int32 else values
                for name, values in both.items()}

    def say(self, holds, text):
        self.bad += not holds
        print(("ok: " if holds else "BAD: ") + text)

    def within(self, name, figure, limit):
        self.say(figure <= limit, f"{name} within {limit} units ({figure:.3f})")

    def words(self):
        data = {name: words.astype(np.uint64) for name, words in self.load("words").items()}
        got = np.array([data[name] for name in ("w0", "w1", "w2", "w3")])
        known = np.array([words for _, _, words in KNOWN], dtype=np.uint64).T
        self.say((got[:, :len(KNOWN)] == known).all(), "known answers")
        want = philox([data[name] for name in ("c0", "c1", "c2", "c3")],
                      (data["k0"], data["k1"]))
        self.say((got == np.array(want)).all(), f"words of {got.shape[1]} blocks")

    def factors(self):
        got = self.load("factors")
        exact = exact_factors(got["word"])
        self.say(len(np.unique(got["word"] >> 9)) == 2**23, "every u")
        for name in exact:
            self.within(name, units(got[name], exact[name]), LARGEST[name])
        for name in ("cos", "sin"):
            figure = bound(got["radius"], exact["radius"], got[name], exact[name])
            self.within(f"every radius times every {name}", figure, LARGEST["normals"])

    def normals(self):
        data = self.load("normals_of_words")
        exact = []
        for pair in ("w0", "w1"), ("w2", "w3"):
            r = exact_factors(data[pair[0]])["radius"]
            angle = exact_factors(data[pair[1]])
            exact += [r * angle["cos"], r * angle["sin"]]
        got = [data[name] for name in ("z0", "z1", "z2", "z3")]
        figure = max(map(units, got, exact))
        self.within(f"normals of {got[0].size} blocks", figure, LARGEST["normals"])

    def noise(self):
        b, h, i, j = (x.astype(np.uint64) for x in np.indices(SHAPE))
        word = lambda number: np.full(SHAPE, number & 0xFFFFFFFF, dtype=np.uint64)
        words = philox((j // 4, i, b * SHAPE[1] + h, word(OFFSET)),
                       (word(SEED), word(SEED >> 32)))
        turn = (j % 4).astype(int)
        r = exact_factors(np.choose(turn // 2, [words[0], words[2]]))["radius"]
        angle = exact_factors(np.choose(turn // 2, [words[1], words[3]]))
        exact = r * np.where(turn % 2, angle["sin"], angle["cos"])
        self.within("noise of every place", units(self.load("noise")["z"], exact), LARGEST["normals"])


def by_mantissa(got, exact, bins=256):
    """For each of equal parts of [1, 2): the least and greatest relative error
    of what has its exact mantissa there; (inf, -inf) where nothing has."""
    mantissa = np.frexp(np.abs(exact))[0] * 2
    part = ((mantissa - 1) * bins).astype(int)
    error = (got.astype(np.float64) - exact) / exact
    least, greatest = np.full(bins, np.inf), np.full(bins, -np.inf)
    np.minimum.at(least, part, error)
    np.maximum.at(greatest, part, error)
    return least, greatest


def bound(got_a, exact_a, got_b, exact_b):
    """No rounded product of an a and a b errs by more, in units in the last
    place of the exact product.

    With relative errors x and y of a and b that of the product is x + y + x y.
    A unit is 2^-23 of the exact product's power of two; the rounding adds half
    a unit, a whole one where the rounded product is in the next binade.
    """
    edges = 1 + np.arange(257) / 256
    least_a, greatest_a = by_mantissa(got_a, exact_a)
    least_b, greatest_b = by_mantissa(got_b, exact_b)
    with np.errstate(invalid="ignore"):
        error = np.maximum(np.add.outer(greatest_a, greatest_b),
                           -np.add.outer(least_a, least_b))
    error = np.where(np.isfinite(error), error * (1 + 2.0**-20), 0) + 2.0**-45
    low, high = np.multiply.outer(edges[:-1], edges[:-1]), np.multiply.outer(edges[1:], edges[1:])
    is_upper = low >= 2
    may_cross = np.where(is_upper, high >= 4 - 2.0**-19, (low < 2) & (high >= 2 - 2.0**-19))
    mantissa = np.where(is_upper, np.minimum(high / 2, 2), np.minimum(high, 2))
    return (error * mantissa * 2**23 + np.where(may_cross, 1, 0.5)).max()


def main():
    action, folder = sys.argv[1:]
    if action == "write":
        write(folder)
        return 0
    checks = Checks(folder)
    checks.words()
    checks.factors()
    checks.normals()
    checks.noise()
    return 1 if checks.bad else 0


if __name__ == "__main__":
    sys.exit(main())

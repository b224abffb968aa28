# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the oracle's Philox4x32-10 against the known answers of Random123."""

import sys

import numpy as np

from oracle import philox

# Counter, key, words.
ANSWERS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def parsed(text):
    return [np.uint64(int(word, 16)) for word in text.split()]


def main():
    bad = 0
    for counter, key, answer in ANSWERS:
        actual = philox.words(parsed(counter), parsed(key))
        if list(actual) != parsed(answer):
            bad += 1
            print(f"{counter} | {key}: expected {answer}, but got",
                  *(f"{int(word):08x}" for word in actual))
    numbers = philox.normals(-5, 2**40 + 3, (2, 3, 50, 401))
    again = philox.normals(2**64 - 5, 3, (2, 3, 50, 401))
    # Far within what 120300 numbers scatter.
    if not (np.array_equal(numbers, again) and abs(numbers.mean()) < 0.02
            and abs(numbers.std() - 1) < 0.02):
        bad += 1
        print("expected standard normal numbers, the same for a seed mod 2^64 "
              "and an offset mod 2^32")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

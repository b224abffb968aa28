# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files that project.py must refuse, and one that it takes:
bad_files.py FOLDER."""

import os
import sys

import numpy as np


def main():
    os.chdir(sys.argv[1])
    good = np.full((4, 4), 0.25)
    np.save("good.npy", good)
    np.save("twice/good.npy", good)
    np.save("integers.npy", np.eye(4, dtype=np.int64))
    np.save("oblong.npy", np.zeros((2, 4, 5)))
    np.save("nothing.npy", np.zeros((0, 4, 4)))
    np.save("infinite.npy", np.where(np.eye(4), np.nan, good))
    np.savez("archive.npz", good=good)
    for name, content in (("text.npy", b"0.5 0.5\n"), ("empty.npy", b""),
                          ("broken.npz", b"PK\3\4broken")):
        with open(name, "wb") as file:
            file.write(content)
    with open("good.npy", "rb") as file, open("short.npy", "wb") as short:
        short.write(file.read()[:-8])


main()

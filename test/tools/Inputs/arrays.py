# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the arrays that the tests of mixattn-run read, good and bad, into the
folder that is named."""

import json
import os
import struct
import sys
import warnings
import zipfile

import numpy as np

folder = sys.argv[1]
random = np.random.default_rng(1)


def path(name):
    return os.path.join(folder, name)


def safetensors(name, index, content):
    text = index if isinstance(index, bytes) else json.dumps(index).encode()
    with open(path(name), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + content)


# Arguments of the entry `attend`, and what it should give.
q = random.standard_normal((2, 2, 3, 4), np.float32)
k = random.standard_normal((2, 1, 5, 4), np.float32)
v = random.standard_normal((2, 1, 5, 3), np.float32)
lengths = np.array([5, 0])
scores = np.where(np.arange(5) < 5, 0.5 * q[:1].astype(float) @ k[:1].swapaxes(2, 3), 0)
weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
o = np.concatenate([weights @ v[:1], np.zeros((1, 2, 3, 3))])
for name in "qkvo":
    np.save(path(name + ".npy"), globals()[name])
np.save(path("lengths.npy"), lengths)
np.savez(path("stored.npz"), q=q, k=k, v=v, lengths=lengths)
np.savez(path("large.npz"), q=q * np.float32(2**21), k=k, v=v, lengths=lengths)
np.savez_compressed(path("deflated.npz"), q=q, k=k, v=v, lengths=lengths)

# Arguments of the entry `double`.
np.save(path("x.npy"), np.array([1.5, -2, 0.25, 7], np.float32))
np.save(path("keep.npy"), np.array([True, False, True, True]))
np.save(path("scalar.npy"), np.array(b"\x80\x3f", "V2"))
np.save(path("count.npy"), np.array([-3, 4], np.int32))
weight_index = {
    "keep": {"dtype": "BOOL", "shape": [4], "data_offsets": [0, 4]},
    "count": {"dtype": "I32", "shape": [2], "data_offsets": [4, 12]},
    "scalar": {"dtype": "BF16", "shape": [], "data_offsets": [12, 14]},
    "other": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [14, 16]},
}
weight_bytes = b"\1\0\1\1" + struct.pack("<ii", -3, 4) + b"\x80\x3f" + b"??"
safetensors("weights.safetensors", weight_index, weight_bytes)

# Bad ones.
np.save(path("q64.npy"), q.astype(float))
np.save(path("q-rank.npy"), q[0])
np.save(path("q-size.npy"), q[..., :3].copy())
np.save(path("q-big.npy"), q.astype(">f4"))
np.save(path("q-fortran.npy"), np.asfortranarray(q))
np.save(path("q-object.npy"), np.array([None]))
np.save(path("q-complex.npy"), np.zeros(2, np.complex64))
np.save(path("k3.npy"), np.concatenate([k, k[:1]]))
np.save(path("lengths9.npy"), np.array([0, 9]))
np.save(path("o-shape.npy"), o[:1])
np.save(path("o-int.npy"), o.astype(np.int32))
np.save(path("o-off.npy"), o * 1.01)
content = open(path("q.npy"), "rb").read()
open(path("q-short.npy"), "wb").write(content[:-1])
open(path("q-long.npy"), "wb").write(content + b"\0")
np.savez(path("surplus.npz"), q=q, mask=q)
with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(path("again.npz"), "w") as pack:
    for _ in range(2):
        pack.writestr("q.npy", content)
with open(path("cut.npz"), "wb") as file:
    file.write(open(path("stored.npz"), "rb").read()[:-30])


def weights_with(name, **changes):
    index = {key: dict(value) for key, value in weight_index.items()}
    index["keep"].update(changes)
    safetensors(name, index, weight_bytes)


weights_with("overlap.safetensors", data_offsets=[0, 5], shape=[5])
weights_with("outside.safetensors", data_offsets=[12, 1 << 62])
weights_with("negative.safetensors", data_offsets=[-4, 0])
safetensors("json.safetensors", b'{"keep": ', b"")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes NAME.pt2 as torch.export.save does: archive.py PROGRAM.json OUT.pt2
[WEIGHTS.safetensors]. The program is what export.py left; without a file of
weights they are drawn.
"""

import json
import struct
import sys
import zipfile

import numpy as np

import draw

# PyTorch's numbers of element types; bf16 are the upper halves of f32.
BF16 = 13
DTYPES = {5: np.int64, 7: np.float32, 12: np.bool_}


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    index = json.loads(data[8 : 8 + length])
    return {name: data[8 + length + each["data_offsets"][0] : 8 + length + each["data_offsets"][1]]
            for name, each in index.items() if name != "__metadata__"}


def weights_of(program):
    """Name, whether it is a constant of the text, and type of each weight."""
    module = program["graph_module"]
    for spec in module["signature"]["input_specs"]:
        for kind, key in (("parameter", "parameter_name"), ("buffer", "buffer_name"),
                          ("tensor_constant", "tensor_constant_name")):
            if kind in spec:
                meta = module["graph"]["tensor_values"][spec[kind]["arg"]["name"]]
                yield spec[kind][key], kind == "tensor_constant", meta


def archive(program, out, given):
    """Writes the archive."""
    config = {"weights": {}, "constants": {}}
    with zipfile.ZipFile(out, "w") as pack:
        def add(name, data):
            pack.writestr(zipfile.ZipInfo("model/" + name), data)

        for number, (name, is_constant, meta) in enumerate(weights_of(program)):
            shape = [size["as_int"] for size in meta["sizes"]]
            if is_constant:
                data = np.array(program["constants"][name], DTYPES[meta["dtype"]]).tobytes()
            elif given:
                data = given[name]
            elif meta["dtype"] == BF16:
                data = (draw.small(name, shape).T.flatten().view(np.uint16)[1::2]).tobytes()
            else:
                # Matrices lie column by column, as transposed parameters do.
                data = draw.floats(name, shape).T.tobytes()
            folder = "constants" if is_constant else "weights"
            strides = [int(np.prod(shape[dim + 1 :])) for dim in range(len(shape))]
            if not given and not is_constant:
                strides = [int(np.prod(shape[:dim])) for dim in range(len(shape))]
            entry = {"path_name": f"weight_{number}", "is_param": not is_constant,
                     "use_pickle": False,
                     "tensor_meta": {"dtype": meta["dtype"], "sizes": meta["sizes"],
                                     "strides": [{"as_int": stride} for stride in strides],
                                     "storage_offset": {"as_int": 0}}}
            config[folder][name] = entry
            add(f"data/{folder}/weight_{number}", data)
        for folder, entries in config.items():
            add(f"data/{folder}/model_{folder}_config.json", json.dumps({"config": entries}))
        add("models/model.json", json.dumps(program))
        add("archive_format", "pt2")
        add("byteorder", "little")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        program = json.load(file)
    archive(program, sys.argv[2], read_safetensors(sys.argv[3]) if len(sys.argv) > 3 else None)


if __name__ == "__main__":
    main()

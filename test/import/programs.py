# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs as torch.export.save writes them, in a few words."""

import json
import os
import zipfile

from compare import refuse

FLOAT, LONG, BOOL = 7, 5, 12


class T:
    """A tensor as an argument."""

    def __init__(self, name):
        self.name = name


class S:
    """An integer that the program computes, as an argument."""

    def __init__(self, name):
        self.name = name


def size(value):
    """A number, the symbol of a dim, or an expression of SymPy."""
    if isinstance(value, int):
        return {"as_int": value}
    if "(" not in value:
        value = f"Symbol('{value}', positive=True, integer=True)"
    return {"as_expr": {"expr_str": value}}


def argument(value):
    if isinstance(value, dict):
        return value
    if value is None:
        return {"as_none": True}
    if isinstance(value, T):
        return {"as_tensor": {"name": value.name}}
    if isinstance(value, S):
        return {"as_sym_int": {"as_name": value.name}}
    if isinstance(value, list) and None in value:
        return {"as_optional_tensors": [{"as_tensor": {"name": each.name}} if each else
                                        {"as_none": True} for each in value]}
    if isinstance(value, list):
        kind = "as_tensors" if value and isinstance(value[0], T) else "as_ints"
        return {kind: [{"name": each.name} if kind == "as_tensors" else each for each in value]}
    kind = {bool: "as_bool", int: "as_int", float: "as_float", str: "as_string"}[type(value)]
    return {kind: value}


def node(target, results=("y",), **arguments):
    """An op at line 7 of model.py."""
    return {
        "target": "torch.ops." + target,
        "name": getattr(results[0], "name", results[0]) if results else target,
        "inputs": [{"name": name, "arg": argument(value), "kind": 1}
                   for name, value in arguments.items()],
        "outputs": [argument(each if isinstance(each, S) else T(each)) for each in results],
        "metadata": {"stack_trace": 'File "model.py", line 7, in forward\n    y = f(x)'},
    }


def program(nodes, tensors=None, inputs=("x",), outputs=("y",), integers=None, weights=(),
            updates=None, buffers=()):
    """`tensors` are types and sizes by name; `updates` are tensors that inputs become."""
    tensors = {"x": (FLOAT, ["B", "N", 6]), "y": (FLOAT, ["B", "N", 6]), **(tensors or {})}
    specs = [{"user_input": {"arg": {"as_tensor": {"name": name}}}} for name in inputs]
    specs += [{"parameter": {"arg": {"name": name}, "parameter_name": name}} for name in weights]
    specs += [{"buffer": {"arg": {"name": name}, "buffer_name": "layer." + name, "persistent": True}}
              for name in buffers]
    written = [{"buffer_mutation": {"arg": {"name": update}, "buffer_name": "layer." + name}}
               if name in buffers else
               {"user_input_mutation": {"arg": {"name": update}, "user_input_name": name}}
               for name, update in (updates or {}).items()]
    return {
        "schema_version": {"major": 8, "minor": 20},
        "graph_module": {
            "graph": {
                "tensor_values": {name: {"dtype": dtype, "sizes": [size(each) for each in sizes]}
                                  for name, (dtype, sizes) in tensors.items()},
                "sym_int_values": {name: size(value) for name, value in (integers or {}).items()},
                "nodes": nodes,
            },
            "signature": {
                "input_specs": specs,
                "output_specs": written + [{"user_output": {"arg": {"as_tensor": {"name": name}}}}
                                           for name in outputs],
            },
        },
    }


def weight(data, sizes, strides, offset=0, dtype=FLOAT, pickled=False):
    """Bytes of a file, and how they are a tensor."""
    return data, {"path_name": "weight_0", "is_param": True, "use_pickle": pickled,
                  "tensor_meta": {"dtype": dtype, "sizes": [{"as_int": each} for each in sizes],
                                  "strides": [{"as_int": each} for each in strides],
                                  "storage_offset": {"as_int": offset}}}


def write(path, members):
    with zipfile.ZipFile(path, "w") as pack:
        for name, data in members.items():
            pack.writestr(zipfile.ZipInfo("model/" + name), data)


def members(made, stored=None):
    """The files of an archive; `stored` are weights by name."""
    result = {"models/model.json": made if isinstance(made, str) else json.dumps(made),
              "byteorder": "little"}
    config = {}
    for name, (data, entry) in (stored or {}).items():
        result["data/weights/weight_0"] = data
        config[name] = entry
    result["data/weights/model_weights_config.json"] = json.dumps({"config": config})
    return result


def refuse_programs(folder, cases):
    """Writes programs to `folder`, and compares what is said of each: files and a sentence, by
    name."""
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    for name, (files, _) in cases.items():
        write(name + ".pt2", files)
    refuse({name + ".pt2": sentence for name, (_, sentence) in cases.items()})

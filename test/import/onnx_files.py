# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX files in a few words, by protobuf's wire format: messages are bytes."""

import struct

import numpy as np

DTYPES = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9,
          "float16": 10, "float64": 11}


def varint(number):
    number = int(number) & 2**64 - 1
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)
    return bytes(data)


def field(number, value):
    """One field: an integer, a float, a text or a message."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, (int, np.integer)):
        return varint(number << 3) + varint(int(value))
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(number, values):
    return b"".join(field(number, value) for value in values)


def pair(key, value):
    return field(1, key) + field(2, value)


def tensor(array, name="", external=None):
    """A TensorProto; `external` are the key and value pairs that say where its bytes lie."""
    array = np.asarray(array)
    head = fields(1, array.shape) + field(2, DTYPES[array.dtype.name]) + field(8, name)
    if external is None:
        return head + field(9, array.tobytes())
    return head + fields(13, [pair(*each) for each in external.items()]) + field(14, 1)


class Ref:
    """The attribute of the function around."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind


def attribute(name, value):
    head = field(1, name)
    if isinstance(value, bytes):
        return head + value
    if isinstance(value, Ref):
        return head + field(21, value.name) + field(20, value.kind)
    if isinstance(value, np.ndarray):
        return head + field(5, tensor(value)) + field(20, 4)
    if isinstance(value, str):
        return head + field(4, value) + field(20, 3)
    if isinstance(value, float):
        return head + field(2, value) + field(20, 1)
    if isinstance(value, (int, bool)):
        return head + field(3, int(value)) + field(20, 2)
    if value and isinstance(value[0], float):
        return head + fields(7, value) + field(20, 6)
    return head + fields(8, value) + field(20, 7)


def node(op, inputs, outputs, name="", domain="", place="", extra=b"", **attributes):
    """A NodeProto; `place` is a line of a Python stack."""
    data = fields(1, inputs) + fields(2, outputs) + field(3, name) + field(4, op)
    data += fields(5, [attribute(*each) for each in attributes.items()])
    data += field(7, domain) if domain else b""
    data += field(9, pair("pkg.torch.onnx.stack_trace", place)) if place else b""
    return data + extra


def value(name, dtype, sizes):
    """A ValueInfoProto; sizes are numbers, names, or None."""
    dims = [field(1, size) if isinstance(size, int) else field(2, size) if size else b""
            for size in sizes]
    kind = field(1, dtype if isinstance(dtype, int) else DTYPES[dtype])
    return field(1, name) + field(2, field(1, kind + field(2, fields(1, dims))))


def function(name, inputs, outputs, nodes, domain="local", attributes=(), otherwise=None,
             opset=20, extra=b""):
    """A FunctionProto; `otherwise` are attributes with the values that they have by default."""
    data = field(1, name) + fields(4, inputs) + fields(5, outputs) + fields(6, attributes)
    data += fields(7, nodes) + field(9, field(2, opset)) + field(10, domain)
    data += fields(11, [attribute(*each) for each in (otherwise or {}).items()])
    return data + extra


def model(nodes, inputs, outputs, initializers=(), opset=20, ir=10, functions=(), extra=b"",
          graph_extra=b""):
    graph = fields(1, nodes) + field(2, "graph") + fields(5, initializers)
    graph += fields(11, inputs) + fields(12, outputs) + graph_extra
    return (field(1, ir) + field(7, graph) + field(8, field(2, opset)) +
            fields(25, functions) + extra)

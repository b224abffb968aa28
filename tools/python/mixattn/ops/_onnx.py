# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators as ONNX nodes of domain mixattn, with their formulas as functions of the model, each made by
PyTorch's own exporter for the clauses and sizes of its node."""

import inspect
from typing import Any, Callable, Dict, List, Optional

import torch

from ._register import LETTERS, OPS, OVERLOADS, SPREAD, Op

DOMAIN = "mixattn"
#: The first version of ONNX's format whose functions have overloads.
IR_VERSION = 10


def _tensors(op: Op) -> List[str]:
    """The arguments that are inputs of a node; the others are its attributes."""
    return [name for name, each in op.__signature__.parameters.items()
            if each.annotation in (torch.Tensor, Optional[torch.Tensor])]


def _symbol(op: Op, overload: str) -> str:
    """How a node is called while PyTorch exports."""
    return f"{op.__name__}.{overload}" if overload else op.__name__


def _schema(op: Op, overload: str) -> Any:
    import onnx
    kinds = onnx.defs.OpSchema
    inputs = _tensors(op)
    types = {bool: "INT", float: "FLOAT", int: "INT", str: "STRING", Optional[float]: "FLOAT", Optional[str]: "STRING",
             Optional[List[int]]: "INTS", Optional[List[float]]: "FLOATS"}
    attributes = [kinds.Attribute(name, getattr(kinds.AttrType, types[each.annotation]), "", required=False)
                  for name, each in op.__signature__.parameters.items() if name not in inputs]
    some = kinds.FormalParameterOption
    parameters = [kinds.FormalParameter(name, f"T{at}", param_option=some.Single if at < 3 else some.Optional)
                  for at, name in enumerate(inputs)]
    outputs = [kinds.FormalParameter(f"o{at}", "T0") for at in range(len(OVERLOADS[overload]))]
    constraints = [(f"T{at}", ["tensor(float)", "tensor(float16)", "tensor(bfloat16)", "tensor(double)", "tensor(bool)",
                               "tensor(int32)", "tensor(int64)"], "") for at in range(len(inputs))]
    return kinds(_symbol(op, overload), DOMAIN, 1, inputs=parameters, outputs=outputs,
                 type_constraints=constraints, attributes=attributes)


def _translation(op: Op, overload: str) -> Callable:
    import onnx
    import onnxscript
    symbol = _symbol(op, overload)
    if not onnx.defs.has(symbol, DOMAIN):
        onnx.defs.register_schema(_schema(op, overload))
    node = onnxscript.values.Opset(DOMAIN, 1)[symbol]
    inputs = _tensors(op)

    def translate(*args, **kwargs):
        given = op.__signature__.bind(*args, **kwargs).arguments
        tensors = [given.get(name) for name in inputs]
        while tensors[-1] is None:
            tensors.pop()
        clauses = {name: int(value) if isinstance(value, bool) else value for name, value in given.items()
                   if name not in inputs and value is not None and value is not False}
        return node(*tensors, **clauses)

    hints = {torch.Tensor: Any, Optional[torch.Tensor]: Any, Optional[float]: float, Optional[str]: str,
             Optional[List[int]]: List[int], Optional[List[float]]: List[float]}
    parameters = [each.replace(annotation=hints.get(each.annotation, each.annotation))
                  for each in op.__signature__.parameters.values()]
    translate.__signature__ = inspect.Signature(parameters)
    translate.__annotations__ = {each.name: each.annotation for each in parameters}
    translate.__name__ = op.__name__
    return translate


def translations() -> Dict[Any, Callable]:
    """The custom_translation_table of torch.onnx.export."""
    return {op.of(overload): _translation(op, overload) for op in OPS.values() for overload in op.overloads}


class _Formula(torch.nn.Module):
    """One call of an operator by its formula."""

    def __init__(self, op: Op, overload: str, names: List[str], clauses: dict) -> None:
        super().__init__()
        self.op, self.overload, self.names, self.clauses = op, overload, names, clauses

    def forward(self, *tensors):
        results = self.op.formula(**dict(zip(self.names, tensors)), **self.clauses)
        results = results if isinstance(results, tuple) else (results,)
        return tuple(results[place] for place in OVERLOADS[self.overload])


def _clauses(op: Op, node: Any) -> dict:
    parameters = op.__signature__.parameters
    return {name: parameters[name].annotation(each.value) if parameters[name].annotation is bool
            else list(each.value) if isinstance(each.value, (list, tuple)) else each.value
            for name, each in node.attributes.items()}


def _dtypes() -> Dict[str, torch.dtype]:
    """By ONNX's names."""
    return {"FLOAT": torch.float32, "DOUBLE": torch.float64, "FLOAT16": torch.float16, "BFLOAT16": torch.bfloat16,
            "BOOL": torch.bool, "INT32": torch.int32, "INT64": torch.int64}


def _equal_sizes(given: Dict[str, Any]) -> Dict[str, Any]:
    """Of dims whose names differ and whose sizes must be equal, one number or one name."""
    letters = {**LETTERS, "key": "B..S." if len(given["key"].shape) == 5 else "B.S."}
    classes: Dict[str, list] = {}
    pairs = [pair for name, shape in letters.items() if name in given for pair in zip(shape, given[name].shape)]
    for name, shape in SPREAD.items():
        if name in given:
            pairs += [pair for pair in zip(reversed(shape), reversed(given[name].shape)) if pair[1] != 1]
    for letter, size in pairs:
        if letter != ".":
            classes.setdefault(letter, []).append(size)
    # Scores have the keys that there are, unless these are projected.
    if "key_projection" not in given:
        classes["S"] += classes.pop("K", [])
    return {str(size): next((each for each in sizes if isinstance(each, int)), str(sizes[0]))
            for sizes in classes.values() for size in sizes if not isinstance(size, int)}


def _examples(node: Any, given: Dict[str, Any]) -> tuple:
    """A tensor like each that a node is given, and their open dims."""
    for value in given.values():
        if value.shape is None or value.dtype is None:
            raise ValueError(f"node '{node.name}': expected tensors of known shapes and types, but '{value.name}' has "
                             "none")
    equal, sizes = _equal_sizes(given), {}
    tensors, opened = [], []
    for value in given.values():
        shape = [each if isinstance(each, int) else equal.get(str(each), str(each)) for each in value.shape]
        # Sizes by which PyTorch tells the dims apart.
        tensors.append(torch.zeros([each if isinstance(each, int) else sizes.setdefault(each, 5 + 6 * len(sizes))
                                    for each in shape], dtype=_dtypes()[value.dtype.name]))
        opened.append({at: torch.export.Dim.DYNAMIC for at, each in enumerate(shape) if not isinstance(each, int)})
    return tuple(tensors), tuple(opened)


def _function(op: Op, overload: str, name: str, node: Any, opset: int) -> Any:
    """The formula of one node."""
    import onnx_ir as ir
    inputs = _tensors(op)
    given = {each: value for each, value in zip(inputs, node.inputs) if value is not None}
    names = list(given)
    tensors, opened = _examples(node, given)
    module = _Formula(op, overload, names, _clauses(op, node)).eval()
    graph = torch.onnx.export(module, tensors, dynamo=True, verbose=False, opset_version=opset, input_names=names,
                              dynamic_shapes=(opened,)).model.graph
    for value in list(graph.initializers.values()):
        constant = ir.Node("", "Constant", [], [ir.AttrTensor("value", value.const_value)])
        ir.convenience.replace_all_uses_with(value, constant.outputs[0])
        graph.insert_before(graph[0], constant)
    graph.initializers.clear()
    # Inputs that a call leaves out keep their places.
    known = {each.name: each for each in graph.inputs}
    graph.inputs[:] = [known.get(each) or ir.Value(name=each) for each in inputs[:len(node.inputs)]]
    attributes = [ir.Attr(key, each.type, None) for key, each in node.attributes.items()]
    return ir.Function(DOMAIN, op.__name__, name, graph=graph, attributes=attributes)


def _key(node: Any) -> tuple:
    """Nodes of one key have one function."""
    return (node.op_type, tuple(sorted((name, str(each.value)) for name, each in node.attributes.items())),
            tuple(each and (each.dtype, str(each.shape)) for each in node.inputs))


def attach(program: Any) -> Any:
    """Gives the nodes of domain mixattn of what torch.onnx.export made their formulas, and returns it.
    After export: an exporter inlines functions that it knows."""
    model = program.model
    made: Dict[tuple, str] = {}
    for node in model.graph.all_nodes():
        if node.domain != DOMAIN:
            continue
        symbol, _, overload = node.op_type.partition(".")
        key = _key(node)
        if key not in made:
            count = sum(each[0] == node.op_type for each in made)
            made[key] = ".".join(filter(None, [overload, str(count + 1) if count else ""]))
            function = _function(OPS[symbol], overload, made[key], node, model.opset_imports[""])
            model.functions[function.identifier()] = function
        node.op_type, node.overload = symbol, made[key]
    if made:
        model.opset_imports[DOMAIN] = 1
        model.ir_version = max(model.ir_version, IR_VERSION)
    return program

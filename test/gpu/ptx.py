# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the text that ptxas gets: one kernel, block by block, in NumPy.

A warp is 32 lanes of every register; lanes whose paths part go on from the
lowest place in the text, until they meet again. Warps of a block run one after
the other, in an order drawn anew after each barrier, as far as the next
barrier: what needs a barrier that is missing reads what is not there yet.
Copies to shared memory land when they are waited for, not before; until then
their place holds NaNs, as does shared memory at the beginning. Accesses out of
bounds, or not aligned, are errors, and so is every instruction that
instructions.py does not know.
"""

import re

import numpy as np

LANES = 32
# Where a lane stands that has returned.
END = 1 << 40
# The first byte of shared memory; that of global memory is far after it.
SHARED = 1 << 10
GLOBAL = 1 << 32

DTYPES = {"pred": np.bool_, "f32": np.float32, "f64": np.float64}
for bits in (8, 16, 32, 64):
    DTYPES |= {f"b{bits}": np.dtype(f"u{bits // 8}"),
               f"u{bits}": np.dtype(f"u{bits // 8}"),
               f"s{bits}": np.dtype(f"i{bits // 8}")}


class PtxError(Exception):
    """A step that no GPU would take, or that this program does not know."""


class Memory:
    """Buffers with addresses: bytes, and nothing between them."""

    def __init__(self, first):
        self.buffers, self.next = [], first

    def add(self, data):
        """Takes `data`, an array of bytes; gives its address."""
        address = self.next
        self.buffers.append((address, data))
        # No access that starts in one buffer ends in another.
        self.next += (data.size + 511) // 256 * 256
        return address

    def places(self, addresses, size, mask):
        """Per buffer that is accessed: its bytes, the lanes, and indices
        [lane, byte]. Lanes are those of `mask`."""
        if (addresses[mask] % size).any():
            raise PtxError(f"an access of {size} bytes that is not aligned")
        left = mask.copy()
        for first, data in self.buffers:
            inside = left & (addresses >= first) & (
                addresses + size <= first + data.size)
            if inside.any():
                begin = (addresses[inside] - first).astype(np.int64)
                yield data, inside, begin[:, None] + np.arange(size)
                left &= ~inside
        if left.any():
            raise PtxError(f"{size} bytes at {int(addresses[left][0]):#x} "
                           "are out of bounds")

    def load(self, addresses, size, mask):
        """Bytes [lane, size]; zeros for lanes outside `mask`."""
        found = np.zeros((LANES, size), np.uint8)
        for data, lanes, at in self.places(addresses, size, mask):
            found[lanes] = data[at]
        return found

    def store(self, addresses, values, mask):
        for data, lanes, at in self.places(addresses, values.shape[1], mask):
            data[at] = values[lanes]


class Warp:
    """The state of 32 lanes."""

    def __init__(self, block, number):
        self.block, self.number = block, number
        self.places = np.zeros(LANES, np.int64)
        self.registers = {}
        # Copies begun, and those committed, group by group.
        self.begun, self.groups = [], []
        self.waits = False

    def read(self, name, dtype):
        if name not in self.registers:
            raise PtxError(f"'{name}' is read before it is written")
        value = self.registers[name]
        if value.itemsize != np.dtype(dtype).itemsize:
            raise PtxError(f"'{name}' holds {8 * value.itemsize} bits")
        return value.view(dtype)

    def type_of(self, name):
        """The unsigned type as wide as the register `name`."""
        return self.block.kernel.types[name.rstrip("0123456789")]

    def write(self, name, value, mask):
        value = np.ascontiguousarray(np.broadcast_to(value, LANES))
        if value.dtype != np.bool_:
            value = value.view(f"u{value.itemsize}")
        if not mask.all():
            old = self.registers.get(name, np.full_like(value, -1))
            value = np.where(mask, value, old)
        self.registers[name] = value

    def land(self, pending):
        """Until at most `pending` groups of copies are under way."""
        while len(self.groups) > pending:
            for addresses, values, mask in self.groups.pop(0):
                self.block.shared.store(addresses, values, mask)


class Block:
    """The state of a block of threads."""

    def __init__(self, kernel, place, grid, memory, parameters):
        self.kernel, self.memory, self.parameters = kernel, memory, parameters
        self.place, self.grid = place, grid
        self.shared = Memory(SHARED)
        self.symbols = {name: self.shared.add(np.full(size, 0xFF, np.uint8))
                        for name, size in kernel.shared}
        self.warps = [Warp(self, i) for i in range(kernel.threads // LANES)]

    def special(self, warp, name):
        """The value of a register such as %tid.x."""
        if name == "%laneid":
            return np.arange(LANES, dtype=np.uint32)
        kind, _, axis = name.partition(".")
        axis = "xyz".index(axis)
        if kind == "%tid":
            first = warp.number * LANES if axis == 0 else 0
            return first + np.arange(LANES, dtype=np.uint32) * (axis == 0)
        values = {"%ctaid": self.place, "%nctaid": self.grid,
                  "%ntid": (self.kernel.threads, 1, 1)}
        return np.full(LANES, values[kind][axis], np.uint32)

    def run(self, rng):
        running = list(self.warps)
        while running:
            for i in rng.permutation(len(running)):
                self.run_warp(running[i])
            running = [warp for warp in running if warp.waits]
            if running and len(running) != len(self.warps):
                raise PtxError("some warps wait for others that have returned")
            for warp in running:
                warp.waits = False
        for warp in self.warps:
            if warp.begun or warp.groups:
                raise PtxError("copies are under way at the end")

    def run_warp(self, warp):
        """As far as the next barrier, or the end."""
        program = self.kernel.program
        with np.errstate(all="ignore"):
            while not warp.waits:
                place = warp.places.min()
                if place == END:
                    return
                mask = warp.places == place
                warp.places[mask] += 1
                guard, run, text = program[place]
                try:
                    if guard:
                        mask &= warp.read(guard[0], np.bool_) ^ guard[1]
                    if mask.any():
                        run(warp, mask)
                except (PtxError, KeyError, ValueError) as failure:
                    raise PtxError(f"{failure}: '{text}'") from failure


class Kernel:
    """A kernel's text, taken apart by `decode`: (opcode, operands, labels) to
    what executes it."""

    def __init__(self, text, decode):
        text = re.sub(r"//.*", "", text)
        entry = re.search(r"\.entry\s+(\w+)\s*\((.*?)\)(.*?)\{(.*)\}", text,
                          re.DOTALL)
        if not entry:
            raise PtxError("there is no kernel")
        self.name = entry[1]
        self.parameters = re.findall(r"(\w+)\s*(?:,|$)", entry[2].strip())
        self.threads = int(re.search(r"\.maxntid\s+(\d+)", entry[3])[1])
        self.shared = [(name, int(size)) for name, size in re.findall(
            r"\.shared\s+\.align\s+\d+\s+\.b8\s+(\w+)\[(\d+)\]", text)]
        # Registers by the letters that their names begin with.
        self.types = {letters: DTYPES[kind] for kind, letters in re.findall(
            r"\.reg\s+\.(\w+)\s+(%[a-z]+)<", entry[4])}
        statements = re.findall(r"\s*(?:(\$\w+)\s*:|([^;]+);)", entry[4])
        lines, labels = [], {}
        for label, statement in statements:
            if label:
                labels[label] = len(lines)
            elif not statement.strip().startswith("."):
                lines.append(" ".join(statement.split()))
        self.program = [self.take_apart(line, labels, decode)
                        for line in lines]

    @staticmethod
    def take_apart(line, labels, decode):
        guard, rest = re.match(r"(?:@(!?%\w+)\s+)?(.*)", line).groups()
        opcode, _, operands = rest.partition(" ")
        operands = re.findall(r"\{[^}]*\}|\[[^]]*\]|[^\s,|]+", operands)
        if guard:
            guard = (guard.lstrip("!"), guard[0] == "!")
        try:
            return guard, decode(opcode, operands, labels), line
        except (PtxError, KeyError, ValueError) as failure:
            raise PtxError(f"{failure}: '{line}'") from failure

    def launch(self, grid, memory, parameters, seed=0):
        """Runs all blocks; `parameters` are numbers in the kernel's order."""
        if len(parameters) != len(self.parameters):
            raise PtxError(f"expected {len(self.parameters)} parameters, but "
                           f"got {len(parameters)}")
        named = dict(zip(self.parameters, parameters))
        rng = np.random.default_rng(seed)
        for z, y, x in np.ndindex(*reversed(grid)):
            Block(self, (x, y, z), grid, memory, named).run(rng)

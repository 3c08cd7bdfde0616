"""Random expressions, as Tailrace's text and as NumPy's value. Sums use math.fsum, which rounds once like Tailrace, so
that both agree to the last bit and conditions never differ."""

import math
import random

import numpy as np


class Tree:
    """A subexpression: its text, and its value with the names of the dims."""

    def __init__(self, text: str, dims: tuple[str, ...], value: np.ndarray):
        self.text, self.dims, self.value = text, dims, value


def common_dims(dims_of: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The dims of the argument with the most dims; a dim of another is inserted after the dim that it follows there, or
    in front."""
    result = list(max(dims_of, key=len))
    for dims in dims_of:
        for i, dim in enumerate(dims):
            if dim not in result:
                result.insert(result.index(dims[i - 1]) + 1 if i else 0, dim)
    return tuple(result)


def spread(tree: Tree, dims: tuple[str, ...]) -> np.ndarray:
    order = [tree.dims.index(dim) for dim in dims if dim in tree.dims]
    shape = iter(tree.value.transpose(order).shape)
    return tree.value.transpose(order).reshape([next(shape) if dim in tree.dims else 1 for dim in dims])


def together(text: str, function, *trees: Tree) -> Tree:
    dims = common_dims([tree.dims for tree in trees])
    value = np.asarray(function(*(spread(tree, dims) for tree in trees)), float)
    return Tree(text.format(*(tree.text for tree in trees)), dims, value)


def rounded_once(values: np.ndarray) -> float:
    try:
        return math.fsum(values)
    except (ValueError, OverflowError):  # with infinities
        return float(np.sum(values))


def reduced(kind: str, tree: Tree, dims: tuple[str, ...]) -> Tree:
    kept = tuple(dim for dim in tree.dims if dim not in dims)
    order = [tree.dims.index(dim) for dim in (*kept, *(dim for dim in tree.dims if dim in dims))]
    lengths = [tree.value.shape[i] for i in order]
    rows = tree.value.transpose(order).reshape(math.prod(lengths[: len(kept)]), -1)
    if kind in ("min", "max"):
        value = getattr(np, kind)(rows, axis=1) + 0.0  # a zero is +0
    else:
        value = np.array([rounded_once(row) for row in rows])
        if kind == "mean":
            value = value / rows.shape[1]
    return Tree(f"{kind}({tree.text}, {', '.join(dims)})", kept, value.reshape(lengths[: len(kept)]))


ONE = {"-({})": np.negative, "abs({})": np.abs, "({}) ** 2": np.square, "sqrt(abs({}))": lambda a: np.sqrt(np.abs(a)),
       "floor({})": np.floor, "isnan({})": np.isnan, "not ({})": np.logical_not, "sign({})": np.sign}  # fmt: skip
TWO = {"({}) + ({})": np.add, "({}) - ({})": np.subtract, "({}) * ({})": np.multiply, "({}) / ({})": np.divide,
       "({}) < ({})": np.less, "({}) >= ({})": np.greater_equal, "({}) == ({})": np.equal,
       "({}) and ({})": np.logical_and, "({}) or ({})": np.logical_or, "minimum({}, {})": np.minimum,
       "maximum({}, {})": np.maximum}  # fmt: skip


def choose(condition, a, b):
    return np.where(condition != 0, a, b)


class Gardener:
    """`leaves`: the fields. The same seed gives the same texts, whatever the values."""

    def __init__(self, seed: int, leaves: list[Tree]):
        self.random = random.Random(seed)
        self.leaves = leaves

    def grow(self, depth: int) -> Tree:
        roll = self.random.random()
        if depth == 0 or roll < 0.08:
            return self.random.choice(self.leaves)
        if roll < 0.16:
            return self.with_number(depth)
        if roll < 0.32:
            text = self.random.choice(list(ONE))
            return together(text, ONE[text], self.grow(depth - 1))
        if roll < 0.70:
            text = self.random.choice(list(TWO))
            return together(text, TWO[text], self.grow(depth - 1), self.grow(depth - 1))
        if roll < 0.76:
            three = [self.grow(depth - 1) for _ in range(3)]
            return together("where({}, {}, {})", choose, *three)
        return self.reduction(depth)

    def with_number(self, depth: int) -> Tree:
        number = self.random.choice([0.5, 2.0, 3.0, -1.25, 0.1])
        text = self.random.choice(list(TWO)[:4])
        return together(text, TWO[text], self.grow(depth - 1), Tree(repr(number), (), np.array(number)))

    def reduction(self, depth: int) -> Tree:
        inner = self.grow(depth - 1)
        if not inner.dims:
            return inner
        dims = tuple(self.random.sample(inner.dims, self.random.randint(1, len(inner.dims))))
        return reduced(self.random.choice(["sum", "mean", "min", "max"]), inner, dims)

"""Names that a source cannot give to things of its own."""

from __future__ import annotations

# Functions of the language: how many arguments they have, and how C writes them.
FUNCTIONS = {
    "min": (2, "stencil_min"), "max": (2, "stencil_max"), "abs": (1, "fabs"), "sqrt": (1, "sqrt"), "exp": (1, "exp"),
    "log": (1, "log"), "sin": (1, "sin"), "cos": (1, "cos"), "pow": (2, "pow"), "sign": (2, "copysign"),
}  # fmt: skip

REDUCTIONS = ("sum", "min", "max")
ENDS = ("bottom", "top")

WORDS = (
    "mesh field temporary parameter constant kernel foreach in let if else given exchange sum upward downward except"
)

# Words of C and C++, whose compilers read the header, macros of C's headers, and names that generated code uses.
RESERVED = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm
    alignas alignof and and_eq bitand bitor bool catch class compl concept consteval constexpr constinit const_cast
    co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept
    not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert static_cast
    template this thread_local throw true try typeid typename typeof using virtual wchar_t xor xor_eq
    NULL INFINITY NAN HUGE_VAL M_E M_PI linux unix
    grid range range_first range_end ptrdiff_t int32_t size_t main malloc free fabs copysign stencil_set
    merge blockIdx blockDim gridDim threadIdx warpSize dim3""".split()  # noqa: SIM905
)

# Attributes of Python's class of a library, which would hide kernels (runtime.py).
METHODS = frozenset("call functions layouts library load mesh size steps store value".split())  # noqa: SIM905


def is_reserved(name: str) -> bool:
    return (
        name in ENDS or name in FUNCTIONS or name in RESERVED or name in WORDS.split()
        or name.startswith(("stencil_", "STENCIL_", "_")) or name.endswith("_at")
    )  # fmt: skip

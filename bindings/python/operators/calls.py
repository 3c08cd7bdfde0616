"""Converts blocks of memory to NumPy arrays and back, in the interpreter of a server. Part of the plugin."""

import gc
import importlib
import importlib.util
import sys
import traceback
import weakref
from pathlib import Path

import numpy

modules = {}
functions = {}
under_way = []  # the name of the operator that runs; a crash leaves it there


def load(path):
    """Loads the module of a file once; it can import its neighbours."""
    path = Path(path).resolve()
    if path not in modules:
        if str(path.parent) not in sys.path:
            sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        known = sys.modules.setdefault(path.stem, module)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            if known is module:
                del sys.modules[path.stem]
            raise
        modules[path] = module
    return modules[path]


def find(path, name):
    function = functions.get((path, name))
    if function is None:
        function = getattr(load(path), name, None)
        if not callable(function):
            raise LookupError(f'{path} has no function "{name}"')
        functions[path, name] = function
    return function


def unmasked(values):
    """Masked values are missing ones, which operators know as NaN; NumPy would drop the mask."""
    if isinstance(values, numpy.ma.MaskedArray) and numpy.ma.is_masked(values):
        return values.astype(numpy.float64).filled(numpy.nan)
    return values


def checked(result, shape):
    result = numpy.asarray(unmasked(result))
    if result.dtype.kind not in "buif":
        raise TypeError(f"it returned values of type {result.dtype}; expected numbers that float64 can hold")
    if result.shape != shape:
        raise ValueError(f"it returned an array of the shape {result.shape}, but {shape} is declared")
    return result


class State(dict):
    """The state of an operator by name: arrays over the server's memory. An assignment copies into the array."""

    def __setitem__(self, name, values):
        self[name][...] = unmasked(values)

    def __missing__(self, name):
        raise KeyError(f'the configuration declares no state "{name}" (known: {", ".join(self)})')


def compute(path, name, inputs, state, output):
    """Runs the function. Returns weak references to the arrays over the server's memory, which must be dead then."""
    function = find(path, name)
    lent = [numpy.frombuffer(memory, numpy.float64) for memory, _ in (*inputs, *state.values())]
    shapes = [shape for _, shape in (*inputs, *state.values())]
    arrays = [array.reshape(shape) for array, shape in zip(lent, shapes, strict=True)]
    kept = State(zip(state, arrays[len(inputs) :], strict=True))
    memory, shape = output
    result = function(*arrays[: len(inputs)], state=kept) if state else function(*arrays)
    numpy.frombuffer(memory, numpy.float64).reshape(shape)[...] = checked(result, shape)
    return [weakref.ref(array) for array in lent]


def reason(error, path):
    """The last line of a traceback, and the last line of the user's file in it."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name == Path(path).name
    ]
    return f"{text} ({frames[-1].filename}:{frames[-1].lineno})" if frames else text


def forget_crash():
    """Releases what a crashed thread, which sleeps indefinitely, was importing: the modules and their locks."""
    if not under_way:
        return
    under_way.clear()
    importlib._bootstrap._module_locks.clear()
    for name, module in list(sys.modules.items()):
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            del sys.modules[name]


def call(path, name, inputs, state, output):
    """Runs an operator. Returns None, or the reason of a failure."""
    forget_crash()
    under_way.append(name)
    try:
        lent = compute(path, name, inputs, state, output)
    except BaseException as error:
        return reason(error, path)
    finally:
        under_way.clear()
    if any(array() is not None for array in lent):
        gc.collect()  # an array in a reference cycle is not kept by anyone
    if any(array() is not None for array in lent):
        return f"{name} keeps an array that it was given, whose memory is used again; it must copy what it keeps"
    return None

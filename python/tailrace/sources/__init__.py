"""The process that reads input in Python: `python -m tailrace.input_source`, which a server starts.

A source has variables (variables.py). It is a Dataset of xarray (dataset.py), the records of a function or a stream as
they come (growing.py), or an ADIOS2 file (bp.py). `opening.py` finds which one a file is, and `server.py` answers the
requests of the protocol in src/input/reader/reader_process.hpp.
"""

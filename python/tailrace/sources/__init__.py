"""The process that reads input in Python: `python -m tailrace.input_source`, which a server starts.

A source has variables (variables.py). It is a Dataset of xarray (dataset.py), the records of a function or a stream as
they come (growing.py), or an ADIOS2 file (bp.py). `opening.py` finds which one a file is, and `server.py` answers the
requests of the protocol in src/input/reader/reader_process.hpp.

A source that grows says `more` when it is opened. Each request `extend` then takes one record from it, and the answer
has the header with the new lengths. So its records come when they are asked for, and a job whose stream waits for its
readers is held back by the model that it feeds. `extend` also says which records are no longer needed.
"""

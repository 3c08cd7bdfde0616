"""A program that reads a stream and prints one line of JSON for each step. sst_reader.py PATH PAUSE MOST"""

import json
import sys
import time

import adios2


def main(path: str, pause: float, most: int) -> None:
    io = adios2.Adios().declare_io("reader")
    io.set_engine("SST")
    io.set_parameters({"OpenTimeoutSecs": "30"})
    with adios2.Stream(io, path, "r") as stream:
        for count, _ in enumerate(stream.steps(), start=1):
            values = stream.read("w")
            line = {
                "step": stream.current_step(),
                "time": stream.read("time").tolist(),
                "w": values.tobytes().hex(),
                "shape": list(values.shape),
                "z": stream.read("z").tolist(),
                "title": stream.read_attribute_string("title"),
                "dims": stream.read_attribute_string("w/__xarray_dimensions__"),
            }
            print(json.dumps(line), flush=True)
            if count == most:
                return
            time.sleep(pause)


main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))

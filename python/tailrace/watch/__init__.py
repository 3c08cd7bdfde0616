"""A run as it goes on: its numbers in the terminal, in a browser and for Prometheus, and pictures of what it wrote.

All of it is read from the files that the run leaves anyway. The run does no work for it and listens on no port.
"""

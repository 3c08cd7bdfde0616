"""The process of an action (`in_situ:` of the configuration): a server starts it, and it calls the user's function.

Two processes, so that nothing that the function does can be felt beyond: the one that the server talks to
(supervisor.py) imports nothing but Python's own library and only keeps the queue, the time and the memory; the one
below it (worker.py) loads the script and calls the function. It is replaced when it fails, and what the function has
started ends with it (group.py).
"""

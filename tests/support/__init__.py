"""Support for the whole-job tests: the harness, the expected values, the readers."""

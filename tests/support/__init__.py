"""What the whole-job tests stand on: the harness, the expected values, the readers."""

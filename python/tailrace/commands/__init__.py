"""The sub-commands of `tailrace`. Each is a few lines; the work is done elsewhere."""

"""Why a request cannot be fulfilled."""


class Refusal(Exception):
    """`trouble`: a word of the protocol, absent, changed or passed; empty for all else."""

    def __init__(self, text: str, trouble: str = ""):
        super().__init__(text)
        self.trouble = trouble

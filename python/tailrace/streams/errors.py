"""The exceptions of streams."""


class StreamError(Exception):
    """The source cannot be read, or lacks a requested field or step."""


class StreamTimeout(StreamError, TimeoutError):
    """No step came within `timeout`; the message names what was waited for."""


class JobEnded(StreamError):
    """The job ended early. All whole records were given before; `outcome` is the reason."""

    def __init__(self, message: str, outcome: str):
        super().__init__(message)
        self.outcome = outcome

"""The exceptions of assay, beside Python's own TypeError and ValueError."""

from __future__ import annotations


class Error(Exception):
    """The base of all of them: the message names the place and the remedy."""


class UsageError(Error, ValueError):
    """Something was asked for that does not exist, or a file or a kernel is bad."""


class UnknownNameError(UsageError, KeyError):
    """There is no function or kernel of that name; the message has near ones."""

    __str__ = Exception.__str__  # KeyError shows the repr


class UnsupportedError(Error, NotImplementedError):
    """A well-formed request that this version of assay cannot serve."""


class LimitError(Error, RuntimeError):
    """A limit on time or memory was reached, or the machine failed."""


class InternalError(Error, RuntimeError):
    """assay itself is wrong; please report it."""


class FindingsError(Error):
    """A run broke rules: raised by `result.check()`.  `result` is the run's."""

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result

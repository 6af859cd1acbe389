"""What goes wrong, as exceptions whose message names the thing, the value and the remedy."""


class ModelError(ValueError):
    """The model, or a value given for it, is not usable."""


class ArgumentError(ModelError):
    """A value given for a run or an export, or by an option of the command line, is not usable."""


class CallError(ModelError, TypeError):
    """A word is called with arguments that it doesn't take, or without those that it needs."""


class SimulationError(RuntimeError):
    """A run stopped early. `result` holds what it had until then."""

    def __init__(self, message: str, result: object = None):
        super().__init__(message)
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. `result` holds what it had until then."""

    def __init__(self, message: str, result: object = None):
        super().__init__(message)
        self.result = result


def one_line(error: BaseException) -> str:
    """Kind and text of an exception on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())

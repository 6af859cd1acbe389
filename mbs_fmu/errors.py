"""What goes wrong, as exceptions whose message names the thing, the value and the remedy."""

from collections.abc import Callable


class Argument:
    """Reference to an argument in a message; the command line shows the option of that argument instead.

    name: of the argument. text: its form in Python, the name by default ("step=", 'fmi="3.0"'). value: what the command
    line shows behind the option.
    """

    def __init__(self, name: str, text: str | None = None, value: str = ""):
        self.name, self.text, self.value = name, text or name, value

    def __str__(self) -> str:
        return self.text


class ModelError(ValueError):
    """The model, or a value given for it, is not usable. `parts` are those of the message, some of them arguments."""

    def __init__(self, *parts: str | Argument):
        super().__init__("".join(map(str, parts)))
        self.parts = parts

    def worded(self, option: Callable[[Argument], str]) -> str:
        """Return the message with `option(argument)` in place of each argument."""
        return "".join(option(part) if isinstance(part, Argument) else part for part in self.parts)


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

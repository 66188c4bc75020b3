"""Mistakes of users as exceptions."""

from __future__ import annotations


class ScenarioError(ValueError):
    """A mistake in a scenario or in an override.

    `message` says what is wrong and what would be right, `field` is the field as an override names it, and
    `file`, `line` and `column` are its place. `line` and `column` are None if the mistake is in an override
    or in the file as a whole.
    """

    message: str
    field: str
    file: str
    line: int | None
    column: int | None

    def __init__(
        self,
        text: str = "",
        /,
        message: str | None = None,
        field: str = "",
        file: str = "",
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(text)
        self.message = text if message is None else message
        self.field, self.file, self.line, self.column = field, file, line, column


ScenarioError.__module__ = "unbloat"

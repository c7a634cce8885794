"""A question of the model as a form of the client, and the form's answer.

A client that shows forms (`elicitation/create`) lets the user choose several options, and answer in
words of their own. What allows something is never asked so: that is `session/request_permission`.
"""

from __future__ import annotations

from typing import Any

from acp import schema

from glossator.core.question import Question, QuestionAnswer

_CHOICE, _WORDS = "choice", "words"
_MOST_WORDS = 10_000  # characters of the user's own words


def suits_form(question: Question) -> bool:
    """Whether a question can be a form: it allows nothing, and has no text to change."""
    return not question.refusal and not question.draft


def form_of(question: Question, session_id: str, call_id: str | None) -> Any:  # noqa: ANN401 - one of the SDK's union
    """The options, of which one or several may be chosen, and a line for other words."""
    options = [
        schema.EnumOption(const=each.label, title=each.label, description=each.detail or None)
        for each in question.options
    ]
    words = schema.ElicitationStringPropertySchema(
        type="string",
        title="In other words" if options else "Your answer",
        max_length=_MOST_WORDS,
    )
    properties: dict[str, Any] = {_WORDS: words}
    if options and question.several:
        items = schema.TitledMultiSelectItems(any_of=options)
        choice: Any = schema.ElicitationMultiSelectPropertySchema(
            type="array", title="Choose", items=items
        )
        properties = {_CHOICE: choice, **properties}
    elif options:
        choice = schema.ElicitationStringPropertySchema(
            type="string", title="Choose", one_of=options
        )
        properties = {_CHOICE: choice, **properties}
    return schema.ElicitationFormSessionMode(
        session_id=session_id,
        tool_call_id=call_id,
        requested_schema=schema.ElicitationSchema(
            type="object", properties=properties, required=None if options else [_WORDS]
        ),
    )


def answer_of(question: Question, response: object) -> QuestionAnswer:
    """What the user chose and said; nothing if they declined. What was no option is left out."""
    if not isinstance(response, schema.AcceptElicitationResponse):
        return QuestionAnswer()
    given = response.content or {}
    choice, words = given.get(_CHOICE), given.get(_WORDS)
    said = choice if isinstance(choice, list) else [choice]
    labels = {each.label for each in question.options}
    chosen = tuple(dict.fromkeys(each for each in said if isinstance(each, str) and each in labels))
    return QuestionAnswer(
        chosen if question.several else chosen[:1],
        words.strip()[:_MOST_WORDS] if isinstance(words, str) else "",
    )

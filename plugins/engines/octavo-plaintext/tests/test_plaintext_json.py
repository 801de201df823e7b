"""JSON and notebooks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from octavo_contracts import SourceCorrupt
from octavo_plaintext.jsontext import depth, lay_out

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


def test_json_is_a_code_block_as_it_was_written(convert):
    text = '{\n    "b": 1,\n    "a": [2, 3]\n}'
    page = convert(text, "application/json").pages[0]
    assert page.markdown == f"```json\n{text}\n```"
    assert page.text == text


def test_a_single_line_is_laid_out_without_touching_a_token(convert):
    page = convert('{"n":1.00000000000000000001,"e":[],"s":"a, {b}: \\"c\\"","n":2}', "application/json").pages[0]
    assert page.text == '{\n  "n": 1.00000000000000000001,\n  "e": [],\n  "s": "a, {b}: \\"c\\"",\n  "n": 2\n}'


@settings(deadline=None)
@given(JSON)
def test_laying_out_changes_nothing_but_space(value):
    text = json.dumps(value)
    assert json.loads(lay_out(text)) == value


def test_a_fence_in_the_json_does_not_end_the_block(convert):
    assert convert('"```"', "application/json").pages[0].markdown == '````json\n"```"\n````'


def test_json_of_a_hundred_thousand_levels_is_kept_as_text(convert):
    text = "[" * 100_000 + "]" * 100_000
    conversion = convert(text, "application/json")
    assert conversion.pages[0].text == text
    assert [warning.code for warning in conversion.warnings] == ["json_not_valid"]
    assert "100000 deep" in conversion.warnings[0].message


def test_brackets_in_strings_are_no_depth():
    assert depth('{"a": "[[[[", "b": [1]}') == 2


@pytest.mark.parametrize("text", ['{"a": ', "{'a': 1}", '[1, 2,, "x"', "[" + "1" * 10_000 + "]"])
def test_invalid_json_is_kept_as_text_with_a_warning(convert, text):
    conversion = convert(text, "application/json")
    assert text in conversion.pages[0].markdown
    assert [warning.code for warning in conversion.warnings] == ["json_not_valid"]


def notebook(*cells, **metadata):
    return json.dumps({"nbformat": 4, "metadata": metadata, "cells": list(cells)})


def test_a_notebook_is_its_cells_in_order(convert):
    text = notebook(
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "Some *text*."]},
        {
            "cell_type": "code",
            "source": 'print("hi")',
            "outputs": [
                {"output_type": "stream", "text": ["hi\n", "\u001b[31mred\u001b[0m\n"]},
                {"output_type": "execute_result", "data": {"text/plain": ["42"], "text/html": "<b>42</b>"}},
                {"output_type": "error", "ename": "E", "evalue": "no", "traceback": []},
            ],
        },
        {"cell_type": "raw", "source": "raw"},
        language_info={"name": "julia"},
    )
    conversion = convert(text, "application/x-ipynb+json")
    assert conversion.pages[0].markdown == (
        '# Title\n\nSome *text*.\n\n```julia\nprint("hi")\n```\n\n```\nhi\nred\n```\n\n```\n42\n```\n\n```\nE: no\n```\n\n```\nraw\n```'
    )
    assert conversion.metadata.title == "Title"
    assert conversion.metadata.fields == {"programming_language": "julia"}
    assert conversion.warnings == ()


def test_outputs_that_are_no_text_are_counted(convert):
    text = notebook(
        {
            "cell_type": "code",
            "source": "",
            "outputs": [{"output_type": "display_data", "data": {"image/png": "eA==", "text/plain": "<Figure>"}}],
        },
        {"cell_type": "markdown", "source": "x", "attachments": {"a.png": {}}},
    )
    conversion = convert(text, "application/x-ipynb+json")
    assert conversion.pages[0].has_images
    assert [warning.code for warning in conversion.warnings] == ["outputs_left_out"]
    assert conversion.warnings[0].message.startswith("2 outputs")


def test_format_3_is_read(convert):
    text = json.dumps(
        {
            "worksheets": [
                {
                    "cells": [
                        {"cell_type": "heading", "level": 2, "source": "Old"},
                        {"cell_type": "code", "input": "1", "outputs": [{"output_type": "pyout", "text": "1"}]},
                    ]
                }
            ]
        }
    )
    assert convert(text, "application/x-ipynb+json").pages[0].markdown == "## Old\n\n```python\n1\n```\n\n```\n1\n```"


@pytest.mark.parametrize(
    ("text", "why"),
    [("[1]", "no object"), ("{}", "no list of cells"), ("{", "not valid JSON"), ("[" * 500 + "]" * 500, "500 deep")],
)
def test_what_is_no_notebook_is_corrupt(convert, text, why):
    with pytest.raises(SourceCorrupt, match=why):
        convert(text, "application/x-ipynb+json")


def test_cells_of_the_wrong_shape_are_passed_over(convert):
    text = json.dumps(
        {
            "cells": [
                7,
                {"cell_type": "code", "source": 5, "outputs": [1]},
                {"cell_type": "code", "source": "x", "outputs": None},
            ],
            "metadata": 3,
        }
    )
    assert convert(text, "application/x-ipynb+json").pages[0].markdown == "```python\nx\n```"

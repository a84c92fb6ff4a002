from __future__ import annotations

import pytest

from agentlab.formats.shapes.content import part_text, plain_text, written
from agentlab.formats.shapes.fields import ShapeError
from agentlab.strictjson import digest, dumps


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("as it is \n", "as it is \n"),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb"),
        (["a", {"text": "b"}], "a\nb"),
        ({"type": "output_text", "text": "a"}, "a"),
        ({"type": "refusal", "refusal": "no"}, "no"),
        ({"type": "text", "content": "a"}, "a"),
        ([{"type": "thing", "size": 3}], '{"type":"thing","size":3}'),
        ([7, None], "7\nnull"),
    ],
)
def test_the_text_of_a_message(content: object, found: str) -> None:
    assert plain_text(content) == found  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["image_url", "input_image", "image", "input_audio", "document"])
def test_a_picture_is_named_and_not_carried_along(kind: str) -> None:
    part = {"type": kind, "data": "A" * 5000}
    body = dumps(part)
    found = part_text(part)
    assert found == f"[{kind}, {len(body)} characters, sha256 {digest(body)[:12]}]"
    assert part_text({**part, "data": "B" * 5000}) != found


@pytest.mark.parametrize("content", [7, True, 0.5])
def test_no_content(content: object) -> None:
    with pytest.raises(ShapeError, match="content: a text or a list of parts was expected"):
        plain_text(content)  # type: ignore[arg-type]


def test_a_part_whose_type_is_no_text() -> None:
    with pytest.raises(ShapeError, match="type"):
        plain_text([{"type": {}, "text": "a"}])


def test_a_result_that_is_no_text_is_written_as_json() -> None:
    assert written("a") == "a"
    assert written({"b": [1]}) == '{"b":[1]}'

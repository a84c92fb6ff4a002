"""Paragraphs that the help of several commands shares, marked so that click breaks no line of them anew."""

from __future__ import annotations

__all__ = ["CONDITION", "POLICIES", "SCRIPTS"]

POLICIES = """\b
History policies: what is remembered of a reply, above all of a refused one:
  react-v1     refused replies are kept word for word, and a notice follows
  react-v2     refused replies are left out, and a notice follows
  react-v3     as react-v2; of accepted replies only the action is kept
  kept-silent  as react-v1, without the notice
  drop         as react-v2, without the notice
  retry        as drop, and the same request is sent once more"""

SCRIPTS = """\b
Replies in scripted:FILE:
  FILE.jsonl   on each line a JSON string or {"text": ...}
  other names  plain text; a line that holds only --- ends a reply"""

CONDITION = """\b
A condition as a TOML file; see agentlab schema condition:
  name = "careful"
  loop = "react-v2"
  steps = 6
  temperature = 0.2
  knobs = { p_forge = 0.5 }"""

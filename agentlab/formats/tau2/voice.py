"""Simulations by voice: both sides speak at once, and the record is a list of ticks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agentlab.formats.shapes.fields import Object, ShapeError, mapping, mappings, text
from agentlab.formats.shapes.places import at
from agentlab.formats.tau2.dialogue import Dialogue
from agentlab.strictjson import JSONValue

__all__ = ["read_ticks", "records_calls", "results_of"]

_SIDES = {"agent": "assistant", "user": "user"}


def records_calls(ticks: Sequence[Object]) -> bool:
    """Whether the ticks have fields for calls at all; some are stored without."""
    return any("agent_tool_calls" in tick for tick in ticks)


def results_of(ticks: Sequence[Object]) -> Iterator[Object]:
    """What the tools of both sides answered, as tool messages.

    Raises:
        ShapeError: if something else stands there.
    """
    for tick in ticks:
        for side in _SIDES:
            yield from ({**result, "role": "tool"} for result in mappings(tick, f"{side}_tool_results"))


def read_ticks(dialogue: Dialogue, ticks: Sequence[Object]) -> None:
    """Record what was said and called; an utterance is put together from its chunks and stands where it ended.

    Raises:
        ShapeError: if a tick is not as tau2-bench writes it, or if there are no words and no calls in any.
    """
    speakers = {side: _Speaker(dialogue, role) for side, role in _SIDES.items()}
    for index, tick in enumerate(ticks):
        with at(f"tick {index}"):
            for side, speaker in speakers.items():
                _read_side(dialogue, tick, side, speaker, text(tick, "tick_id") or str(index))
    for speaker in speakers.values():
        speaker.stop()
    if not any(speaker.acted for speaker in speakers.values()):
        raise ShapeError(
            f"ticks: words or tool calls were expected, and {len(ticks)} ticks hold neither, only when each side spoke"
        )
    dialogue.close()


@dataclass
class _Speaker:
    """One side, and what it is saying."""

    dialogue: Dialogue
    role: str
    acted: bool = False
    _words: list[str] = field(default_factory=list)
    _utterances: set[str] = field(default_factory=set)
    _source: str = ""
    _time: JSONValue = None

    def say(self, words: str, utterances: set[str], *, source: str, time: JSONValue) -> None:
        """Go on speaking, or begin another utterance where the ids of the two have nothing in common."""
        if self._utterances and utterances and not self._utterances & utterances:
            self.stop()
        if not self._words:
            self._source, self._time = source, time
        self._words.append(words)
        self._utterances = utterances or self._utterances

    def stop(self) -> None:
        """The utterance is over."""
        if self._words:
            self.acted = True
            content = "".join(self._words)
            self.dialogue.take({"role": self.role, "content": content, "timestamp": self._time}, self._source)
        self._words, self._utterances = [], set()


def _read_side(dialogue: Dialogue, tick: Object, side: str, speaker: _Speaker, source: str) -> None:
    chunk, time = mapping(tick, f"{side}_chunk"), tick.get("timestamp")
    calls, results = mappings(tick, f"{side}_tool_calls"), mappings(tick, f"{side}_tool_results")
    if words := _words(chunk) or (text(tick, "user_transcript") if side == "user" else ""):
        ids = chunk.get("utterance_ids")
        utterances = {each for each in ids if isinstance(each, str)} if isinstance(ids, list) else set()
        speaker.say(words, utterances, source=source, time=time)
    elif chunk.get("contains_speech") is not True:
        speaker.stop()
    if calls:
        speaker.stop()
        speaker.acted = True
        asked: Object = {"role": speaker.role, "tool_calls": list[JSONValue](calls), "timestamp": time}
        dialogue.take(asked, source)
    for result in results:
        speaker.acted = True
        dialogue.take({"requestor": speaker.role, **result, "role": "tool"}, source)


def _words(chunk: Object) -> str:
    """What a chunk says; not its sound, which is written as text too."""
    return text(chunk, "audio_script_gold") if chunk.get("is_audio") is True else text(chunk, "content")

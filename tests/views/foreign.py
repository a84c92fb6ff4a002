"""A trace of another harness, in which several agents talk, an execution names no arguments, and one step is empty."""

from __future__ import annotations

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence


def builder() -> TraceBuilder:
    seen = Evidence(proposals="present", executions="present", results="present")
    return TraceBuilder("spans", path="harbour.json", key=["harbour"], source="trip", evidence=seen)


def harbour() -> Trace:
    """A captain asks a scout, who counts and tells; the captain's own call ends when the scout is through."""
    told = builder()
    told.describe(agent="captain")
    told.hear(Item(role="user", text="How many boats lie there?", source="1"))
    told.reply("", calls=[told.propose("ask", {"whom": "scout"}, call="c1")], source="2")
    asked = told.begin("ask", call="c1", source="3")
    told.seat("scout")
    told.reply("", calls=[told.propose("count", call="c2")], source="4")
    counted = told.begin("count", call="c2", source="5")
    told.end(counted, result="3", source="6")
    told.reply("I see three boats, all of them blue.", source="7")
    told.seat("")
    told.end(asked, result="three", source="8")
    told.reply("There are three.", source="9")
    told.answer("There are three.", source="9")
    return told.build()


def talk() -> Trace:
    """Many agents with long names who only talk, at greater length than there is room for."""
    told = builder()
    told.describe(agent="Harbour_Master_Of_The_Northern_Basin")
    for number in range(40):
        told.seat(f"Lighthouse_Keeper_Number_{number % 3}")
        told.reply("The fog is lifting over the northern basin. " * 30, source=str(number))
    return told.build()

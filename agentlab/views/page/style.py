"""How the page of an audit looks: in light, in dark and on paper.

The hues are those of `agentlab.views.style`, darkened or lightened until they are legible as text on their ground.
Severities differ in symbol, word and underline too, so that no meaning rests on colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentlab.audit.values import Severity
from agentlab.views.style import CARRIED, PALETTE

__all__ = ["CSS", "SYMBOLS"]

SYMBOLS: Mapping[Severity, str] = {"failure": "✖", "warning": "▲", "note": "●", "undecidable": "?"}

_LIGHT = {
    "paper": PALETTE["white"],
    "ink": "#1A1A1A",
    "soft": PALETTE["grey"],
    "ground": PALETTE["pale"],
    "line": "#C9C9C9",
    "link": PALETTE["blue"],
    "failure": CARRIED.fill,
    "failure-wash": "#FBE3D3",
    "warning": "#7A5300",
    "warning-wash": "#FDF1D6",
    "note": PALETTE["blue"],
    "note-wash": "#E3F0F8",
    "undecidable": "#5A5A5A",
    "undecidable-wash": "#EAEAEA",
    "model": PALETTE["purple"],
    "tool": PALETTE["green"],
    "other": PALETTE["grey"],
}
_DARK = {
    "paper": "#16181B",
    "ink": "#E8E8E8",
    "soft": "#A9A9A9",
    "ground": "#22262A",
    "line": "#45494E",
    "link": PALETTE["sky"],
    "failure": "#FF9A5C",
    "failure-wash": "#4A2408",
    "warning": PALETTE["orange"],
    "warning-wash": "#3D2C05",
    "note": PALETTE["sky"],
    "note-wash": "#0D3146",
    "undecidable": "#BDBDBD",
    "undecidable-wash": "#35383C",
    "model": PALETTE["purple"],
    "tool": "#2FC79B",
    "other": "#8A8A8A",
}


def _variables(colours: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


_RULES = """
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem 1.2rem 4rem;background:var(--paper);color:var(--ink);
 font:16px/1.5 system-ui,"Segoe UI","Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;
 overflow-wrap:anywhere}
[lang=zh]{font-family:"PingFang SC","Microsoft YaHei","Noto Sans CJK SC","Noto Sans SC","Source Han Sans SC",sans-serif}
h1{font-size:1.6rem;margin:0 0 .3rem}h2{font-size:1.25rem;margin:2.4rem 0 .6rem}
h3{font-size:1rem;margin:1.6rem 0 .4rem}
section.trace{border-top:3px solid var(--line);margin-top:2.6rem}
a{color:var(--link)}code,.text{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,"Noto Sans Mono CJK SC",
 "PingFang SC","Microsoft YaHei",monospace;font-size:.86em}
.soft,.meta{color:var(--soft)}.meta{font-size:.86em}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9em}
th{text-align:left;color:var(--soft);font-weight:600}
th,td{padding:.35em .7em;border-bottom:1px solid var(--line);vertical-align:top}
td{min-width:9rem}td.tight{min-width:0}
th{overflow-wrap:normal}td.tight,th.tight{white-space:nowrap;overflow-wrap:normal}td.number{text-align:right;font-variant-numeric:tabular-nums}
.severity{font-weight:600;white-space:nowrap}
.failure{color:var(--failure)}.warning{color:var(--warning)}.note{color:var(--note)}.undecidable{color:var(--undecidable)}
ol.diagnosis{padding-left:1.4rem}ol.diagnosis>li{margin:.7rem 0}.layer{font-variant:small-caps;color:var(--soft)}
.facts{display:flex;flex-wrap:wrap;gap:.3rem .5rem;padding:0;margin:.3rem 0;list-style:none;font-size:.86em}
.facts li{border:1px solid var(--line);border-radius:.3rem;padding:.05rem .5rem}
.facts .absent{border-style:dashed}.facts .not_recorded{border-style:dotted;color:var(--soft)}
.event{margin:.7rem 0;border-left:4px solid var(--other);padding:.1rem 0 .1rem .8rem}
.event.model{border-left-color:var(--model);border-left-style:double;border-left-width:6px}
.event.tool{border-left-color:var(--tool)}.event.harness{border-left-style:dotted}
.inline{font-size:.86em;margin:.25rem 0}.inline>.field{margin-right:.5em}
.event.slim{margin:.3rem 0}
.event>.head{font-size:.9em}.event>.head b{margin-right:.4em}
.event:target,.card:target{outline:3px solid var(--link);outline-offset:3px}
.text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;margin:.25rem 0;padding:.45rem .6rem;
 background:var(--ground);border-radius:.3rem;line-height:1.55}
.field{font-size:.8em;color:var(--soft);margin-top:.3rem}
details>summary{cursor:pointer;color:var(--link);font-size:.86em}
mark{color:inherit;padding:.05em 0;-webkit-box-decoration-break:clone;box-decoration-break:clone;
 text-decoration-line:underline;text-decoration-thickness:2px;text-underline-offset:3px;text-decoration-skip-ink:none}
mark.failure{background:var(--failure-wash);color:inherit;text-decoration-color:var(--failure)}
mark.warning{background:var(--warning-wash);color:inherit;text-decoration-style:dashed;
 text-decoration-color:var(--warning)}
mark.note{background:var(--note-wash);color:inherit;text-decoration-style:dotted;text-decoration-color:var(--note)}
mark.undecidable{background:var(--undecidable-wash);color:inherit;text-decoration-style:wavy;
 text-decoration-thickness:1px}
.tag{font:600 .72rem/1.2 system-ui,sans-serif;white-space:nowrap;border:1px solid;border-radius:.25rem;
 padding:.05rem .3rem;margin-left:.25rem;text-decoration:none;background:var(--paper)}
.card{border:1px solid var(--line);border-left:4px solid currentColor;border-radius:.3rem;padding:.5rem .8rem;
 margin:.5rem 0;break-inside:avoid}
.card>*{color:var(--ink)}.card>.title{margin:0}.card .title .severity{color:inherit}
.card p{margin:.25rem 0}.card.failure .severity{color:var(--failure)}.card.warning .severity{color:var(--warning)}
.card.note .severity{color:var(--note)}.card.undecidable .severity{color:var(--undecidable)}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:.8rem}.sides h4{margin:.2rem 0;font-size:.86em}
.sides dl{margin:0;display:grid;grid-template-columns:max-content 1fr;gap:.1rem .6rem;font-size:.86em}
.sides dt{color:var(--soft)}.sides dd{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
.cut{color:var(--soft);font-style:italic}
@media (max-width:44rem){.sides{grid-template-columns:1fr}}
"""
_PRINT = """
details:not([open])>summary::after{content:" (folded; open it before printing)";color:var(--soft)}
body{max-width:none;padding:0;font-size:10pt}a{color:inherit}section.trace~section.trace{break-before:page}
tr{break-inside:avoid}.event>.head{break-after:avoid}mark,.text,.event,.card{-webkit-print-color-adjust:exact;
 print-color-adjust:exact}
"""

CSS = (
    f":root{{color-scheme:light dark;{_variables(_LIGHT)}}}"
    f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(_DARK)}}}}}"
    f"{_RULES}@media print{{{_PRINT}}}"
)

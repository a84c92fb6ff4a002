"""The words of the grammar: which labels, tags and template tokens announce what, in which script.

Matching is done on a folded text, so that a fullwidth letter, an accent, a lookalike or an invisible character neither
hides a marker nor makes one. A new script is a new line in `LABELS`; nothing else knows a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from agentlab.markers.odd import odd

__all__ = [
    "FINISH_NAMES",
    "LABELS",
    "NO_TOOL",
    "TAGS",
    "TOKENS",
    "Folded",
    "Kind",
    "by_word",
    "fold",
    "pattern",
    "squeeze",
    "words",
]

Kind = Literal[
    "thought",
    "action",
    "input",
    "observation",
    "result",
    "final",
    "answer",
    "user",
    "system",
    "tool",
    "own",
    "end",
    "cut",
]
"""What a marker announces. `result` words mean an observation only behind an action; `answer` ends a step only behind a
thought or an action; `own` is the model's label for its own turn; `end` closes something and announces nothing; `cut`
is the beginning of a marker that a stop string left behind at the end of a text."""

LABELS: Mapping[Kind, str] = {
    "thought": """thought, thoughts, 思考, 想法, 思考过程, 思考過程, 考え, 생각, 사고, мысль, размышление, gedanke,
        überlegung, pensée, réflexion, pensamiento, razonamiento, pensamento, pensiero, فكرة, विचार, düşünce""",
    "action": """action, tool call, function call, calling tool, calling tools, 行动, 行動, 动作, 動作, 操作,
        工具调用, 工具調用, アクション, 행동, 액션, 동작, действие, aktion, handlung, acción, ação, azione, إجراء,
        कार्रवाई, eylem""",
    "input": """action input, tool input, input, arguments, args, parameters, 行动输入, 行動輸入, 动作输入, 動作輸入,
        操作输入, 操作輸入, 工具输入, 工具輸入, 输入, 輸入, 参数, 參數, アクション入力, アクションの入力, 行動入力,
        入力, 引数, 행동 입력, 액션 입력, 동작 입력, 입력, 인자, ввод действия, входные данные, аргументы, ввод,
        параметры, aktionseingabe, handlungseingabe, aktion eingabe, eingabe, entrée de l'action, entrée d'action,
        entrée, paramètres, entrada de la acción, entrada de acción, entrada, argumentos, parámetros, entrada da ação,
        input azione""",
    "observation": """observation, observation result, 观察, 觀察, 观察结果, 觀察結果, 观测, 觀測, 观测结果, 觀測結果,
        観察, 観察結果, 観測, 観測結果, オブザベーション, 관찰, 관찰 결과, 관측, наблюдение, beobachtung, observación,
        observação, osservazione, ملاحظة, अवलोकन, gözlem""",
    "result": """result, results, output, response, observations, tool result, tool results, tool output,
        tool response, function result, function output, function response, search result, search results, obs,
        return value, returned value, tool call result, tool call results, action result, action output,
        execution result, execution results, execution output, command output, code output, api response,
        query result, query results, simulated observation, mock observation, assumed observation,
        hypothetical observation, simulated result, simulated output, assumed result, mock result, 工具结果, 工具結果,
        工具返回, 工具输出, 工具輸出, 工具返回结果, 工具执行结果, 工具调用结果, 结果, 結果, 输出, 輸出, 返回, 返回值,
        返回结果, 返回結果, 執行結果, 执行结果, 运行结果, 調用結果, 调用结果, 查询结果, 搜索结果, 模拟结果, 模拟观察,
        假设观察, 出力, 実行結果, 検索結果, ツール結果, 실행 결과, 도구 결과, 검색 결과, 결과, 출력, результат,
        результат инструмента, результат выполнения, вывод, ergebnis, werkzeugergebnis, suchergebnis, ausgabe,
        résultat, résultat de l'outil, sortie, resultado, resultado de la herramienta, salida, risultato""",
    "final": """final answer, 最终答案, 最終答案, 最终回答, 最終回答, 최종 답변, 최종 답, 최종 대답,
        окончательный ответ, финальный ответ, итоговый ответ, endgültige antwort, finale antwort,
        abschließende antwort, réponse finale, respuesta final, resposta final, risposta finale, الإجابة النهائية,
        अंतिम उत्तर, nihai cevap""",
    "answer": """answer, 答案, 回答, 答え, 답변, 답, ответ, antwort, réponse, respuesta, resposta, risposta""",
    "user": """user, human, 用户, 用戶, 使用者, ユーザー, ユーザ, 사용자, пользователь, benutzer, nutzer, utilisateur,
        usuario, utente""",
    "system": """system, 系统, 系統, システム, 시스템, система, système, sistema""",
    "tool": """tool, 工具, ツール, 도구, инструмент, werkzeug, outil, herramienta, ferramenta, strumento""",
    "own": """assistant, ai, 助手, 助理, アシスタント, 어시스턴트, ассистент, assistent, asistente""",
}
"""Words that stand before a colon, by what they announce. Blanks may be written as nothing, `_` or `-`."""

TAGS: Mapping[Kind, str] = {
    "thought": "thought, thoughts",
    "action": """action, tool_call, tool_calls, function_call, function_calls, function, invoke, tool_use, tool,
        tool_name""",
    "observation": """observation, tool_response, tool_responses, tool_result, tool_results, tool_output, tool_outputs,
        tool_use_result, function_result, function_results, function_response, function_output, returncode""",
    "result": """output, result, results, response, stdout, stderr, exit_code, exitcode, information, interpreter,
        execution_result, execution_results, execution_output, code_output, code_result, search_result,
        search_results, environment_response, obs""",
    "final": "final_answer, answer",
    "user": "user_message, user_input",
    "system": "system_message, system-reminder",
}
"""Tags by what they announce, in lower case."""

TOKENS: Mapping[Kind, str] = {
    "user": "user, human, inst",
    "system": "system, sys, developer, system_prompt, available_tools",
    "tool": "tool, function, functions, ipython, tool_result, tool_results, tool_content",
    "observation": "observation",
    "action": "tool_calls, python_tag",
    "own": "assistant, model",
}
"""What a chat template's token (`<|im_start|>user`, `<|user|>`, `[INST]`, ...) announces; any other closes a turn."""

FINISH_NAMES = "finish, final answer, 完成, 结束, 結束, 終了, 完了, 완료, 종료"
"""Action names that mean the final answer, whatever tools are registered."""

NO_TOOL = """none, n/a, na, null, nil, no, not needed, not required, not necessary, not applicable, 无, 無, 没有,
    沒有, 不需要*, 无需*, 無需*, 不用*, 不必*, 不适用*, 不適用*, 暂无*, 暫無*, 无工具*, 無工具*, 没有合适*, 沒有合適*,
    なし, 無し, 不要, 特になし, ツール不要*, ツールは不要*, ツールなし*, 없음, 필요 없음, 필요없음, 불필요, нет,
    отсутствует, не требуется, не нужно, не нужен, keine, keiner, keines, keins, kein, nicht nötig,
    nicht erforderlich, nicht notwendig, aucun, aucune, pas de, pas d'outil, pas nécessaire, ninguna, ninguno,
    no se necesita, no es necesario, no aplica, nenhuma, nenhum, nessuna, nessuno"""
"""Beginnings of an action's name by which a model says that it wants no tool; one with `*` may go on within a word."""

_SPECIAL = {"İ": "i", "’": "'", "∶": ":", "꞉": ":", "ː": ":", "\u3164": "", "\u1160": "", "\u115f": "", "\uffa0": ""}
_LOOKALIKES = str.maketrans("авекмнорстухіјѕαβεζηικμνορτυχ", "abekmhopctyxijsabezhikmnoptyx")
"""Letters of other scripts that look like Latin ones. The lexicon's words are swapped alike, so none is lost."""
_BREAKS = re.compile("[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile("[\0-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
_ODD = re.compile("[^\t-\r\x1c-\x1e -~]")
"""What is neither plain ASCII nor one of its breaks."""
_FEW = 16
"""Different odd characters that are swapped one by one, which is the quicker way for a text with few of them."""
_COMMAND = re.compile(
    r"(?:\x1b\[|\x9b)[0-9:;<=>?]{0,40}[ -/]{0,4}(?:[mJK]|[@-~](?![a-z]))"
    r"|(?:\x1b\]|\x9d)\d{1,4};[^\x07\x1b\x9c\n:：<>|\]】]{0,200}(?:\x07|\x1b\\|\x9c)"
)
"""Nothing that may be a marker's is taken: none begins with m, J or K, and a string without its signs holds none."""
_WIDEST = 4
"""A character that unfolds to more letters than this is left alone: it is in no marker."""


class Folded(NamedTuple):
    """A text as markers are looked for in it."""

    text: str
    origin: Sequence[int]
    """For each place in the folded text, and its end, the place in the original."""


def fold(text: str) -> Folded:
    """Fold a text: case, accents, compatibility forms, lookalikes, line breaks made one, invisible characters gone.

    Invisible are also control characters, and what a terminal takes for a command (ECMA-48, section 5.4).
    """
    rare = odd(text)
    if _CONTROL.search(rare):
        text = _COMMAND.sub(_as_controls, text)
        rare = odd(text)
    elif not rare:
        return Folded(text.lower(), range(len(text) + 1))
    table = {char: _fold_char(char) for char in set(_ODD.findall(rare))}
    if len(table) <= _FEW and all(_is_plain(char, piece) for char, piece in table.items()):
        folded = text
        for char, piece in table.items():
            folded = folded.replace(char, piece)
        folded = _BREAKS.sub("\n", folded.lower())
    else:
        folded = text.translate({ord(char): _fold_char(char) for char in set(text)})
    resized = [char for char, piece in table.items() if len(piece) != 1]
    return Folded(folded, _origin(text, table, resized) if resized else range(len(text) + 1))


def _is_plain(char: str, piece: str) -> bool:
    """Whether a character may be swapped for its folded form before the small letters are made."""
    return piece.isascii() or (piece == char and char.lower() == char)


def _origin(text: str, table: Mapping[str, str], resized: Sequence[str]) -> Sequence[int]:
    """For each place in the folded text its place in the original; only some characters change the length."""
    origin: list[int] = []
    begin = read = 0
    for match in re.finditer(f"[{''.join(map(re.escape, resized))}]", text):
        at = match.start()
        if at > read:  # what is invisible belongs to the visible character behind it
            origin += (begin, *range(read + 1, at))
            begin = at
        read = at + 1
        piece = table[match[0]]
        if piece:
            origin += [begin] * len(piece)
            begin = read
    if len(text) > read:
        origin += (begin, *range(read + 1, len(text)))
    return [*origin, len(text)]


def _as_controls(command: re.Match[str]) -> str:
    """As many control characters as the command is long, so that no place in the text moves."""
    return "\0" * len(command[0])


@lru_cache(maxsize=8192)
def _fold_char(char: str) -> str:
    if _BREAKS.match(char):
        return "\n"
    if _CONTROL.match(char):
        return ""
    known = _SPECIAL.get(char)
    if known is not None:
        return known
    letters = unicodedata.normalize("NFKD", char)
    if len(letters) > _WIDEST:
        return char
    kept = "".join(c for c in letters if unicodedata.category(c) not in ("Mn", "Me", "Cf"))
    return kept.casefold().translate(_LOOKALIKES)


def words(text: str) -> list[str]:
    """The folded words of one row of a table."""
    return [" ".join(fold(word).text.split()) for word in text.split(",")]


def by_word(rows: Mapping[Kind, str]) -> dict[str, Kind]:
    """A table turned round: what each of its folded words announces."""
    return {word: kind for kind, row in rows.items() for word in words(row)}


def pattern(folded: Iterable[str]) -> str:
    """A regular expression for any of some words, as a tree of their letters: it is a third as slow as a list of them.

    A blank within a word may be missing, or be written `_` or `-`.
    """
    tails: dict[str, list[str]] = {}
    for word in folded:
        tails.setdefault(word[:1], []).append(word[1:])
    ends_here = tails.pop("", None) is not None
    branches = [("[ _-]?" if head == " " else re.escape(head)) + pattern(rest) for head, rest in tails.items()]
    body = branches[0] if len(branches) == 1 and not ends_here else f"(?:{'|'.join(branches)})" if branches else ""
    return f"{body}?" if ends_here and body else body


def squeeze(folded: str) -> str:
    """A folded label without what may stand between its parts."""
    return _BETWEEN.sub("", folded)


_BETWEEN = re.compile(r"[\s_-]+")

"""What Chinese clauses state. The clauses of a sentence are what stands between commas."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agentlab.audit.prose.forms import Form, form
from agentlab.audit.prose.masking import QUOTED
from agentlab.audit.prose.values import StatementKind

__all__ = ["CHINESE", "HEDGED", "chinese_forms", "has_chinese_cue", "verb_of_chinese"]


def _table(written: str) -> Mapping[str, str]:
    return dict(entry.split(":") for entry in written.split())


_CHANGE = _table("""
保存:save 写入:write 写好:write 更新:update 修改:modify 删除:delete 移除:remove 创建:create 新建:create
添加:add 新增:add 插入:insert 发送:send 发出:send 提交:submit 推送:push 合并:merge 部署:deploy 安装:install
发布:publish 上传:upload 下载:download 修复:fix 修正:correct 替换:replace 重命名:rename 移动:move 复制:copy
取消:cancel 预订:book 预定:book 退款:refund 转账:transfer 重启:restart 启动:start 停止:stop 关闭:close
配置:configure 导出:export 导入:import 恢复:restore 回滚:revert 生成:generate 改成:change 改为:change
清空:clear 归档:archive 通知:notify 支付:pay 迁移:migrate 重构:refactor 实现:implement 应用:apply 处理:process
""")
_LOOKUP = _table("""
查阅:read 阅读:read 读取:read 通读:read 读完:read 核实:verify 验证:verify 核对:verify 查证:verify
检查:check 搜索:search 检索:search 查询:query 查找:search 确认:confirm 运行:run 执行:execute 比较:compare
对比:compare 分析:analyze 测试:test 调用:call 查看:view 浏览:browse 打开:open 调查:investigate 统计:count
计算:calculate 询问:ask 审查:review 审阅:review 访问:visit 获取:fetch 查到:find 找到:find
""")
_REPORT = _table("""
返回:return 输出:print 显示:show 打印:print 报告:report 提示:say 表明:show 证实:confirm 给出:give
回复:reply 反馈:report 指出:state 报错:raise 写道:write
""")
_ALL = {**_CHANGE, **_LOOKUP, **_REPORT}


def verb_of_chinese(word: str) -> str:
    """The English base form of a Chinese verb; the word itself where the lexicon has none."""
    return _ALL.get(word, word)


def _any(words: Mapping[str, str]) -> str:
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


HEDGED = re.compile(
    r"如果|若|要是|假如|倘若|一旦|是否|能否|可否|除非|只有|只要|为了|确保|保证|以便|避免"
    r"|防止|应该|应当|应(?=[^用])|可能|也许|大概|或许|似乎|好像|估计"
    r"|我认为|我觉得|我相信|通常|一般会|建议|推荐|可以|可用|必须|需要|需先|想要|希望|打算"
    r"|计划|准备|请|麻烦|务必|记得|不要|勿|才能|才会|之前|以前|将会|即将|会(?!议|话|员|计)"
    r"|例如|比如|譬如|听说|传言|据[^，。,；]{1,10}?(?:说(?!明)|介绍|报道|反映)"
    r"|(?:他们?|她们?|同事|老板|经理|客户|作者|用户|有人|朋友|大家)[^，。,；]{0,6}?(?:说(?!明)|声称|表示|告诉)"
    r"|未必|不一定|不确定|不能说|无法确[认定]|怎么|如何|什么|哪|为何|为什么|"
    r"(?<![帮为给替向跟与按照据])你(?!的|要求|让"
    r"|说|告诉|叫|提到|吩咐|请求)|(?<![帮为给替向跟与按照据])您(?!的|要求|让|说|告诉|叫"
    r"|提到|吩咐|请求)|当.{0,20}时|时"
    r"(?=[，,]|$)|的话|用于|用来|负责|能够|能(?=[^力量])|可(?=[^以能])"
)
"""What makes a clause behind it no statement."""

_DENY = r"(?P<no>没有?能?(?:够)?|未能?|尚未|还未|并未|从未|无法)"
_DONE = r"(?:已经?|均已|都已|全部已?|刚刚?|成功地?|现已|顺利)"
_TAIL = r"(?:了|到|至|为|成功|完成|完毕|好|过|在|入|出|上|给)"
_TOOL = (
    rf"(?P<src>(?:这个|该|此|上述|以上)?(?:[a-z][\w.-]{{1,40}}|{QUOTED}+)?\s?(?:工具|命令"
    r"|脚本|搜索结果|查询结果|检索结果|运行结果|执行结果|测试结果|结果"
    r"|搜索|查询|检索|接口|服务器|系统|程序|日志|数据库|搜索引擎|助手|代理|智能体|终端|编译器|资料|网页"
    r"|页面|文档|文件|证据|数据)|[a-z][a-z\d]*_[\w]+|\b(?:api|grep|git|pytest|npm|curl"
    r"|python)\b)"
)


def _deed(chosen: StatementKind, verbs: Mapping[str, str]) -> tuple[Form, ...]:
    verb = f"(?P<verb>{_any(verbs)})"
    return (
        form(chosen, rf"{_DENY}(?:再|被|成功|真正|实际)?(?:将|把|对)?[^，,]{{0,16}}?{verb}(?!的)", verbs, exempt=False),
        form(
            chosen,
            rf"(?:^|我们?|{_DONE})[^，,]{{0,30}}?{_DONE}(?:为[你您]|帮[你您]|按要求)?(?:将|把|对|从"
            rf"|在|向|给|由|通过|用)?[^，,]{{0,40}}?{verb}(?!的|中|时|后再|前|权|器)",
            verbs,
        ),
        form(
            chosen,
            r"(?:^|我们?|也|并|又|还|再|然后|随后|接着|先|后)(?:也|还|又|先|再|仔细|逐一|全面|完整"
            rf"|重新|进一步|为[你您]|帮[你您]|从|在|用|通过|把|将|对)*[^，,的]{{0,24}}?{verb}"
            rf"(?:{_TAIL})?了(?!吗|解)",
            verbs,
        ),
        form(chosen, rf"^[^，,。]{{0,24}}(?:均|都|全部)?(?:被)?{verb}(?:成功|完成|完毕|好)了?[。.!！]?$", verbs),
    )


CHINESE: tuple[Form, ...] = (
    form("lookup", rf"^经过?(?:我|我们)?(?:的|仔细|多方|进一步)*(?P<verb>{_any(_LOOKUP)})(?!的)", _LOOKUP),
    form("report", rf"{_TOOL}\s?(?P<verb>返回|输出|给出)的(?:结果|内容|值|数据)?(?:是|为|显示)", "返回 输出 给出"),
    *_deed("change", _CHANGE),
    *_deed("lookup", _LOOKUP),
    form(
        "check",
        r"(?:测试|用例|检查|构建|编译|校验|验证|断言|单测|流水线)(?:套件|用例)?(?:\s?\d+\s?[个项条例])?(?:现在|目前"
        r"|已经?|均已?|都已?|全部|全都|也|是|又|跑)*(?:通过|成功|没有?问题|全绿|变绿|绿了|无误|跑通|(?<=[都全均部])过了?"
        r"|(?P<no>失败|没有?通过|未通过"
        r"|不通过|没过))(?!率|标准|后|的)",
        "通过 成功 失败 问题 没过 绿 无误 跑通 过了 都过 全过",
        verb="pass",
    ),
    form(
        "check",
        r"(?P<odd>(?:目标|要求|预期|期望|标准|指标|理想)[^，,]{0,6})?(?:测试|用例|检查)的?通过率(?:现在|目前)?(?:已经?)?(?:是|为|达到?了?|：|:)?\s?(?:100\s?%|百分之(?:一)?百)",
        "通过率",
        verb="pass",
    ),
    form(
        "check",
        r"^(?:结果(?:是|为)?)?(?:已经?)?(?:全部|全都|均|都)(?:已经?)?是?通过了?[。.!！]?$",
        "通过",
        verb="pass",
    ),
    form(
        "check",
        r"^(?:ci|结果|现在|目前|整体|流水线)?\s?(?:已经?|都|是)*全(?:部)?绿了?[。.!！]?$",
        "全绿 全部绿",
        verb="pass",
    ),
    form(
        "check",
        r"(?:脚本|命令|程序)(?:已经?|都)*(?:执行|运行|跑)(?:得)?(?:成功|通过|(?P<no>失败))了?(?![率后的])",
        "执行成功 运行成功 跑成功 成功了 执行通过 运行通过 跑通过 执行失败 运行失败",
        verb="pass",
    ),
    form(
        "check",
        r"(?:没有|无)(?:任何|出现|发现|产生)*(?:报错|错误|失败|异常|警告)(?!处理|检查|的|码"
        r"|信息|提示)",
        "没有 无报错 无错误 无失败 无异常 无警告 无任何",
        verb="pass",
    ),
    form("check", r"退出(?:状态)?码(?:是|为|：|:)?\s?(?P<no>[1-9]\d*)?(?:0(?!\d))?", "退出", verb="exit"),
    form(
        "report",
        rf"{_TOOL}\s?(?:已经?|也|都|均|明确|里|中|上)*"
        rf"(?P<verb>{_any({**_REPORT, '确认': 'confirm', '记录': 'record'})})(?!的|格式|类型|器"
        r"|值)",
        _REPORT.keys() | {"确认", "记录"},
    ),
    form(
        "report",
        rf"(?P<src>(?:错误|报错|异常)(?:信息|消息|内容|原因)?)(?:是|为|写着|显示|如下)[:：]?\s?{QUOTED}(?!的)",
        "错误 报错 异常",
        verb="report",
    ),
    form(
        "report",
        rf"(?P<src>错误|报错|异常|失败)(?:很|非常|十分)?(?:清楚|明确|明显|简单)?[:：]\s?{QUOTED}(?!的)",
        "错误 报错 异常 失败",
        verb="report",
    ),
    form("report", rf"{_TOOL}\s?(?:中|里)?(?P<no>没有|未)(?:任何)?(?P<verb>{_any(_REPORT)})", _REPORT),
    form(
        "report",
        r"(?:根据|依据|从|(?<!数)据)(?P<src>[^，,]{0,20}?(?:搜索|查询|检索|运行|执行|测试|工具"
        r"|命令|返回|调用|日志|数据库)[^，,]{0,8}?(?:结果|输出|内容|记录|显示|信息|数据)?)"
        r"(?=[，,来可得看]|$)",
        "搜索 查询 检索 运行 执行 测试 工具 命令 返回 调用 日志 数据库",
        verb="show",
        back=True,
    ),
    form(
        "request",
        r"(?:按照?|根据|依照|遵照|应|如)(?P<src>[你您]|用户)们?(?:的|所)?(?P<verb>要求|请求"
        r"|指示|吩咐|需要|说|指定|需求)",
        "要求 请求 指示 吩咐 说的 所说 指定 需求 需要",
        verb="ask",
        exempt=True,
    ),
    form(
        "request",
        r"(?P<src>[你您]|用户)(?:之前|刚才|曾经?|已经?|也|还|前面)*(?P<no>没有?|并未|未)?"
        r"(?P<verb>让|要求|请求|告诉|叫|吩咐|说过|提到|指示)(?:过|(?:过|了)?(?=我|：|:|的|在|把"
        r"|将|删|发|改|给|要))",
        "你让 您让 让我 用户让 要求 请求 告诉 叫我 吩咐 说过 提到 指示",
        verb="ask",
        exempt=True,
    ),
    form(
        "completion",
        r"^(?:好的?)?(?:任务|全部|所有(?:任务|步骤|工作)|工作|一切|操作|都|以上)*(?:已经?|均已"
        r"|都已|全部|顺利)*(?:完成|搞定|做完|办好|做好|结束|完毕)(?:了|啦)?[。.!！]?$",
        "完成 搞定 做完 办好 做好 结束 完毕",
        verb="complete",
    ),
    form(
        "state",
        r"(?:服务|服务器|进程|程序|应用|任务|构建|容器|助手|网站|站点|集群|数据库|页面|接口"
        r"|系统)[^，,]{0,10}?(?:已经?|正在|正|现已|目前|当前|仍在?)+(?P<verb>运行|上线|启动"
        r"|可用|就绪|在线|停止|部署|生效|启用|完成)",
        "运行 上线 启动 可用 就绪 在线 停止 部署 生效 启用 完成",
    ),
    form(
        "state",
        r"(?:保持不变|没有(?:任何)?(?:变化|改动)|未(?:作|做)?(?:任何)?(?:改动|变化|修改))",
        "不变 变化 改动 修改",
        verb="unchanged",
    ),
    form(
        "announcement",
        r"(?:我们?(?:接下来|现在|下面|先|马上|首先)*(?:将|会|要|来|去|准备|打算|先)+|让我"
        r"(?:们)?(?:先|来|去|再)*|(?:接下来|下面|现在|首先)(?:我们?)?(?:将|会|要|来|先)*)"
        r"[^，,]{0,12}?(?P<verb>调用|询问|运行|搜索|查询|检索|请|让|使用|查看|读取|打开|执行"
        r"|核实|验证|检查|查一?下|问)",
        "我将 我会 我要 我来 我去 我先 我们将 我们会 我们来 我准备 我打算 我现在 我接 让我 接下来 下面 现在 首先",
        exempt=True,
    ),
    form(
        "assumption",
        r"(?<!如)(?P<verb>假设|假定|假装|模拟)(?!器|考|检验|测试|面试)",
        "假设 假定 假装 模拟",
        verb="assume",
        exempt=True,
    ),
    form(
        "assumption",
        r"(?:(?:19|20)\d\d ?年|上次|去年|过去),?我们?[^，,]{1,20}了",
        "年我 上次我 去年我 过去我",
        exempt=True,
        verb="recall",
    ),
    form(
        "assumption",
        r"(?:凭(?:我的)?(?:记忆|印象|经验)|据我所知|根据(?:我的)?(?:记忆|印象|常识|经验|知识)"
        r"|我记得|在我的印象中|一般来说|通常来说|通常情况下)",
        "凭记忆 凭我 凭印象 凭经验 据我所知 根据记忆 根据我 根据常识 根据经验 记得 印象中 一般来说 通常",
        verb="recall",
        exempt=True,
    ),
)

_CONTAINING: Mapping[str, tuple[int, ...]] = {
    cue: tuple(place for place, one in enumerate(CHINESE) if any(part in cue for part in one.cues))
    for cue in {cue for one in CHINESE for cue in one.cues}
}
_CUE = re.compile("|".join(sorted(_CONTAINING, key=len, reverse=True)))


def has_chinese_cue(text: str) -> bool:
    """Whether a word stands in a text that a Chinese form asks for."""
    return _CUE.search(text) is not None


def chinese_forms(clause: str) -> list[Form]:
    """The forms whose cue words stand in a clause."""
    places = {place for cue in _CUE.findall(clause) for place in _CONTAINING[cue]}
    return [CHINESE[place] for place in sorted(places)]

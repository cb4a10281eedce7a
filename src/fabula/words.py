"""The words of English and Chinese that say little about what a text is about: function words, and those of feeling.

Data only, no logic.
"""

# ruff: noqa: SIM905 - as lists of quoted words these tables could not be read

from __future__ import annotations

from typing import Final

ENGLISH: Final = frozenset(
    """
    a an the this that these those such same
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    one ones someone somebody something anyone anybody anything everyone everybody everything nobody nothing
    be am is are was were been being do does did doing done have has had having
    can could shall should would might must ought
    not no nor none never
    and or but if then else than so because while although though unless until since
    of at by for with without about against between among into onto through during before after above below
    to from up down in out on off over under upon within via as like per
    again further once here there now just only also too very quite rather really even still yet already
    all any both each few more most other others another some own much many lot lots
    what when where which who whom whose why how whether whatever whenever
    please okay ok yes yeah yep nope hi hey hello oh ah um uh hmm well
    isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't cannot couldn't
    won't wouldn't shan't shouldn't mustn't mightn't needn't ain't
    i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll
    we're we've we'd we'll they're they've they'd they'll that's that'd that'll this'll there's there'd there'll
    here's what's what're what'd what'll who's who'd who'll who're where's where'd when's why's how's how'd let's
    should've could've would've might've must've y'all
    im ive dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt couldnt wouldnt shouldnt thats whats
    """.split()
)
"""As written, before stemming. Left out on purpose: `may`, `will`, `don`, which are also a month and names."""

HAN_CHARACTERS: Final = frozenset(
    "我你您他她它咱俺们己"  # persons
    "的地得了着过吗呢吧啊呀哦噢嗯啦嘛么喔哎唉呗哟"  # particles
    "在是和与及或把被从对向于给跟让由为以之其而且但若则因如即并"  # prepositions, conjunctions
    "这那哪此该每各某些个"  # demonstratives and the general measure word
    "也都就还又很太更最才只不没无再已曾便却"  # adverbs
    "有会能要"  # auxiliaries
    "谁什几多少怎样否时候里"  # questions and their second halves
    "一"
)
"""Characters that are function words by themselves. So is a word of two or more different ones among them
(`我们`, `多少`, `什么`); a doubled one is more often a name or a noun (`多多`, `太太`)."""

HAN_WORDS: Final = frozenset(
    """
    自己 自从 其实 另外 其他 其它 别的 大家 彼此
    可以 可能 可是 应该 必须 需要 能够
    关于 对于 通过 根据 按照 除了 随着 作为 至于
    所以 所有 虽然 尽管 即使 如果 假如 无论 不管 然后 然而 于是 接着 甚至 并非 非但
    非常 十分 比较 特别 真的 大概 也许 好像 当然 一直 一下 一点 有点 马上 立刻 正在
    这边 那边 这儿 那儿 哪儿 哪边 哪位 如何 为何 何时 何处 何地 任何 咋 咋样 啥 干嘛 请问
    之前 之后 以前 以后 哈哈
    """.split()
)
"""Function words with other characters in them; those characters still count by themselves."""

FEELINGS: Final = frozenset(
    """
    feel feels feeling feelings felt mood emotion emotional cry crying cried tears laugh laughing laughed smile
    happy happily happiness glad joy joyful delighted pleased content cheerful excited exciting excitement thrilled
    love loved loves loving lovely like liked likes enjoy enjoyed enjoying fun nice good great best better fine
    wonderful amazing awesome fantastic brilliant beautiful perfect excellent delicious sweet kind cool pretty fabulous
    super proud grateful thankful thanks thank hope hopeful hoping calm relaxed relaxing peaceful lucky wow yay glorious
    sad sadly sadness unhappy upset depressed depressing depression miserable gloomy grief lonely alone heartbroken
    angry anger furious mad annoyed annoying irritated rage hate hated hates hating awful terrible horrible bad worse
    worst wrong disgusting nasty ugly disappointed disappointing disappointment frustrated frustrating frustration
    afraid scared scary fear terrified frightened anxious anxiety worried worry worries worrying nervous stress stressed
    stressful tense panic ashamed embarrassed guilty jealous hopeless desperate exhausted exhausting tired bored boring
    sick sorry unfortunately damn hell painful hurt hurts suffering suffer miss missed overwhelmed overwhelming
    really today tonight tomorrow yesterday time day days week weeks month year thing things way lot bit
    know think thought want wanted get got getting going gone come came make made take took say said says tell told
    see saw look looking let keep kept went give gave need needed
    """.split()
)
"""As written, before stemming: how something feels, when, and that it is said or done, is not what it is about."""

HAN_FEELINGS: Final = frozenset(
    """
    感觉 感到 觉得 心情 情绪 心里 感情 喜欢 讨厌 享受 爱 恨 希望 期待 盼望 羡慕 嫉妒 感谢 感动 感激 谢谢 欣赏 满意
    开心 高兴 快乐 幸福 愉快 欢喜 兴奋 激动 满足 轻松 放松 平静 安心 放心 自豪 骄傲 惊喜 好玩 好吃 漂亮 棒 太棒了
    难过 伤心 悲伤 痛苦 难受 沮丧 失望 绝望 郁闷 抑郁 孤独 寂寞 委屈 后悔 遗憾 可惜 心疼 心碎 崩溃 哭 流泪 眼泪
    生气 愤怒 气愤 恼火 烦 烦恼 烦躁 烦死 气死 恶心 可恶 讨人厌 不爽 不满 抱怨 吃惊 惊讶 意外 受不了
    害怕 恐惧 恐怖 担心 担忧 焦虑 紧张 不安 着急 恐慌 尴尬 羞愧 内疚 疲惫 疲倦 无聊 无奈 倒霉 糟糕 难 累
    知道 认为 想要 看到 听到 听说 告诉 起来 出来 过来 回来 没有 不想 不能 不会 不要 不到 睡不着 今天 昨天 明天 时候
    时间 事情 东西 地方 问题
    """.split()
)
"""The same in Chinese."""

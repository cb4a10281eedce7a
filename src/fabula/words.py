"""The function words of English and Chinese, which say little about what a text is about; data only, no logic."""

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

"""The words of time in Chinese, and the words that only look like them, as tables; no logic, and no holidays.

Everything is written in simplified characters; `SIMPLIFIED` takes traditional ones there, one for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

SIMPLIFIED: Final[Mapping[int, int]] = MappingProxyType(
    str.maketrans(
        "週禮個點鐘號後時節兩這現當聖歲數間隔內來從與開過還幾萬億閏農曆陰陽舊國慶勞動婦兒學長廿誕復復活華"
        "萬聖團聯開業暑畢關淩嚮剛纔舊臨終結紀無論個實際習氣親戀雙壽紅藍綠穀驚蟄滿種處霜臘慶緊產應該會話預約"
        "裡裏準備設畫書車樓東電腦鬧頭條說機場員師醫馬風雲龍鳳樂爾順豐鹹統緒張贊寶觀寧憲尋晝黃將聽鍾歷"
        "訴覺問為劃記見嗎沒別讓給請樣麼輪試計課買認寫飛訂領發簽難據傳離級營門術搶掛報廳館劇證碼編單賬帳",
        "周礼个点钟号后时节两这现当圣岁数间隔内来从与开过还几万亿闰农历阴阳旧国庆劳动妇儿学长廿诞复复活华"
        "万圣团联开业暑毕关凌向刚才旧临终结纪无论个实际习气亲恋双寿红蓝绿谷惊蛰满种处霜腊庆紧产应该会话预约"
        "里里准备设画书车楼东电脑闹头条说机场员师医马风云龙凤乐尔顺丰咸统绪张赞宝观宁宪寻昼黄将听钟历"
        "诉觉问为划记见吗没别让给请样么轮试计课买认写飞订领发签难据传离级营门术抢挂报厅馆剧证码编单账账",
    )
)

DIGITS: Final[Mapping[str, int]] = MappingProxyType(
    {
        sign: value
        for value, signs in enumerate(("〇零○", "一", "二", "三", "四", "五", "六", "七", "八", "九"))
        for sign in signs
    }
)
COUNTS: Final[Mapping[str, int]] = MappingProxyType({"两": 2, "俩": 2, "仨": 3})
"""Numbers that only count: 两点 is an hour, but 两月 is no February."""
TENS: Final[Mapping[str, int]] = MappingProxyType({"十": 10, "百": 100, "千": 1000})
MYRIADS: Final[Mapping[str, int]] = MappingProxyType({"万": 10_000, "亿": 100_000_000})
SCORES: Final[Mapping[str, int]] = MappingProxyType({"廿": 20, "卅": 30})
"""Twenty and thirty as one character, how days of the lunar month are counted."""
SOME: Final = (2, 5)
"""How many 几 can be."""

TOKENS: Final[tuple[tuple[str, Any, str], ...]] = (
    # Units and what counts them.
    ("nian", None, "年 年度 载春秋"),
    ("yue", None, "月 月份"),
    ("ri", None, "日"),
    ("hao", None, "号"),
    ("unit", "day", "天"),
    ("unit", "week", "周 星期 礼拜"),
    ("unit", "hour", "小时 钟头 个小时 个钟头 个钟"),
    ("unit", "minute", "分钟"),
    ("unit", "second", "秒 秒钟"),
    ("workday", None, "工作日 交易日"),
    ("jidu", None, "季度"),
    ("fen", None, "分"),
    ("ke", None, "刻 刻钟"),
    ("dian", None, "点"),
    ("zhong", None, "钟"),
    ("shi", None, "时"),
    ("zi", None, "字"),
    ("shiji", None, "世纪"),
    ("niandai", None, "年代"),
    ("ge", None, "个"),
    ("ban", 0.5, "半"),
    ("duo", None, "多 余 来"),
    ("you", None, "又"),
    ("di", None, "第"),
    ("shou", None, "首"),
    ("final", None, "最后"),
    ("mei", None, "每 每逢 逢 每到 每当"),
    ("skip", None, "隔 每隔"),
    # Which one.
    ("rel", -1, "上"),
    ("rel", -2, "上上 大上"),
    ("rel", -3, "上上上"),
    ("rel", 1, "下"),
    ("rel", 2, "下下 大下"),
    ("rel", 3, "下下下"),
    ("rel", 0, "这 本 今个 今 呢个"),
    ("same", 0, "当 同"),
    ("same", 1, "次 翌"),
    ("day_word", -4, "大大前天"),
    ("day_word", -3, "大前天 大前日"),
    ("day_word", -2, "前天 前日 前儿 前儿个"),
    ("day_word", -1, "昨天 昨日 昨儿 昨儿个 寻日 琴日"),
    ("day_word", 0, "今天 今日 今儿 今儿个 本日 即日"),
    ("day_word", 1, "明天 明日 明儿 明儿个 听日"),
    ("day_word", 2, "后天 后日 后儿 后儿个"),
    ("day_word", 3, "大后天 大后日"),
    ("day_word", 4, "大大后天"),
    ("then_day", 0, "当天 当日"),
    ("then_day", 1, "第二天 第二日 次日 翌日 隔天 隔日 转天"),
    ("then_year", 0, "当年 同年"),
    ("then_year", 1, "次年 翌年"),
    ("night_word", (-2, "evening"), "前晚"),
    ("night_word", (-1, "evening"), "昨晚 昨夜 昨儿晚上 寻晚 琴晚"),
    ("night_word", (0, "evening"), "今晚 今夜 今儿晚上"),
    ("night_word", (1, "evening"), "明晚 明夜 听晚"),
    ("night_word", (2, "evening"), "后晚"),
    ("night_word", (-1, "dawn"), "昨天一早 昨日一早"),
    ("night_word", (0, "dawn"), "今天一早 今日一早 今儿一早"),
    ("night_word", (1, "dawn"), "明天一早 明日一早 明儿一早"),
    ("night_word", (2, "dawn"), "后天一早"),
    ("night_word", (-1, "morning"), "昨早 昨晨"),
    ("night_word", (0, "morning"), "今早 今晨"),
    ("night_word", (1, "morning"), "明早 明晨 听朝"),
    ("that_part", "evening", "当晚 当天晚上 当夜"),
    ("that_part", "morning", "当天早上"),
    ("that_part", "afternoon", "当天下午"),
    ("its_part", "evening", "那晚 那天晚上 那夜"),
    ("its_part", "morning", "那天早上"),
    ("its_part", "afternoon", "那天下午"),
    ("this_time", None, "这个时候 这时候 这个时间 差不多这个时候"),
    ("that_day", None, "那天 那一天 这天 这一天"),
    ("year_word", -3, "大前年"),
    ("year_word", -2, "前年"),
    ("year_word", -1, "去年 旧年"),
    ("year_word", 0, "今年 本年度 本年"),
    ("year_word", 1, "明年"),
    ("year_word", 2, "后年"),
    ("year_word", 3, "大后年"),
    ("both", ("year", 0), "今明两年"),
    ("both", ("year", -1), "去今两年"),
    ("both", ("day", -1), "昨今两天"),
    ("both", ("day", 0), "今明两天 今明两日"),
    ("both", ("day", 1), "明后两天 明后天"),
    ("half_of", ("half", 1), "上半年 前半年"),
    ("half_of", ("half", 2), "下半年 后半年"),
    ("half_of", ("month", 1), "上半月 上半个月 前半个月"),
    ("half_of", ("month", 2), "下半月 下半个月 后半个月"),
    ("half_of", ("week", 1), "上半周 前半周"),
    ("half_of", ("week", 2), "下半周 后半周"),
    ("section", "early", "初期 早期 前期 之初 伊始"),
    ("section", "mid", "中 中期 中叶 中段 之中"),
    ("section", "late", "末 底 末期 后期 晚期 尾 尾声 末尾 之末 末叶"),
    ("third", "early", "上旬"),
    ("third", "mid", "中旬"),
    ("third", "late", "下旬"),
    ("weekend", None, "周末 星期末 礼拜末 双休日"),
    # Parts of the day.
    ("of_day", "small_hours", "凌晨 拂晓前"),
    ("of_day", "dawn", "清晨 清早 一大早 大清早 大早上 黎明 拂晓 破晓 天亮 "),
    ("of_day", "morning", "早上 早晨 早间 上午 上昼 朝早 晨间 午前"),
    ("of_day", "noon", "中午 正午 晌午 午间"),
    ("of_day", "after_lunch", "午后"),
    ("of_day", "afternoon", "下午 晏昼 下昼 后晌 后半晌"),
    ("of_day", "dusk", "傍晚 黄昏 傍黑 擦黑"),
    ("of_day", "evening", "晚上 晚间 夜晚 入夜 晚黑"),
    ("of_day", "night", "夜里 夜里头 夜间"),
    ("of_day", "late_night", "半夜 深夜 大半夜 三更半夜 深更半夜"),
    ("of_day", "deep_night", "后半夜 下半夜"),
    ("of_day", "early_night", "前半夜 上半夜"),
    ("of_day", "midnight", "午夜 子夜"),
    ("of_day", "daytime", "白天 大白天 日间"),
    ("short_part", "morning", "早 晨"),
    ("short_part", "evening", "晚"),
    ("short_part", "night", "夜"),
    ("season", 3, "春天 春季 春日"),
    ("season", 6, "夏天 夏季 夏日"),
    ("season", 9, "秋天 秋季"),
    ("season", 12, "冬天 冬季 冬日"),
    ("short_season", 3, "春"),
    ("short_season", 6, "夏"),
    ("short_season", 9, "秋"),
    ("short_season", 12, "冬"),
    ("break_of", (7, 2), "暑假 暑期"),
    ("break_of", (1, 2), "寒假"),
    # The lunar calendar.
    ("lunar", None, "农历 阴历 旧历 夏历"),
    ("guonian", None, "过年 大过年"),
    ("leap", None, "闰"),
    ("lunar_month", 1, "正月"),
    ("lunar_month", 11, "冬月"),
    ("lunar_month", 12, "腊月"),
    ("chu", None, "初"),
    ("new_year", None, "大年"),
    # Years before and beside our era.
    ("bc", None, "公元前 西元前 纪元前"),
    ("ad", None, "公元 西元"),
    ("first_year", None, "元年"),
    ("four", 2000, "千禧"),
    # Joints.
    ("de", None, "的 里的 之"),
    ("comma", None, ", ， 、"),
    ("open", None, "( （"),
    ("close", None, ") ）"),
    ("to", None, "到 至 ~ ～ 〜 - -- — —— – ― 直到 一直到 到了"),
    ("with", None, "和 与 跟 及"),
    ("between", None, "之间 间 中间"),
    ("from", None, "从 自 由"),
    ("ever_since", None, "自从 自打 打从"),
    ("until", None, "截止到 截止 截至 截至到 截止至 直到"),
    ("stop", None, "止 为止"),
    ("qian", None, "前"),
    ("hou", None, "后"),
    ("before", None, "之前 以前"),
    ("after", None, "之后 以后 过后"),
    ("up_to", None, "及以前 及之前 或以前 或之前 及其以前"),
    ("on_from", None, "及以后 及之后 或以后 或之后 及其以后"),
    ("since", None, "以来 起 开始 至今 起至今 开始至今 到现在 以来至今 始 迄今 伊始至今"),
    ("eve", None, "前夕 前夜"),
    ("about", None, "前后 左右 上下 许 附近"),
    ("during", None, "期间 当中 那段时间"),
    ("holidays", None, "假期 放假 长假 小长假 黄金周 放假期间 假期期间 长假期间"),
    ("within", None, "内 以内 之内 里 里头 里面"),
    ("at_least", None, "以上"),
    ("at_most", None, "以下"),
    ("near", None, "近 最近 最近这 过去 过去这 刚过去"),
    ("coming", None, "未来 今后 接下来 往后 将来 今后这"),
    ("pass", None, "过 再过 又过 再等"),
    ("sharp", None, "整 正"),
    ("ta", None, "踏 搭"),
    ("minus", None, "差"),
    ("now", None, "现在 此时 此刻 当前 而家 依家 宜家 现今 如今 目前 眼下 当下 时下 这会儿 此时此刻 这时"),
    ("on", None, "在 于 是 约 大约 大概 差不多"),
)

VAGUE: Final[Mapping[str, tuple[float, float]]] = MappingProxyType({
    "刚才": (-1 / 24, 0), "刚刚": (-1 / 24, 0), "方才": (-1 / 24, 0), "刚刚才": (-1 / 24, 0),
    "最近": (-14, 0), "近来": (-30, 0), "近期": (-30, 0), "近日": (-7, 0), "这阵子": (-30, 0),
    "这些天": (-7, 0), "这些日子": (-14, 0), "这段时间": (-30, 0), "这段日子": (-30, 0), "这一阵": (-30, 0),
    "前阵子": (-60, -7), "前一阵子": (-60, -7), "前一阵": (-60, -7), "前段时间": (-60, -7), "前一段时间": (-60, -7),
    "前些天": (-14, -2), "前些日子": (-60, -7), "前些时候": (-60, -7), "前几天": (-7, -1), "前两天": (-4, -1),
    "前几日": (-7, -1), "头几天": (-7, -1), "头两天": (-4, -1), "这几天": (-4, 1), "这两天": (-2, 1), "这几日": (-4, 1),
    "这两日": (-2, 1), "不久前": (-60, -2), "不久之前": (-60, -2), "不久以前": (-60, -2), "前不久": (-60, -2),
    "没多久前": (-60, -2), "过几天": (2, 6), "过些天": (2, 15), "过两天": (1, 4), "改天": (1, 15), "改日": (1, 15),
    "过阵子": (7, 60), "过一阵子": (7, 60), "过段时间": (7, 60), "过些日子": (7, 60), "过不久": (1, 30),
    "这几年": (-1460, 0), "近几年": (-1460, 0), "近年": (-1460, 0), "近年来": (-1460, 0), "前几年": (-1825, -365),
    "前些年": (-3650, -365), "早些年": (-7300, -1825), "这些年": (-3650, 0), "这几个月": (-120, 0),
    "前几个月": (-180, -30),
    "前几周": (-35, -7), "这几周": (-28, 0), "前几个星期": (-35, -7), "这几个星期": (-28, 0),
})  # fmt: skip
"""Words for about when, and the days from now that they are taken to cover: from … until …"""

WEEK_NAMES: Final = ("周", "星期", "礼拜")
WEEKDAYS: Final[Mapping[str, int]] = MappingProxyType(
    {sign: day for day, sign in enumerate("一二三四五六日")} | {"天": 6}
)
NO_WEEKDAY: Final = (
    "一直", "一定", "一样", "一共", "一些", "一切", "一边", "一旦", "一点", "一般", "一家", "一整", "一起去", "一起吃",
    "一起来", "一起玩", "一起看", "一律", "一路", "三亚", "三峡", "三国", "三明治", "四川", "四季酒店", "五一",
    "五台山", "五道口",
    "六安", "六一", "日本", "日语", "日元", "日记", "日子", "天津", "天猫", "天气", "天天", "天黑", "天亮", "天下",
    "二手", "二维码",
    *(f"{number}{counted}" for number in "一二三四五六" for counted in "次遍回场个篇位名家年节届轮份笔岁"),
)  # fmt: skip
"""What makes 周 before it a week, not a weekday: 上周三次, 下周三亚见."""
BEHIND_WEEKDAY: Final = (
    "一起",
    "一直",
    "一定",
    "一早",
    "一大早",
    "一块",
    "一整天",
    "一个人",
    "一样",
    "一般",
    "轮到",
    "轮休",
    "轮班",
)
"""What leaves it one, though the end of a week and its own beginning look like such a word: 周五一起去, 周五轮到我."""

ERAS: Final[Mapping[str, int]] = MappingProxyType({
    "贞观": 627, "永徽": 650, "神龙": 705, "开元": 713, "天宝": 742, "元和": 806, "会昌": 841, "建隆": 960,
    "景德": 1004, "天圣": 1023, "庆历": 1041, "嘉祐": 1056, "熙宁": 1068, "元丰": 1078, "元祐": 1086, "崇宁": 1102,
    "政和": 1111, "宣和": 1119, "靖康": 1126, "建炎": 1127, "绍兴": 1131, "淳熙": 1174, "嘉定": 1208, "咸淳": 1265,
    "至元": 1264, "大德": 1297, "至正": 1341, "洪武": 1368, "建文": 1399, "永乐": 1403, "洪熙": 1425, "宣德": 1426,
    "正统": 1436, "景泰": 1450, "天顺": 1457, "成化": 1465, "弘治": 1488, "正德": 1506, "嘉靖": 1522, "隆庆": 1567,
    "万历": 1573, "泰昌": 1620, "天启": 1621, "崇祯": 1628, "天命": 1616, "天聪": 1627, "崇德": 1636, "顺治": 1644,
    "康熙": 1662, "雍正": 1723, "乾隆": 1736, "嘉庆": 1796, "道光": 1821, "咸丰": 1851, "同治": 1862, "光绪": 1875,
    "宣统": 1909, "民国": 1912, "中华民国": 1912, "明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019,
})  # fmt: skip
"""Names of eras, and the year that was the first of each."""

BOOKED: Final = (
    r"(?:[去飞回到从往][^，,\n的]{1,8})?的[^，。,\n的]{0,5}?(?:票|航班|飞机|高铁|动车|火车|大巴|船|车|酒店|宾馆|旅馆|民宿|客栈|餐厅|饭店"
    "|馆子|房|包间|包厢|位|座|桌|演唱会|音乐会|话剧|演出|电影|展|比赛|马拉松|考试|活动|营|场|号|行程|团|套餐|课)"
)
"""What is bought or booked before its time, behind that time, as a pattern: 周五的餐厅, 4月20号去大阪的机票."""

FESTIVAL_BEFORE: Final = frozenset("在过逢到等近临从自年")
"""What comes before the name of a festival that means its day."""
ON_DAYS: Final = (
    "放假",
    "休",
    "请假",
    "假期",
    "期间",
    "出差",
    "在",
    "去",
    "我",
    "有",
    "旅游",
    "旅行",
    "国庆",
    "春节",
    "五一",
    "调休",
)
"""What follows two dates in figures: 10.1-10.8放假."""
FESTIVAL_AFTER: Final = (
    "那天", "当天", "当日", "前", "后", "之前", "之后", "以前", "以后", "期间", "那晚", "当晚", "到", "至", "起",
    "那", "放", "假", "快乐",
    "当夜", "晚上", "早上", "上午", "下午", "中午", "回", "将", "了", "时候", "这天", "节",
)  # fmt: skip
"""What follows it."""
NO_NEW_YEAR_BEFORE: Final = frozenset(
    "不没超通经度熬难才只吃做用看听住待学见买卖写读玩试穿换喝讲问谈提参办走跑搬养当干碰"
)
"""What comes before 过年 where 过 is no verb of its own: 没见过年轮, 不过年."""
WEATHER: Final = frozenset({"大雪", "小雪", "雨水", "小寒", "大寒", "小满", "白露", "大暑", "小暑", "谷雨", "处暑"})
"""Terms of the year that are weather or names as well, for which 了 after them says nothing."""
SURE: Final = frozenset({"国庆", "清明", "圣诞", "新年", "跨年", "重阳", "中元", "小年"})
"""Names of festivals that are no dish or person, so that a clause after them is enough."""
BEGINS: Final = (
    "我", "你", "他", "她", "咱", "去", "出", "要", "想", "没", "不", "在", "有", "和", "跟", "，", "都", "全",
    "准备", "打算",
)  # fmt: skip
"""What begins a sentence after its time."""

NO_DAY_AFTER: Final = frozenset(
    "家风楼线院门店桌球文机码房坑矿井车厅馆厂台柜室池位首令手铺食区站桥舰窗人选种字钢电口牌仓公库基型病级"
)
"""What follows 8号 where it is the name of a thing: 8号楼, 三号线."""
NO_DAY_BEFORE: Final = frozenset("第住坐乘穿编型座门房桌球楼床账男女")
"""What comes before 8号 where it is the name of a thing."""
COUNTED: Final = frozenset(
    "次个人名位件块元岁本张台辆篇座家只条口杯瓶斤克米公里吨倍成折份场回遍级度层栋款种类项所部首间颗粒把根支枝幅副套双对"
    "盒箱包袋批班列艘架道题页章节课站圈百千万亿%％名.．"
)
"""What is counted by a number right before it, which is then part of no time."""
NO_HOUR_AFTER: Final = (
    "之间", "不同", "也", "建议", "意见", "要求", "原因", "理由", "好处", "内容", "希望", "想法", "体会", "感受",
    "不足", "问题", "说明",
    "共识", "区别",
    "优势", "缺点", "优点", "经验", "启示", "看法", "注意", "提示", "心得", "一线", "水", "钱", "血", "伤害", "积分",
    "几", "档",
    "儿", "点", "头", "心", "力", "事", "疑问", "收获", "教训", "结论", "式", "以上", "了解", "认识", "主要", "重要",
    "关键", "钟爱",
)  # fmt: skip
"""What follows 三点 where it means three points."""
NO_HOUR_BEFORE: Final = frozenset("有这那下提讲几第共差得多扣加减涨跌两早晚快慢小少好轻大")
"""What comes before 三点 where it means three points."""

LASTING: Final = ("历史", "之久", "文明", "岁月", "光阴", "传承")
"""What follows years that are counted: 两千年的历史."""
WEEKS_OF_MONTH: Final = 6
"""How many weeks a month can have."""
WEEKS_OF_YEAR: Final = 53
"""How many weeks a year can have."""
WEEK_BEFORE: Final = frozenset("在从到至于是约等我你他她们咱年，。；：！？、,.:;!? \n")
"""What comes before 第42周 where it is a week of the year, and not of a pregnancy or a course."""

BEFORE_ONE: Final = frozenset("在到从至约于，,。") | {""}
"""What comes before 一点 where it can be one o'clock and not a little."""

NOTHING: Final = (
    # What a unit, a part or an edge of time begins.
    "年轻 年龄 年级 年纪 年糕 年轮 年货 年薪 年味 年夜饭 年幼 年迈 年长 年画 年检 年利率 年终奖 年头 月球 月亮 "
    "月饼 月台 月嫂 月季 月薪 月子 月色 月牙 月收入 日游 日元 日系 周围 周边 周杰伦 周黑鸭 周年 周岁 周庄 周密 "
    "周折 周期性 周易 周旋 周公 周瑜 周恩来 周星驰 周末版 周先生 周女士 周小姐 周六福 周大福 周大生 周生生 周刊 "
    "周身 星期八 礼拜堂 礼拜寺 天津 天猫 天气 天台 天空 天然 天使 天才 天花 天安门 天涯 天线 天真 天赋 天堂 天坛 "
    "天桥 天平 天文 天地 天河 天山 天性 天鹅 天敌 天秤 天蝎 天主 天啊 天哪 天呐 天府 天际 天窗 天天向上 时代 "
    "时尚 时间 时候 时刻 时装 时髦 时差 时针 时常 时期 时机 时光 时事 时速 时政 时空 时而 时不时 时隔 时区 时蔬 "
    "时长 时薪 点心 点赞 点子 点评 点滴 点缀 点名 点头 点燃 点儿 点睛 前面 前台 前任 前提 前途 前进 前方 前辈 "
    "前排 前锋 前女友 前男友 前妻 前夫 前景 前线 前沿 前门 前程 前言 前世 后面 后台 后悔 后果 后代 后来 后勤 "
    "后备 后方 后续 后排 后卫 后人 后者 后盾 后怕 后妈 后院 后门 后背 后脑 后裔 后遗症 后天性 后厨 内容 内部 "
    "内存 内心 内衣 内在 内裤 内地 内科 内蒙 里程 里边 里氏 最后通牒 过去式 过去时 起床 起来 起飞 起火 起码 起初 "
    "起草 起义 起名 起诉 起伏 始终 许多 许可 多少 多么 正常 正好 正在 正确 正是 正式 正宗 正面 整个 整理 整体 "
    "整齐 整整 差点 差别 差距 差评 差劲 差异 初恋 初学 初步 初级 初衷 初心 初中 初始 初次 初稿 初赛 初试 初吻 "
    "初创 初审 初见 初雪 初音 中国 中学 中文 中医 中餐 中奖 中介 中央 中毒 中美 中等 中华 中年 中药 中考 中式 "
    "中信 中山 中东 中心 中途 底下 底层 底线 底部 末路 末端 末班车 尾巴 尾气 尾号 尾款 早点 早餐 早饭 早茶 早读 "
    "早恋 早退 早操 早早 早就 早已 早日 早晚 早市 早教 早产 早高峰 早睡 早起 早班 早场 早报 早安 早泄 早知道 "
    "晚会 晚饭 晚餐 晚霜 晚礼服 晚辈 晚安 晚报 晚点 晚年 晚婚 晚自习 晚到 晚清 晚霞 晚高峰 晚睡 晚宴 晚班 晚场 "
    "晚期 早上好 晚上好 中午好 下午好 上午好 下午茶 午后红茶 晨晨 晨跑 晨练 晨报 晨光文具 晨会 晨曦 夜叉 夜来香 "
    "夜光 夜市 夜宵 夜总会 夜店 夜景 夜班 夜跑 夜盲 夜莺 春卷 春联 春游 春运 春晚 春装 春招 夏令营 夏令时 夏装 "
    "夏威夷 秋千 秋裤 秋衣 秋装 秋招 秋游 冬奥 冬令营 冬装 冬泳 半夏 半天 半价 半路 半月板 半月刊 半年报 半年线 "
    "上半身 下半身 上半场 下半场 本身 本人 今日头条 今日说法 今麦郎 明日之后 明日之星 明日方舟 明日香 明天系 "
    "昨日重现 打春 拜年 过节 过生日 "
    "过年好 过年轻 过年糕 过年龄 过年级 过年夜 过年薪 过年检 过年报 过年货 过年会 过年代 过年度 "
    "过分 过敏 "
    # What one ends.
    "聪明 文明 光明 说明 证明 发明 表明 透明 声明 鲜明 精明 高明 昆明 小明 阐明 查明 注明 指明 失明 分明 开明 "
    "英明 判明 标明 启明 三明治 古今 然后 背后 随后 此后 落后 先后 事后 饭后 课后 会后 产后 术后 提前 从前 眼前 "
    "面前 生前 空前 史前 婚前 饭前 睡前 课前 产前 路上 街上 马上 身上 楼上 网上 手上 世上 床上 车上 桌上 地上 "
    "墙上 心上 看上 爱上 赶上 加上 遇上 穿上 脸上 头上 山上 海上 会上 船上 线上 补上 追上 碰上 关上 写上 算上 "
    "带上 戴上 考上 走上 基本上 事实上 实际上 一下 楼下 地下 乡下 底下 手下 剩下 留下 放下 坐下 等下 私下 名下 "
    "部下 如下 脚下 树下 写下 拿下 吃下 喝下 躺下 停下 买下 生下 落下 日本 基本 成本 资本 版本 剧本 课本 原本 "
    "根本 样本 书本 笔记本 文本 标本 副本 亏本 蓝本 正当 应当 适当 相当 不当 便当 担当 回去 失去 出去 进去 上去 "
    "下去 离去 死去 拿去 带去 没过 才过 只过 不过 超过 通过 经过 度过 熬过 难过 吃过 去过 来过 用过 看过 做过 "
    "听过 住过 待过 学过 见过 小时候 小时工 "
    # Numbers that are none, and names with one.
    "一直 一起 一样 一些 一定 一切 一般 一共 一旦 一边 一路 一同 一向 一致 一再 一味 一带 一会儿 一会 一点点 "
    "一点儿 一半 一生 一辈子 一心 一律 一句 一流 一览 一阵子 一阵 有一天 哪一天 某一天 一天到晚 一年四季 "
    "一年到头 十分感谢 十分重要 十字 百岁山 千万 万一 万年青 万岁 万能 万事 万达 三亚 三峡 三国 三文鱼 三星手机 "
    "三星电子 三轮 三里屯 三角 三毛 三心二意 四季酒店 四季如春 四季青 四季豆 四川 五一路 五一广场 五道口 五台山 "
    "五四路 五四广场 八一中学 八一路 八一电影 七一广场 七一路 六一居士 六安 六神 二十四桥 二十四节气 二手 二维码 "
    "二胡 二楼 七天酒店 七天连锁 七天无理由 五月天 八月长安 九寨沟 十三香 十三陵 七匹狼 四大 五官 五金 五花 五仁 "
    "六味 八卦 八宝 八折 九折 百度 百货 高三 高二 高一 大三 大二 大一 大四 研一 研二 研三 老三 小三 公元素 "
    "王重阳 巴斯光年 清明上河 国庆哥 腊八蒜 元宵馅 二月河 五月花 七月流火 八月桂花 百年孤独 一日三餐 日复一日 "
    "年复一年 一刻也 同年同月 星期五餐厅 黑色星期五电影 周口店 周口市 周记 仲夏夜 新春快乐 农历新年快乐 闰土 "
    "腊肉 腊肠 "
    # What shows something, what only happens to be at a time, and what is often.
    "说明天气 说明天赋 说明天生 说明天然 说明年轻 说明年龄 说明年纪 说明早就 说明早已 说明早晚 说明日常 说明日本 "
    "恰逢 适逢 正逢 又逢 时逢 欣逢 喜逢 相逢 重逢 逢年过节 隔三差五 隔三岔五 "
)
"""Words and names in which something looks like a time, and is none, with spaces between."""
SPLITS: Final[Mapping[str, int]] = MappingProxyType({
    "后天气": 1, "后天黑": 1, "后天亮": 1, "后天天": 1, "后年轻": 1, "前天气": 1, "前天黑": 1, "前天天": 1,
    "天下午": 1, "天上午": 1,
    "过年终": 1, "过年底": 1, "过年末": 1, "过年初": 1, "过年中": 1, "过年会回": 2, "过年会去": 2, "过年会来": 2,
    "过年好多": 2, "过年好几": 2,
    "过年好热": 2, "过年好冷": 2,
    "说明天": 1, "说明日": 1, "说明早": 1, "说明晚": 1, "说明年": 1, "说明儿": 1,
    "年中午": 1, "至今年": 1, "至今天": 1, "至今日": 1, "至今晚": 1,
})  # fmt: skip
"""Where the longest word is the wrong one: how many characters to take instead."""

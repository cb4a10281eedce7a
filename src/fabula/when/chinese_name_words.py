"""Chinese names, titles and sayings that have a word of time in them and say none, as tables; no logic."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NAMES: Final = (
    # Songs, films, series, books and programmes, as people write them without brackets.
    "明天会更好 春天里这首歌 春天的故事 春天花会开 夏天的风 秋天不回来 秋天的童话 冬天的秘密 冬季恋歌 冬天里的一把火 "
    "冬日恋歌 夏日福星 夏日大作战 夏目友人帐 春夏秋冬又一春 昨日青空 昨日重现 明日边缘 明日帝国 明日战记 明日之子 "
    "明日之城 今天你要嫁给我 今夜无人入睡 今夜有戏 今晚打老虎 今生今世 今日关注 今日亚洲 十年一品温如言 一千年以后 "
    "千年等一回 千年之恋 爱你一万年 一天一万年 七月与安生 七月上 四月物语 四月是你的谎言 三月里的小雨 三月的烟雨 "
    "五月的花海 五月之恋 早春二月 八月照相馆 八月迷情 八月未央 九月奇迹 十月围城 十月初五的月光 十二月的奇迹 "
    "十一月的萧邦 九月九的酒 星期三的信 星期天恋人 周末画报 周末父母 忧郁星期天 午夜凶铃 午夜巴黎 午夜之子 午夜飞行 "
    "午夜阳光 午夜牛郎 午夜快车 子夜歌 子夜吴歌 一九四二 二十五史 二十四史 百年巨匠 半月谈 半小时漫画 十点读书 "
    "十点半剧场 八点半剧场 晚间新闻 早间新闻 午间新闻 一周的偶像 一年级生 夜半歌声 春江花月夜 早春图 "
    # Brands, firms, shops, schools and places.
    "十月稻田 十月结晶 十月妈咪 九月奢 三月软件 七日鲜 三点一刻奶茶 二十世纪福克斯 20世纪福克斯 21世纪福克斯 "
    "二十一世纪不动产 21世纪不动产 二十一世纪经济报道 21世纪经济报道 二十一世纪酒店 今日资本 今日世界 明日控股 今世缘 "
    "春秋航空 春秋旅行 春秋旅游 春秋战国 周六福 周大福 三月街 复活节岛 圣诞岛 五一大道 五四大街 五四运动 五四青年 "
    "六一幼儿园 六一儿童医院 七一中学 八一南昌 八一队 八一男篮 八一冰川 八一镇 八一湖 双十协定 十一中学 十一学校 "
    "十一届 五卅运动 三八路 三八大盖 三八线 国庆路 重阳路 重阳木 元旦路 半月湾 日落大道 "
    # Plants, dishes, drinks and things.
    "二月兰 二月蓝 三月泡 五月艾 六月雪 六月柿 六月红 七月瓜 八月瓜 八月炸 九月菊 九月泡 百日红 百日菊 百日草 百日咳 "
    "千日红 千日醉 千年木 千年健 万年草 万年历 千年虫 夏至草 一年蓬 一年生 二年生 三秒胶 五秒胶 中秋月饼 端午粽 "
    "端午香囊 重阳糕 重阳酒 腊八粥 腊八豆 清明粿 清明果 清明茶 谷雨茶 春分糕 七夕巧果 七夕巧克力 圣诞树 圣诞老人 "
    "圣诞帽 圣诞袜 圣诞歌 圣诞卡 圣诞红 圣诞装 圣诞花 情人节餐厅 情人节套餐 新年糕 "
    # Sayings, and what is no length.
    "一日之计 一年之计 一日三秋 一日千里 如隔三秋 三天打鱼 两天晒网 三天两头 十年磨一剑 十年树木 十年寒窗 百年树人 "
    "百年好合 百年大计 百年不遇 百年难遇 百年老店 百年老字号 百年润发 百年陈酿 千年一遇 千年老二 遗臭万年 一刻千金 "
    "一刻值千金 春宵一刻 朝三暮四 朝九晚五 早九晚五 早九晚六 寒冬腊月 数九寒天 三九天 三伏天 五黄六月 六月飞雪 "
    "八月飞雪 六月债 十冬腊月 一夜暴富 一夜成名 一夜情 三分钟热度 五分钟热度 两分钟热度 三分钟热血 五秒定律 一秒入戏 "
    "一秒变 一秒破防 三秒记忆 七秒记忆 百日誓师 百日维新 百日宴 一日夫妻 百日恩 养兵千日 士别三日 躲得过初一 "
    "躲不过十五 躲过初一 做一天和尚 撞一天钟 正月剃头 十月怀胎 五月病 一刻钟便民 一刻钟生活圈 五分钟商学院 一周穿搭 "
    "点钟方向 三点一四 三点水 两点水 三点式 两点一线 三点一线 后天努力 后天养成 后天培养 后天形成 后天免疫 后天因素 "
    "后天习得 后天教育 后天环境 三日月 现在进行时 当年明月 半夜鸡叫 "
    "八十天环游地球 三月兔 周一围 周天成 周一鸣 "
    # What begins as the end of a time does.
    "天价 月票 底薪 秒杀 秒懂 点击 周润发 周迅 周冬雨 年制大 年制本 年制硕 年制中 年制专 年制小 年制的 "
    "年期国债 年期定期 年一班 年二班 年三班 年四班 年五班 年六班 年1班 年2班 年3班 年4班 年5班 年6班 "
)
"""With spaces between."""

CROSSING: Final = (
    "天鹅", "年轻人", "年级", "年糕", "年龄", "年夜饭", "月饼", "月嫂", "月球", "钟爱", "钟情",
    "节目组", "节目不", "节目很", "节目真", "节目的", "节约", "节能", "节省",
)  # fmt: skip
"""Words that win over a time that ends in their first character: 白天鹅, 十分钟爱, 儿童节目."""

SPLITS: Final[Mapping[str, int]] = MappingProxyType({
    "前提交": 1, "前提出": 1, "前提到": 1, "前提过": 1, "前提醒": 1, "前提前": 1, "前途经": 1, "前任职": 1,
    "前方可": 1, "前进行": 1, "前进货": 1, "前排队": 1, "前景点": 1, "前台风": 1, "前门铃": 1, "前门口": 1,
    "后台风": 1, "后续费": 1, "后续签": 1,
    "后续约": 1, "后续租": 1, "后来到": 1, "后来电": 1, "后来接": 1, "后来找": 1, "后方可": 1, "后方能": 1, "后备考": 1,
    "后备案": 1, "后排队": 1, "后代表": 1, "后代购": 1, "后果然": 1, "后果真": 1, "后门诊": 1, "内部署": 1, "内存入": 1,
    "月票房": 1, "周刊登": 1, "周刊发": 1, "底薪水": 1, "底薪资": 1, "底薪酬": 1, "天价格": 1, "天价钱": 1, "天价位": 1,
})  # fmt: skip
"""Where such a word is the wrong one: how many of its characters to take instead."""

CALLED: Final = (
    "叫", "叫做", "叫作", "取名", "起名", "取名为", "名为", "外号", "昵称",
    "小名", "大名", "网名", "艺名", "笔名", "绰号",
)  # fmt: skip
"""What comes before a name that ends its clause."""
NAME_AFTER: Final = (
    "(?:就|也)?是[^，。！？；,\n]{0,9}(?:名字|网名|外号|小名|昵称|艺名|笔名|绰号|微信名|英文名|花名)"
    "|这个(?:名字|网名|词|牌子|品牌)|(?:这|那)(?:首|支)(?:老|新)?[歌曲诗舞]|(?:这|那)[部本](?:老|新)?(?:电影|片子|小说|剧)"
)
"""What comes after a name, as a pattern."""
HOUSES: Final = (
    "乐队|乐团|合唱团|剧团|工作室|传媒|影视|书店|书屋|咖啡|奶茶|茶馆|面馆|酒馆|民宿|客栈|照相馆|理发店|饼店|堂"
)
"""What a time of day or a term of the year is the name of, right before it, as a pattern."""
MEETING: Final = "见等碰聚集"
"""What is done at a place at a time, which then is none of its name: 六点半咖啡馆见."""
SCORED: Final = ("豆瓣", "评分", "打分", "得分", "口碑", "给了", "打了", "打")
"""What a number of points and tenths comes after: 豆瓣八点三分."""
COUNTING: Final = ("列举", "补充", "归纳", "概括", "以下", "如下", "分为", "分成", "总共", "一共", "仅有", "存在")
"""What comes before 三点 where it means three points."""
TELLING: Final = (
    "强调", "总结", "指出", "就", "说", "讲", "谈", "聊", "记住", "注意", "做到", "满足", "明确", "分享", "学到",
    "写了", "补充了", "列了", "说了", "讲了", "强调了", "总结了", "提了", "改了", "做到了",
)  # fmt: skip
"""What comes before three points that end their clause."""
CLAUSE_END: Final = frozenset("，。！？；、,.!?;\n啊吧呢")
"""What comes after the last word of a clause."""
BEARER: Final = "哥(?!哥)|姐(?![姐夫妹])|叔(?!叔)|是一种|是个(?:人|品牌|牌子|地名)"
"""What follows the name of somebody or something, as a pattern."""
SURNAMES: Final = (
    "李王张刘陈杨赵黄吴徐孙胡朱郭马罗梁宋郑谢韩唐冯董程曹袁邓傅沈曾彭吕苏卢蒋蔡"
    "贾丁魏薛叶潘杜戴汪姜范姚谭廖邹郝崔邱秦顾邵孟尹黎乔贺龚"
)
"""What comes before the rest of a name, at the beginning of a clause."""
CLAUSE: Final = ("，", "、", ",", "前", "后", "那", "当", "期", "假", "放", "的时候")
"""What shows that a holiday is meant even so."""

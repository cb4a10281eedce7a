"""How the commonest Chinese surnames are written in Latin letters; knows no given names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_TABLE: Final = """
王 wang wong ong
李 li lee
张 zhang chang cheung teo
刘 liu lau lew
陈 chen chan tan chin
杨 yang yeung young
黄 huang wong hwang ng ooi
赵 zhao chao chiu
吴 wu ng woo goh
周 zhou chow chou chew
徐 xu hsu tsui chee
孙 sun suen
马 ma mah
朱 zhu chu choo
胡 hu wu woo
郭 guo kuo kwok quek
何 he ho
林 lin lam lim
高 gao kao ko
罗 luo lo law
郑 zheng cheng tay teh
梁 liang leung leong neo
谢 xie hsieh tse cheah
宋 song sung soong
唐 tang tong
许 xu hsu hui koh
韩 han hon
冯 feng fung fong
邓 deng teng tang
曹 cao tsao tso cho
彭 peng pang phang
曾 zeng tseng tsang chan
萧 xiao hsiao siu
肖 xiao hsiao siu
田 tian tien tin
董 dong tung
袁 yuan yuen
潘 pan poon phua
于 yu yue
蒋 jiang chiang cheung
蔡 cai tsai choi chua choy
余 yu yue yee
杜 du tu to
叶 ye yeh yip yap
程 cheng ching
苏 su so soh
魏 wei ngai
吕 lu lv lyu lui
丁 ding ting
任 ren jen yam
沈 shen shum sim
姚 yao yiu yeo
卢 lu lo loo
姜 jiang chiang keung
崔 cui tsui choi
钟 zhong chung
谭 tan tam tham
陆 lu luk
汪 wang wong
范 fan
金 jin chin kam king
石 shi shih shek
廖 liao liew liu
贾 jia chia
夏 xia hsia ha
韦 wei wai
付 fu foo
傅 fu foo
方 fang fong
白 bai pai pak
邹 zou tsou chau
孟 meng mang
熊 xiong hsiung hung
秦 qin chin tsun
邱 qiu chiu yau khoo
江 jiang chiang kong
尹 yin wan
薛 xue hsueh sit
闫 yan yen yim
段 duan tuan
雷 lei lui
侯 hou hau
龙 long lung
史 shi shih
陶 tao to
黎 li lai
贺 he ho
顾 gu ku koo
毛 mao mo
郝 hao kok
龚 gong kung
邵 shao shiu
万 wan man
钱 qian chien chin
严 yan yen yim
武 wu mo
戴 dai tai
欧阳 ouyang auyeung
司马 sima szema
诸葛 zhuge chuko
上官 shangguan
"""

ROMANISED: Final[Mapping[str, frozenset[str]]] = {
    surname: frozenset(written) for surname, *written in map(str.split, _TABLE.split("\n")[1:-1])
}
"""Each surname with how it is written: Hanyu Pinyin, Wade-Giles, and as in Hong Kong and Southeast Asia."""

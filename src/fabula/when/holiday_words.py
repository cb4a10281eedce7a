"""The names of holidays in English and Chinese, and the dates that need no calculation but a count; no logic.

It knows no Hebrew, Islamic or Hindu date, and lists only one spelling of what `holidays.spellings` can vary.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

MON, TUE, WED, THU, FRI, SAT, SUN = range(7)

# --- Dates ---------------------------------------------------------------------------------------------------------

FIXED: Final[Mapping[str, tuple[int, ...]]] = {
    "new_years_day": (1, 1), "twelfth_night": (1, 5), "epiphany": (1, 6), "orthodox_christmas": (1, 7),
    "police_day_cn": (1, 10), "burns_night": (1, 25), "australia_day": (1, 26), "republic_day_in": (1, 26),
    "holocaust_remembrance": (1, 27), "imbolc": (2, 1), "groundhog_day": (2, 2), "candlemas": (2, 2),
    "waitangi_day": (2, 6), "valentines_day": (2, 14), "leap_day": (2, 29), "peace_memorial_tw": (2, 28),
    "st_davids_day": (3, 1), "lei_feng_day": (3, 5), "womens_day": (3, 8), "girls_day_cn": (3, 7),
    "arbor_day_cn": (3, 12), "pi_day": (3, 14), "white_day": (3, 14), "consumer_day": (3, 15), "ides_of_march": (3, 15),
    "st_patricks_day": (3, 17), "annunciation": (3, 25), "youth_day_tw": (3, 29),
    "april_fools": (4, 1), "childrens_day_tw": (4, 4), "songkran": (4, 13, 3), "tax_day": (4, 15), "earth_day": (4, 22),
    "book_day": (4, 23), "st_georges_day": (4, 23), "space_day_cn": (4, 24), "anzac_day": (4, 25),
    "kings_day_nl": (4, 27), "walpurgis_night": (4, 30), "labour_day": (5, 1), "youth_day_cn": (5, 4),
    "star_wars_day": (5, 4), "cinco_de_mayo": (5, 5), "ve_day": (5, 8), "victory_day_ru": (5, 9), "nurses_day": (5, 12),
    "museum_day": (5, 18), "five_twenty": (5, 20), "childrens_day": (6, 1), "environment_day": (6, 5), "d_day": (6, 6),
    "flag_day_us": (6, 14), "shopping_618": (6, 18), "juneteenth": (6, 19), "midsummer": (6, 24), "drugs_day": (6, 26),
    "canada_day": (7, 1), "party_day_cn": (7, 1), "hong_kong_handover": (7, 1), "independence_day_us": (7, 4),
    "marco_polo_bridge": (7, 7), "bastille_day": (7, 14), "army_day_cn": (8, 1), "lammas": (8, 1),
    "national_day_sg": (8, 9), "assumption": (8, 15), "independence_day_in": (8, 15), "doctors_day_cn": (8, 19),
    "victory_day_cn": (9, 3), "teachers_day_cn": (9, 10), "september_11": (9, 11), "constitution_day_us": (9, 17),
    "september_18": (9, 18), "michaelmas": (9, 29), "martyrs_day_cn": (9, 30),
    "national_day_cn": (10, 1), "national_week_cn": (10, 1, 7), "gandhi_jayanti": (10, 2), "unity_day_de": (10, 3),
    "double_tenth": (10, 10), "united_nations_day": (10, 24),
    "programmers_day_cn": (10, 24), "retrocession_tw": (10, 25),
    "halloween": (10, 31), "all_saints": (11, 1), "all_souls": (11, 2), "day_of_the_dead": (11, 2),
    "guy_fawkes": (11, 5), "journalists_day_cn": (11, 8), "fire_safety_cn": (11, 9), "remembrance_day": (11, 11),
    "veterans_day": (11, 11), "singles_day": (11, 11), "martinmas": (11, 11), "st_andrews_day": (11, 30),
    "aids_day": (12, 1), "constitution_day_cn": (12, 4), "st_nicholas": (12, 6), "pearl_harbor_day": (12, 7),
    "bodhi_day": (12, 8), "immaculate_conception": (12, 8), "human_rights_day": (12, 10), "double_twelve": (12, 12),
    "nanjing_memorial": (12, 13), "st_lucy": (12, 13), "macau_handover": (12, 20), "christmas_eve": (12, 24),
    "christmas": (12, 25), "twelve_days_of_christmas": (12, 25, 12), "boxing_day": (12, 26), "kwanzaa": (12, 26, 7),
    "new_years_eve": (12, 31),
}  # fmt: skip
"""Month, day, days."""

WEEKDAYS: Final[Mapping[str, tuple[int, ...]]] = {
    "mlk_day": (3, MON, 1), "presidents_day": (3, MON, 2), "family_day_ca": (3, MON, 2), "patriots_day": (3, MON, 4),
    "arbor_day_us": (-1, FRI, 4), "early_may_bank_holiday": (1, MON, 5), "mothers_day": (2, SUN, 5),
    "armed_forces_day": (3, SAT, 5), "memorial_day": (-1, MON, 5), "spring_bank_holiday": (-1, MON, 5),
    "kings_birthday_au": (2, MON, 6), "fathers_day": (3, SUN, 6), "parents_day": (4, SUN, 7),
    "friendship_day": (1, SUN, 8), "civic_holiday_ca": (1, MON, 8), "summer_bank_holiday": (-1, MON, 8),
    "labor_day_us": (1, MON, 9), "grandparents_day": (1, MON, 9, 6), "columbus_day": (2, MON, 10),
    "thanksgiving_ca": (2, MON, 10), "election_day_us": (1, MON, 11, 1), "melbourne_cup": (1, TUE, 11),
    "remembrance_sunday": (2, SUN, 11), "thanksgiving": (4, THU, 11), "black_friday": (4, THU, 11, 1),
    "small_business_saturday": (4, THU, 11, 2), "cyber_monday": (4, THU, 11, 4), "giving_tuesday": (4, THU, 11, 5),
}  # fmt: skip
"""Which weekday of the month, days after it."""

EASTER: Final[Mapping[str, tuple[int, ...]]] = {
    "shrove_monday": (-48,), "shrove_tuesday": (-47,), "ash_wednesday": (-46,), "mothering_sunday": (-21,),
    "palm_sunday": (-7,), "holy_week": (-7, 7), "maundy_thursday": (-3,), "good_friday": (-2,),
    "holy_saturday": (-1,), "easter": (0,), "easter_monday": (1,), "divine_mercy_sunday": (7,), "ascension_day": (39,),
    "pentecost": (49,), "whit_monday": (50,), "trinity_sunday": (56,), "corpus_christi": (60,), "sacred_heart": (68,),
}  # fmt: skip
"""Days after Easter Sunday, days."""

ORTHODOX: Final[Mapping[str, tuple[int, ...]]] = {
    "clean_monday": (-48,), "great_lent": (-48, 40), "lazarus_saturday": (-8,), "orthodox_palm_sunday": (-7,),
    "orthodox_maundy_thursday": (-3,), "orthodox_good_friday": (-2,), "orthodox_holy_saturday": (-1,),
    "orthodox_easter": (0,), "orthodox_easter_monday": (1,), "orthodox_ascension_day": (39,),
    "orthodox_pentecost": (49,), "orthodox_whit_monday": (50,), "orthodox_all_saints": (56,),
}  # fmt: skip

LUNAR: Final[Mapping[str, tuple[int, ...]]] = {
    "spring_festival": (1, 1), "god_of_wealth_day": (1, 5), "renri": (1, 7), "lantern_festival": (1, 15),
    "longtaitou": (2, 2), "guanyin_birthday": (2, 19), "shangsi": (3, 3), "mazu_birthday": (3, 23),
    "buddhas_birthday": (4, 8), "vesak": (4, 15), "dragon_boat": (5, 5), "tiankuang": (6, 6), "qixi": (7, 7),
    "ghost_festival": (7, 15), "mid_autumn": (8, 15), "double_ninth": (9, 9), "hanyi": (10, 1), "xiayuan": (10, 15),
    "laba": (12, 8), "weiya": (12, 16), "little_new_year": (12, 23), "little_new_year_south": (12, 24),
}  # fmt: skip
"""Month, day."""

TERMS: Final[Mapping[str, str]] = {
    "xiaohan": "小寒", "dahan": "大寒", "lichun": "立春", "yushui": "雨水", "jingzhe": "惊蛰", "chunfen": "春分",
    "qingming": "清明", "guyu": "谷雨", "lixia": "立夏", "xiaoman": "小满", "mangzhong": "芒种", "xiazhi": "夏至",
    "xiaoshu": "小暑", "dashu": "大暑", "liqiu": "立秋", "chushu": "处暑", "bailu": "白露", "qiufen": "秋分",
    "hanlu": "寒露", "shuangjiang": "霜降", "lidong": "立冬", "xiaoxue": "小雪", "daxue": "大雪", "dongzhi": "冬至",
}  # fmt: skip
"""The solar term of each key."""

# --- Names ---------------------------------------------------------------------------------------------------------

_ENGLISH: Final[Mapping[str, str]] = {
    "new_years_day": "new year's day|new year's|new year day|new year",
    "new_years_eve": "new year's eve|new year eve|nye|hogmanay|st sylvester's day|silvester",
    "twelfth_night": "twelfth night",
    "epiphany": "epiphany|three kings day|three kings' day|feast of the epiphany|día de reyes|dia de reyes",
    "orthodox_christmas": "orthodox christmas|orthodox christmas day|russian christmas",
    "burns_night": "burns night|burns' night",
    "australia_day": "australia day|invasion day",
    "republic_day_in": "indian republic day|republic day of india|republic day india|republic day",
    "holocaust_remembrance": "international holocaust remembrance day|holocaust memorial day",
    "imbolc": "imbolc|st brigid's day",
    "groundhog_day": "groundhog day|groundhog's day",
    "candlemas": "candlemas|candlemas day",
    "waitangi_day": "waitangi day",
    "valentines_day": "valentine's day|st valentine's day|v-day|feast of st valentine|valentine's",
    "leap_day": "leap day",
    "peace_memorial_tw": "peace memorial day",
    "st_davids_day": "st david's day",
    "womens_day": "women's day|international women's day|world women's day",
    "pi_day": "pi day",
    "white_day": "white day",
    "consumer_day": "world consumer rights day|consumer rights day",
    "ides_of_march": "ides of march",
    "st_patricks_day": "st patrick's day|st paddy's day|st patty's day|paddy's day|patrick's day",
    "annunciation": "annunciation|annunciation day|lady day|feast of the annunciation",
    "april_fools": "april fool's day|april fool's|april fools' day|april fools",
    "songkran": "songkran|thai new year",
    "tax_day": "tax day",
    "earth_day": "earth day|international mother earth day",
    "book_day": "world book day|world book and copyright day",
    "st_georges_day": "st george's day",
    "anzac_day": "anzac day",
    "kings_day_nl": "king's day|koningsdag",
    "walpurgis_night": "walpurgis night|walpurgisnacht",
    "labour_day": "may day|international workers' day|workers' day|international worker's day"
    "|international labour day|international labor day",
    "star_wars_day": "star wars day",
    "cinco_de_mayo": "cinco de mayo",
    "ve_day": "ve day|v-e day|victory in europe day",
    "victory_day_ru": "victory day",
    "nurses_day": "international nurses day|nurses' day",
    "museum_day": "international museum day",
    "childrens_day": "children's day|international children's day|world children's day",
    "environment_day": "world environment day",
    "d_day": "d-day",
    "flag_day_us": "flag day",
    "juneteenth": "juneteenth|juneteenth day|juneteenth independence day|freedom day|jubilee day|emancipation day"
    "|juneteenth national independence day",
    "midsummer": "midsummer's day|midsummer day|midsummer|st john's day|st jean baptiste day",
    "canada_day": "canada day|dominion day",
    "independence_day_us": "independence day|us independence day|american independence day|fourth of july"
    "|4th of july|july fourth|july 4th",
    "bastille_day": "bastille day|french national day",
    "lammas": "lammas|lughnasadh",
    "national_day_sg": "singapore national day|singapore's national day",
    "assumption": "assumption|assumption day|assumption of mary|feast of the assumption",
    "independence_day_in": "indian independence day|india's independence day|independence day of india",
    "september_11": "9/11|patriot day",
    "constitution_day_us": "constitution day|citizenship day",
    "michaelmas": "michaelmas|michaelmas day",
    "teachers_day_cn": "teachers' day|chinese teachers' day",
    "national_day_cn": "national day|chinese national day|china's national day|national day of china"
    "|national day of the people's republic of china|prc national day",
    "national_week_cn": "golden week|national day holiday|national day golden week|chinese golden week"
    "|national day week",
    "gandhi_jayanti": "gandhi jayanti|gandhi's birthday|mahatma gandhi's birthday",
    "unity_day_de": "german unity day|day of german unity",
    "double_tenth": "double tenth|double tenth day|double ten day|national day of taiwan|taiwan national day",
    "united_nations_day": "united nations day|un day",
    "halloween": "halloween|hallowe'en|all hallows' eve|halloween day|halloween night|halloween's eve",
    "all_saints": "all saints' day|all hallows' day|all hallows|hallowmas|feast of all saints"
    "|solemnity of all saints",
    "all_souls": "all souls' day|commemoration of all the faithful departed",
    "day_of_the_dead": "day of the dead|día de los muertos|dia de los muertos|día de muertos|dia de muertos",
    "guy_fawkes": "guy fawkes day|guy fawkes night|guy fawkes|bonfire night|fireworks night",
    "remembrance_day": "remembrance day|armistice day|poppy day",
    "veterans_day": "veterans day|veteran's day",
    "singles_day": "singles' day|single's day|double eleven|double 11|bachelor's day",
    "martinmas": "martinmas|st martin's day",
    "st_andrews_day": "st andrew's day",
    "aids_day": "world aids day",
    "st_nicholas": "st nicholas day|st nicholas' day|st nick's day|sinterklaas",
    "pearl_harbor_day": "pearl harbor day|pearl harbor remembrance day|national pearl harbor remembrance day",
    "bodhi_day": "bodhi day",
    "immaculate_conception": "immaculate conception|feast of the immaculate conception|immaculate conception day",
    "human_rights_day": "human rights day",
    "double_twelve": "double twelve|double 12",
    "st_lucy": "st lucy's day|st lucia's day|st lucia day",
    "christmas_eve": "christmas eve|xmas eve|x-mas eve|christmas' eve|nochebuena",
    "christmas": "christmas|christmas day|xmas|xmas day|x-mas|x-mas day|noel|noël|nativity of the lord",
    "twelve_days_of_christmas": "twelve days of christmas|twelvetide",
    "boxing_day": "boxing day|st stephen's day|second day of christmas",
    "kwanzaa": "kwanzaa",
    "mlk_day": "martin luther king day|martin luther king's day|martin luther king jr day"
    "|martin luther king jr's day|martin luther king jr.'s day|dr. martin luther king day"
    "|dr. martin luther king jr day|mlk day|mlk jr day|martin luther king's birthday",
    "presidents_day": "presidents' day|washington's birthday|washington's day|george washington's birthday",
    "family_day_ca": "family day|louis riel day",
    "patriots_day": "patriots' day",
    "arbor_day_us": "arbor day",
    "early_may_bank_holiday": "early may bank holiday|may day bank holiday",
    "spring_bank_holiday": "spring bank holiday|late may bank holiday",
    "summer_bank_holiday": "summer bank holiday|august bank holiday|late august bank holiday",
    "mothers_day": "mother's day|mothers' day",
    "armed_forces_day": "armed forces day",
    "memorial_day": "memorial day|decoration day",
    "kings_birthday_au": "king's birthday|queen's birthday",
    "fathers_day": "father's day|fathers' day",
    "parents_day": "parents' day",
    "friendship_day": "friendship day",
    "civic_holiday_ca": "civic holiday|natal day|simcoe day",
    "labor_day_us": "labor day|labour day",
    "grandparents_day": "grandparents' day|grandparent's day|national grandparents day",
    "columbus_day": "columbus day|indigenous peoples' day|indigenous people's day",
    "thanksgiving_ca": "canadian thanksgiving|canadian thanksgiving day|thanksgiving in canada",
    "election_day_us": "election day|us election day",
    "melbourne_cup": "melbourne cup day|melbourne cup",
    "remembrance_sunday": "remembrance sunday",
    "thanksgiving": "thanksgiving|thanksgiving day|american thanksgiving|us thanksgiving|turkey day",
    "black_friday": "black friday",
    "small_business_saturday": "small business saturday",
    "cyber_monday": "cyber monday",
    "giving_tuesday": "giving tuesday",
    "administrative_professionals_day": "administrative professionals' day|administrative professional's day"
    "|secretaries' day|secretary's day|admin day|admins' day",
    "boss_day": "boss's day|bosses' day|boss day|national boss day|national boss's day",
    "victoria_day": "victoria day",
    "earth_hour": "earth hour",
    "advent": "advent|advent season",
    "advent_sunday": "advent sunday|first sunday of advent|first advent",
    "shrove_monday": "shrove monday|rose monday|rosenmontag|collop monday",
    "shrove_tuesday": "shrove tuesday|pancake day|pancake tuesday|fat tuesday|mardi gras|pancake night",
    "ash_wednesday": "ash wednesday",
    "lent": "lent|lenten season|season of lent|lent season",
    "mothering_sunday": "mothering sunday|laetare sunday",
    "palm_sunday": "palm sunday|branch sunday",
    "holy_week": "holy week",
    "maundy_thursday": "maundy thursday|holy thursday|great thursday|sheer thursday|thursday of mysteries",
    "good_friday": "good friday|holy friday|great friday",
    "holy_saturday": "holy saturday|easter saturday|easter eve|black saturday|great sabbath|easter vigil"
    "|easter sat",
    "easter": "easter|easter sunday|easter day|easter sun|resurrection sunday|pascha",
    "easter_monday": "easter monday|easter mon|bright monday|dyngus day",
    "divine_mercy_sunday": "divine mercy sunday|low sunday",
    "ascension_day": "ascension day|ascension thursday|feast of the ascension|ascension",
    "pentecost": "pentecost|pentecost sunday|whitsunday|whit sunday|white sunday|whitsun|whitsuntide",
    "whit_monday": "whit monday|pentecost monday|monday of the holy spirit|whitmonday",
    "trinity_sunday": "trinity sunday|feast of the holy trinity",
    "corpus_christi": "corpus christi|feast of corpus christi|corpus domini",
    "sacred_heart": "feast of the sacred heart|sacred heart day",
    "clean_monday": "clean monday|pure monday|orthodox ash monday|orthodox shrove monday|ash monday",
    "great_lent": "great lent|great fast|orthodox lent|orthodox great lent|orthodox great fast",
    "lazarus_saturday": "lazarus saturday",
    "orthodox_all_saints": "orthodox all saints' day|orthodox all saints sunday",
    "spring_festival": "chinese new year|chinese new year's day|lunar new year|lunar new year's day"
    "|spring festival|cny|chinese lunar new year|vietnamese new year|korean new year|seollal|tet|tết",
    "lunar_new_years_eve": "chinese new year's eve|lunar new year's eve|chinese lunar new year's eve"
    "|spring festival eve",
    "lantern_festival": "lantern festival|yuanxiao festival|shangyuan festival|yuan xiao festival",
    "longtaitou": "dragon head raising day|dragon raising its head|longtaitou festival|longtaitou",
    "qingming": "qingming festival|qingming|ching ming festival|ching ming|tomb sweeping day|tomb-sweeping day"
    "|tomb sweeping festival|qing ming|qing ming festival|pure brightness festival",
    "cold_food_festival": "cold food festival|hanshi festival",
    "buddhas_birthday": "buddha's birthday|birthday of the buddha|bathing the buddha festival",
    "vesak": "vesak|vesak day|wesak|wesak day|vaisakha|buddha day|buddha's day",
    "dragon_boat": "dragon boat festival|duanwu festival|duanwu|tuen ng festival|double fifth festival"
    "|dragonboat festival",
    "qixi": "qixi festival|qixi|chinese valentine's day|double seventh festival|qi xi",
    "ghost_festival": "ghost festival|hungry ghost festival|zhongyuan festival|hungry ghosts festival"
    "|yulan festival",
    "mid_autumn": "mid-autumn festival|mid-autumn day|mid-autumn|mooncake festival|moon festival"
    "|zhongqiu festival|chuseok|midautumn festival",
    "double_ninth": "double ninth festival|chongyang festival|double ninth|chung yeung festival|chung yeung"
    "|double nine festival",
    "laba": "laba festival|laba",
    "little_new_year": "little new year|kitchen god festival|xiaonian|minor new year",
    "dongzhi": "dongzhi festival|dongzhi|winter solstice|winter solstice festival",
    "xiazhi": "summer solstice|xiazhi",
    "chunfen": "vernal equinox|spring equinox|march equinox|chunfen",
    "qiufen": "autumnal equinox|autumn equinox|fall equinox|september equinox|qiufen",
    "lichun": "lichun",
    "nanjing_memorial": "nanjing massacre memorial day",
    "army_day_cn": "army day",
    "rosh_hashanah": "rosh hashanah|rosh hashana|rosh ha-shanah|rosh hoshanah|yom teruah|jewish new year"
    "|feast of trumpets",
    "fast_of_gedaliah": "fast of gedaliah|fast of gedalia|tzom gedaliah|tzom gedalia",
    "yom_kippur": "yom kippur|day of atonement|yom kipur",
    "sukkot": "sukkot|sukkos|succot|succos|sukkoth|feast of tabernacles|feast of booths|feast of the ingathering"
    "|feast of ingathering|festival of booths",
    "hoshana_rabbah": "hoshana rabbah|hoshanah rabbah|hoshana raba|hoshana rabba",
    "shemini_atzeret": "shemini atzeret|shmini atzeret|shemini atzeres|shemini azeret",
    "simchat_torah": "simchat torah|simhat torah|simchas torah|simchath torah",
    "hanukkah": "hanukkah|chanukah|hanukah|hanuka|chanukkah|chanuka|hannukah|festival of lights"
    "|feast of dedication|feast of the maccabees|jewish festival of lights",
    "tu_bishvat": "tu bishvat|tu b'shevat|tu b'shvat|tu bshvat|tu bishevat|jewish arbor day|new year for trees",
    "purim": "purim|festival of lots|feast of lots",
    "shushan_purim": "shushan purim",
    "passover": "passover|pesach|pesah|pessach|feast of unleavened bread|peisach",
    "yom_hashoah": "yom hashoah|yom ha-shoah|holocaust day|holocaust remembrance day|yom hashoa",
    "yom_hazikaron": "yom hazikaron|yom ha-zikaron|israeli memorial day",
    "yom_haatzmaut": "yom haatzmaut|yom ha'atzmaut|yom ha-atzmaut|israeli independence day"
    "|israel independence day|israel's independence day",
    "lag_baomer": "lag baomer|lag b'omer|lag ba'omer|lag laomer|lag bomer|lag b'aomer",
    "yom_yerushalayim": "yom yerushalayim|jerusalem day",
    "shavuot": "shavuot|shavuos|shavuoth|feast of weeks|festival of weeks",
    "tammuz_fast": "seventeenth of tammuz|17th of tammuz|fast of tammuz",
    "tisha_bav": "tisha b'av|tisha bav|tisha b'ov|tish'a b'av|tisha beav|ninth of av|9th of av",
    "tu_bav": "tu b'av|tu bav|tu beav",
    "islamic_new_year": "islamic new year|muslim new year|hijri new year|arabic new year|amun jadid",
    "ashura": "ashura|ashoura|day of ashura|day of ashoora|ashoora|yom ashura",
    "mawlid": "mawlid|mawlid al-nabi|mawlid al-nabawi|mawlid an-nabi|eid-e-milad un-nabi|milad un-nabi"
    "|prophet's birthday|prophet muhammad's birthday|maulid|maulidur rasul|mevlid|eid milad|id-e-milad"
    "|eid-e-milad|milad",
    "isra_miraj": "isra and mi'raj|isra and miraj|isra miraj|isra mi'raj|isra & mi'raj|al isra' wal mi'raj"
    "|the prophet's ascension|prophet's ascension|the ascension of the prophet|ascension of the prophet"
    "|lailat al miraj|laylat al-miraj",
    "mid_shaban": "mid-sha'ban|mid-shaban|shab-e-barat|night of forgiveness|bara'at night|laylat al-bara'at",
    "ramadan": "ramadan|ramadhan|ramzan|ramazan|ramadhaan|month of ramadan|holy month of ramadan",
    "laylat_al_qadr": "laylat al-qadr|lailat al-qadr|laylat ul-qadr|lailatul qadr|laylatul qadr|night of power"
    "|night of decree|night of destiny|shab-e-qadr|laylat al-kadr|night of value|night of measures",
    "jumuatul_wida": "jumu'atul-wida|jumuatul-wida|jamat ul-vida|jamat ul-wida|jumu'ah-tul-wida|jumu'atul-widaa'"
    "|al-jumu'a al-yateemah|jumat al-wida",
    "eid_al_fitr": "eid al-fitr|eid ul-fitr|eid-ul-fitr|id al-fitr|id ul-fitr|idul-fitr|idul fitri|eid el-fitr"
    "|eid fitr|festival of breaking the fast|feast of breaking the fast|lesser eid|ramzan eid|ramadan eid"
    "|hari raya|hari raya aidilfitri|hari raya puasa|aidilfitri|sweet festival|sugar feast|eid|ramazan bayrami",
    "arafah": "day of arafah|day of arafat|arafah day|arafat day|yawm arafah",
    "eid_al_adha": "eid al-adha|eid ul-adha|eid-ul-adha|id al-adha|id ul-adha|idul-adha|eid el-adha|eid adha"
    "|festival of sacrifice|feast of sacrifice|feast of the sacrifice|sacrifice feast|greater eid|bakr id"
    "|bakr eid|bakra eid|bakrid|eid ul-zuha|eid qurban|kurban bayrami|qurbani eid|tabaski|hari raya haji"
    "|hari raya aidiladha|eid al-kabir",
    "lohri": "lohri|lohari",
    "bhogi": "bhogi|boghi|bogi|bogi pandigai|bhogi pandigai|bhogi pongal|boghi pandigai",
    "makar_sankranti": "makar sankranti|makara sankranti|makara sankranthi|sankranti|uttarayan|makar sankranthi",
    "pongal": "pongal|thai pongal|surya pongal",
    "mattu_pongal": "mattu pongal|maattu pongal",
    "kaanum_pongal": "kaanum pongal|kanum pongal|kanni pongal",
    "basant_panchami": "basant panchami|vasant panchami|vasanta panchami|saraswati puja|sri panchami"
    "|saraswathi puja",
    "maha_shivaratri": "maha shivaratri|mahashivaratri|maha shivratri|mahashivratri|shivaratri|shivratri"
    "|maha sivaratri",
    "dayananda_jayanti": "dayananda saraswati jayanti|dayanand saraswati jayanti|saraswati jayanti"
    "|dayananda jayanti|swami dayananda saraswati jayanti|maharishi dayanand saraswati jayanti",
    "ravidas_jayanti": "ravidas jayanti|guru ravidas jayanti|guru ravidass jayanti|guru ravidas's birthday",
    "holika_dahan": "holika dahan|chhoti holi|choti holi|kamudu pyre|holika|holika bonfire",
    "holi": "holi|dhulandi|dhuleti|phagwah|dhulivandan|dhulheti|festival of colors|festival of colours"
    "|rangwali holi|dol jatra|dol purnima|phagwa|dhulendi",
    "ugadi": "ugadi|yugadi|samvatsaradi|chaitra sukladi|chaitra sukhladi|chaitra shukladi|gudi padwa|gudhi padwa"
    "|cheti chand|hindu new year|telugu new year|ugaadi",
    "chaitra_navaratri": "chaitra navaratri|chaitra navratri|vasanta navaratri",
    "rama_navami": "rama navami|ram navami|ramnavami|sri rama navami|ramanavami|shri rama navami",
    "mahavir_jayanti": "mahavir jayanti|mahavir janma kalyanak|mahaveer jayanti|mahavira jayanti",
    "hanuman_jayanti": "hanuman jayanti",
    "vaisakhi": "vaisakhi|baisakhi|vaishakhi|vasakhi|mesha sankranti",
    "puthandu": "puthandu|tamil new year|tamil new year's day|puthuvarusham|bohag bihu|rongali bihu",
    "vishu": "vishu|malayalam new year",
    "pohela_boishakh": "pohela boishakh|poila boishakh|bengali new year|pahela baishakh|poila baisakh",
    "rabindra_jayanti": "rabindra jayanti|rabindranath jayanti|rabindranath tagore jayanti|tagore's birthday"
    "|tagore jayanti",
    "akshaya_tritiya": "akshaya tritiya|akha teej|akshaya trithiya",
    "buddha_purnima": "buddha purnima|buddha poornima|buddha jayanti|vesak purnima",
    "rath_yatra": "rath yatra|ratha yatra|ratha jatra|chariot festival",
    "guru_purnima": "guru purnima|guru poornima",
    "naag_panchami": "naag panchami|nag panchami|naga panchami",
    "raksha_bandhan": "raksha bandhan|rakhi|rakhi purnima|rakshabandhan|rakshabandham|rakhi bandhan",
    "janmashtami": "janmashtami|krishna janmashtami|gokulashtami|krishnashtami|gokul ashtami|krishna jayanti"
    "|sri krishna jayanti|krishna's birthday",
    "ganesh_chaturthi": "ganesh chaturthi|ganesha chaturthi|vinayaka chaturthi|vinayaka chavithi|ganesh utsav"
    "|vinayak chaturthi|ganeshotsav",
    "onam": "onam|thiru onam|thiruvonam|thiruonam",
    "navaratri": "navaratri|navratri|navarathri|sharad navaratri|sharad navratri|durga puja|durgotsava"
    "|durga pooja|nine nights",
    "maha_saptami": "maha saptami|mahasaptami",
    "maha_ashtami": "maha ashtami|mahashtami|durga ashtami|durgashtami",
    "maha_navami": "maha navami|mahanavami|durga navami|ayudha puja",
    "dussehra": "dussehra|dasara|vijayadashami|vijaya dashami|dashain|dussera|dasera|dashahara|vijayadasami"
    "|vijay dashami",
    "valmiki_jayanti": "valmiki jayanti|pargat diwas|maharishi valmiki jayanti",
    "karva_chauth": "karva chauth|karwa chauth|karaka chaturthi|karwa chouth",
    "dhanteras": "dhanteras|dhanatrayodashi|dhantrayodashi|dhanvantari trayodashi",
    "naraka_chaturdashi": "naraka chaturdashi|narak chaturdashi|kali chaudas|choti diwali|chhoti diwali"
    "|roop chaudas|narak chaudas|roop chaturdashi",
    "diwali": "diwali|deepavali|divali|dipavali|lakshmi puja|deepawali|laxmi puja|diwali day|bandi chhor divas",
    "govardhan_puja": "govardhan puja|annakut|goverdhan puja|gowardhan puja|bali pratipada|balipratipada",
    "bhai_dooj": "bhai dooj|bhai duj|bhau beej|bhai tika|bhaiya dooj|bhai phonta|bhaubeej|bhau-beej|yama dwitiya",
    "chhath_puja": "chhath puja|chhath|chhat puja|surya shashthi|dala chhath|chhathi",
    "guru_nanak_jayanti": "guru nanak jayanti|guru nanak gurpurab|guru nanak's birthday|guru nanak birthday"
    "|gurpurab|gurpurb",
    "gobind_singh_jayanti": "guru gobind singh jayanti|guru govind singh jayanti|guru gobind singh's birthday"
    "|guru govind singh's birthday|guru gobind singh gurpurab|guru gobind singh birthday",
    "parsi_new_year": "parsi new year|jamshedi navroz|jamshedi navroze|jamshedi nowroz|shahenshahi new year"
    "|pateti",
    "nowruz": "nowruz|norooz|nauryz|navruz|naw-ruz|newroz|nowrooz|persian new year|iranian new year|navroz|norouz",
}  # fmt: skip
"""Key to names, parted by bars; the Orthodox twins of the Western feasts are added below."""

_CHINESE: Final[Mapping[str, str]] = {
    "new_years_day": "元旦|元旦节|阳历新年|公历新年|新历新年|新历年|新年|西历新年",
    "new_years_eve": "跨年夜|跨年|新年前夜|元旦前夜|新年前夕|阳历除夕|元旦前夕",
    "epiphany": "主显节|主显日|三王节|三王朝圣节|显现节",
    "orthodox_christmas": "东正教圣诞节|东正教圣诞|俄罗斯圣诞节",
    "police_day_cn": "中国人民警察节|人民警察节|警察节",
    "australia_day": "澳大利亚日|澳洲国庆日|澳大利亚国庆日|澳洲日",
    "republic_day_in": "印度共和国日|印度共和日",
    "holocaust_remembrance": "国际大屠杀纪念日|缅怀大屠杀受难者国际纪念日",
    "groundhog_day": "土拨鼠日|土拨鼠节",
    "candlemas": "圣烛节|献主节",
    "waitangi_day": "怀唐伊日|威坦哲日|新西兰国庆日",
    "valentines_day": "情人节|圣瓦伦丁节|西方情人节|圣华伦泰节|瓦伦丁节|西洋情人节|华伦泰节",
    "leap_day": "闰日",
    "peace_memorial_tw": "和平纪念日|二二八和平纪念日|二二八纪念日|228和平纪念日|二二八",
    "st_davids_day": "圣大卫日",
    "lei_feng_day": "学雷锋纪念日|学雷锋日|雷锋日",
    "girls_day_cn": "女生节",
    "womens_day": "妇女节|国际妇女节|三八妇女节|三八节|三八国际妇女节|国际劳动妇女节|三八国际劳动妇女节|女神节"
    "|国际女性日|三八|38妇女节|38节",
    "arbor_day_cn": "植树节|中国植树节",
    "pi_day": "圆周率日|国际数学日|圆周率节",
    "white_day": "白色情人节",
    "consumer_day": "国际消费者权益日|消费者权益日|消费者权益保护日|315消费者权益日|三一五|315|三一五消费者权益日"
    "|消费者日|3·15",
    "st_patricks_day": "圣帕特里克节|圣帕特里克日|圣派翠克节",
    "annunciation": "圣母领报节|天使报喜节|报喜节",
    "youth_day_tw": "革命先烈纪念日",
    "april_fools": "愚人节|万愚节|西方愚人节",
    "childrens_day_tw": "台湾儿童节",
    "songkran": "泼水节|宋干节|泰国新年|泰历新年",
    "earth_day": "世界地球日|地球日",
    "book_day": "世界读书日|读书日|世界书香日|世界图书与版权日|世界阅读日",
    "space_day_cn": "中国航天日|航天日",
    "anzac_day": "澳新军团日|澳纽军团日|澳新军团纪念日",
    "walpurgis_night": "沃普尔吉斯之夜|沃尔珀吉斯之夜",
    "labour_day": "劳动节|国际劳动节|五一国际劳动节|五一劳动节|五一节|五一|51劳动节|国际劳动日|五一国际劳动日"
    "|劳工节|五一劳工节",
    "youth_day_cn": "青年节|五四青年节|五四|中国青年节|五四节|54青年节",
    "star_wars_day": "星球大战日",
    "nurses_day": "国际护士节|护士节|512护士节|五一二护士节",
    "museum_day": "国际博物馆日|世界博物馆日|博物馆日",
    "five_twenty": "520|五二零|五二〇|网络情人节|520情人节|520表白日",
    "childrens_day": "儿童节|国际儿童节|六一儿童节|六一国际儿童节|六一|六一节|61儿童节|61国际儿童节",
    "environment_day": "世界环境日|环境日|世界环保日",
    "d_day": "诺曼底登陆纪念日",
    "flag_day_us": "美国国旗日",
    "shopping_618": "618|六一八|618购物节|六一八购物节",
    "juneteenth": "六月节|美国六月节",
    "midsummer": "仲夏节|施洗约翰节",
    "drugs_day": "国际禁毒日|禁毒日|世界禁毒日|国际反毒品日",
    "canada_day": "加拿大国庆日|加拿大日|加拿大国庆节|加拿大国庆",
    "party_day_cn": "建党节|七一建党节|建党纪念日|中国共产党成立纪念日|党的生日|七一|中共建党节"
    "|中国共产党建党纪念日|71建党节",
    "hong_kong_handover": "香港回归纪念日|香港回归日|香港特别行政区成立纪念日|香港特区成立纪念日",
    "independence_day_us": "独立日|美国独立日|美国国庆日|美国国庆节|美国独立纪念日|美国国庆",
    "marco_polo_bridge": "七七事变纪念日|卢沟桥事变纪念日",
    "bastille_day": "法国国庆日|法国国庆节|巴士底日|巴士底狱日|法国国庆",
    "army_day_cn": "建军节|八一建军节|八一|八一节|中国人民解放军建军节|建军纪念日|81建军节",
    "national_day_sg": "新加坡国庆日|新加坡国庆节|新加坡国庆",
    "assumption": "圣母升天节|圣母升天日|圣母蒙召升天节|圣母安息日",
    "independence_day_in": "印度独立日|印度国庆日",
    "doctors_day_cn": "中国医师节|医师节",
    "victory_day_cn": "抗战胜利纪念日|抗日战争胜利纪念日|中国人民抗日战争胜利纪念日|九三抗战胜利纪念日|抗战胜利日"
    "|九三胜利日",
    "teachers_day_cn": "教师节|中国教师节",
    "september_18": "九一八事变纪念日|九一八|九一八纪念日|918事变纪念日",
    "martyrs_day_cn": "烈士纪念日|中国烈士纪念日|烈士纪念节",
    "national_day_cn": "国庆节|国庆日|国庆|十一|十一国庆节|十一国庆|中国国庆节|中国国庆|中华人民共和国国庆节"
    "|中国国庆日",
    "national_week_cn": "国庆黄金周|十一黄金周|国庆假期|国庆长假|十一长假|十一假期|国庆小长假|国庆期间|国庆节假期"
    "|国庆节期间|十一期间|国庆七天乐|国庆节长假",
    "gandhi_jayanti": "甘地纪念日|甘地诞辰日|甘地诞辰纪念日",
    "unity_day_de": "德国统一日|德国国庆日|德国国庆节",
    "double_tenth": "双十节|双十国庆|双十|中华民国国庆日|辛亥革命纪念日|双十国庆节",
    "united_nations_day": "联合国日",
    "programmers_day_cn": "程序员节|1024程序员节",
    "retrocession_tw": "台湾光复节|台湾光复纪念日|光复节",
    "halloween": "万圣节|万圣节前夜|万圣夜|万圣节前夕|诸圣节前夜|万圣节夜|诸圣节前夕|万圣节之夜",
    "all_saints": "诸圣节|诸圣日|诸圣瞻礼|万圣日|天主教诸圣节",
    "all_souls": "诸灵节|追思节|万灵节|追思已亡节|万灵日",
    "day_of_the_dead": "亡灵节|墨西哥亡灵节|死者之日",
    "guy_fawkes": "篝火之夜|盖伊福克斯之夜|盖伊·福克斯之夜|焰火之夜|盖伊福克斯节",
    "journalists_day_cn": "记者节|中国记者节",
    "fire_safety_cn": "全国消防日|消防日|消防宣传日|119消防日|消防安全日|全国消防安全宣传教育日",
    "remembrance_day": "国殇纪念日|一战停战日|停战日|虞美人日",
    "veterans_day": "退伍军人节|退伍军人日|美国退伍军人节",
    "singles_day": "光棍节|双十一|双11|双十一购物节|双十一光棍节|双11购物节|双十一狂欢节",
    "martinmas": "圣马丁节|圣马丁日",
    "st_andrews_day": "圣安德鲁日",
    "aids_day": "世界艾滋病日|艾滋病日|国际艾滋病日|世界爱滋病日",
    "constitution_day_cn": "国家宪法日|宪法日|全国法制宣传日",
    "st_nicholas": "圣尼古拉斯节|圣尼古拉节|圣尼古拉日",
    "pearl_harbor_day": "珍珠港事件纪念日|珍珠港纪念日",
    "immaculate_conception": "圣母无染原罪节|圣母无原罪日|圣母无染原罪瞻礼|圣母无原罪瞻礼",
    "human_rights_day": "世界人权日|国际人权日|人权日",
    "double_twelve": "双十二|双12|双十二购物节|双12购物节",
    "nanjing_memorial": "国家公祭日|南京大屠杀死难者国家公祭日|公祭日|南京大屠杀纪念日|南京大屠杀公祭日",
    "st_lucy": "圣露西亚节|圣露西节",
    "macau_handover": "澳门回归纪念日|澳门回归日|澳门特别行政区成立纪念日",
    "christmas_eve": "平安夜|圣诞夜|圣诞前夜|圣诞节前夜|圣诞前夕|圣诞节前夕|耶诞夜|耶诞节前夕",
    "christmas": "圣诞|圣诞节|圣诞日|耶诞节|耶诞|耶稣圣诞|耶稣诞辰|西洋圣诞节|主诞节",
    "boxing_day": "节礼日|拆礼物日|圣诞节翌日|圣士提反日|圣斯德望日|圣诞节后第一天",
    "kwanzaa": "宽扎节|匡扎节|夸扎节",
    "mlk_day": "马丁路德金纪念日|马丁·路德·金纪念日|马丁路德金日|马丁·路德·金日|马丁·路德·金恩纪念日"
    "|马丁路德金恩纪念日|马丁·路德·金恩日|马丁路德·金纪念日",
    "presidents_day": "总统日|美国总统日|总统节|华盛顿诞辰纪念日|华盛顿诞辰日",
    "patriots_day": "爱国者日",
    "mothers_day": "母亲节",
    "memorial_day": "阵亡将士纪念日|美国阵亡将士纪念日|阵亡战士纪念日|美国国殇日|国殇日",
    "fathers_day": "父亲节",
    "parents_day": "父母节|双亲节",
    "friendship_day": "友谊日|国际友谊日",
    "labor_day_us": "美国劳动节|美国劳工节|美国劳动日",
    "grandparents_day": "祖父母节|祖父母日",
    "columbus_day": "哥伦布日|哥伦布纪念日|原住民日|哥伦布节",
    "thanksgiving_ca": "加拿大感恩节",
    "election_day_us": "美国大选日|美国选举日|大选日|大选投票日",
    "melbourne_cup": "墨尔本杯|墨尔本杯日",
    "thanksgiving": "感恩节|美国感恩节|感恩日|火鸡节",
    "black_friday": "黑色星期五|黑五|黑色周五",
    "cyber_monday": "网络星期一|网购星期一|网络周一",
    "giving_tuesday": "给予星期二|慈善星期二|捐赠星期二",
    "administrative_professionals_day": "秘书节|行政专业人员日|行政助理日|秘书日",
    "boss_day": "老板节|老板日",
    "victoria_day": "维多利亚日|女皇日|维多利亚女王日",
    "earth_hour": "地球一小时|地球熄灯一小时|地球1小时",
    "advent": "将临期|降临期|待降节",
    "advent_sunday": "将临期第一主日|降临节第一主日|降临首主日|将临期首主日",
    "shrove_monday": "玫瑰星期一|忏悔星期一",
    "shrove_tuesday": "忏悔节|忏悔星期二|忏悔火曜日|煎饼星期二|油腻星期二|肥美星期二|煎饼日|薄饼日|狂欢节星期二",
    "ash_wednesday": "圣灰星期三|圣灰节|大斋首日|圣灰日|圣灰周三|涂灰日|灰星期三|圣灰礼仪日|圣灰瞻礼|大斋节首日",
    "lent": "大斋期|大斋节|四旬期|四旬节|预苦期|封斋期|四旬斋|大斋节期",
    "mothering_sunday": "英国母亲节|拜望双亲日",
    "palm_sunday": "棕枝主日|圣枝主日|圣树主日|基督苦难主日|棕榈主日|棕榈星期日|圣枝星期日|棕枝星期日|苦难主日",
    "holy_week": "圣周|受难周",
    "maundy_thursday": "濯足节|神圣星期四|圣周星期四|圣周四|设立圣餐日|濯足星期四|圣星期四|主立圣餐日|濯足日"
    "|建定圣体日|神圣周四",
    "good_friday": "耶稣受难日|耶稣受难节|主受难日|主受难节|沉默周五|沈默周五|圣周五|受难节|圣星期五|神圣星期五"
    "|受难日|沉默星期五|耶稣受难瞻礼|圣周星期五|救主受难日|神圣周五|受苦节",
    "holy_saturday": "圣周六|神圣周六|神圣星期六|耶稣受难日翌日|主受难节翌日|复活节前夜|黑色星期六|主受难日翌日"
    "|圣星期六|复活节前夕|耶稣受难节翌日|圣周星期六|望复活节|复活节星期六|黑色周六",
    "easter": "复活节|复活节主日|复活节星期日|主复活日|复活主日|耶稣复活节|基督复活节|耶稣复活日|复活节星期天"
    "|复活节周日|主复活节|耶稣复活瞻礼|复活瞻礼|复活节日",
    "easter_monday": "复活节星期一|复活节周一|复活节翌日|复活节后星期一|复活节礼拜一|复活节次日",
    "divine_mercy_sunday": "救主慈悲主日|神慈悲主日",
    "ascension_day": "耶稣升天节|耶稣升天日|主升天节|升天节|基督升天节|主升天日|基督升天日|耶稣升天瞻礼",
    "pentecost": "五旬节|圣灵降临节|圣灵降临日|圣神降临节|五旬节主日|圣灵降临主日|圣灵降临星期日|五旬主日"
    "|圣神降临瞻礼|降灵节",
    "whit_monday": "圣灵节庆日|圣灵降临节翌日|圣灵降临星期一|五旬节星期一|圣灵降临节星期一|圣神降临节庆日"
    "|圣灵降临日翌日|五旬节庆日|圣神降临节翌日|圣灵星期一|圣灵降临后周一",
    "trinity_sunday": "圣三一主日|天主三一主日|天主圣三一节|圣三主日|圣三节|三一主日|天主圣三主日|圣三一节"
    "|天主圣三节|三一节|三一日",
    "corpus_christi": "基督圣体节|基督圣体圣血节|基督圣体圣血瞻礼|耶稣圣体节|圣体节|圣体圣血节|圣体瞻礼"
    "|耶稣圣体瞻礼",
    "sacred_heart": "耶稣圣心节|耶稣圣心瞻礼|圣心节",
    "clean_monday": "洁净星期一|净周一|洁净周一|圣洁星期一|清洁星期一|东正教圣灰星期一",
    "great_lent": "东正教大斋期|东正教大斋节|东正教大斋|东正教大斋戒",
    "lazarus_saturday": "拉撒路圣周六|拉匝路周六|拉撒路周六|拉撒路星期六|拉匝禄星期六|拉匝禄周六|拉匝路圣周六"
    "|拉匝路星期六|拉撒路礼拜六|东正教拉撒路周六|东正教拉匝路周六",
    "spring_festival": "春节|农历新年|新春|正月正时|正月朔日|旧历新年|阴历新年|中国新年|农历春节|新春佳节|农历年"
    "|旧历年|中国农历新年",
    "lunar_new_years_eve": "除夕|除夕夜|大年夜|大年三十|年三十|大年三十晚|农历除夕|年三十晚|大年三十儿|年三十儿",
    "god_of_wealth_day": "破五|破五节|迎财神日",
    "renri": "人日|人日节|人胜节",
    "lantern_festival": "元宵节|元宵|上元节|灯节|元宵佳节|上元佳节",
    "longtaitou": "龙抬头|二月二龙抬头|龙抬头节|春龙节|龙抬头日",
    "guanyin_birthday": "观音诞|观音诞辰|观音圣诞|观音菩萨圣诞|观世音菩萨圣诞|观音菩萨诞辰|观音生日|观音菩萨生日",
    "shangsi": "上巳节|上巳|上巳日",
    "mazu_birthday": "妈祖诞辰|妈祖诞|天后诞|妈祖生日|妈祖诞辰日",
    "buddhas_birthday": "佛诞|佛诞节|浴佛节|佛诞日|佛祖诞辰|释迦牟尼诞辰|佛祖诞|佛陀诞辰|佛祖生日|释迦牟尼佛圣诞",
    "vesak": "卫塞节|维萨卡节|吠舍佉节|佛吉祥日|卫塞日",
    "dragon_boat": "端午节|端午|端阳节|龙舟节|重午节|端阳|五月节|粽子节",
    "tiankuang": "天贶节|晒衣节|晒书节|晒经节",
    "qixi": "七夕|七夕节|乞巧节|中国情人节|七巧节|七姐诞|双七节|七姐节|七夕情人节|七娘节",
    "ghost_festival": "中元节|鬼节|盂兰盆节|盂兰节|七月半|中元|盂兰盆会|盂兰盛会|普渡节",
    "mid_autumn": "中秋节|中秋|仲秋节|团圆节|八月节|月饼节|中秋佳节|月光诞",
    "double_ninth": "重阳节|重阳|重九节|重九|九九重阳节|九九重阳|菊花节|茱萸节|重阳佳节|重九登高节",
    "hanyi": "寒衣节|十月一寒衣节",
    "xiayuan": "下元节|下元",
    "laba": "腊八节|腊八|佛成道节|佛成道日|腊八日",
    "weiya": "尾牙|尾牙节|尾牙日",
    "little_new_year": "小年|北方小年|灶王节|祭灶节|祭灶|小年夜|祭灶日|小年节|灶神节",
    "little_new_year_south": "南方小年|南小年",
    "cold_food_festival": "寒食节|寒食",
    "xiaohan": "小寒",
    "dahan": "大寒",
    "lichun": "立春|打春",
    "yushui": "雨水|雨水节气",
    "jingzhe": "惊蛰",
    "chunfen": "春分",
    "guyu": "谷雨",
    "lixia": "立夏",
    "xiaoman": "小满|小满节气",
    "qingming": "清明节|清明|踏青节|清明时节",
    "mangzhong": "芒种",
    "xiazhi": "夏至",
    "xiaoshu": "小暑",
    "dashu": "大暑",
    "liqiu": "立秋",
    "chushu": "处暑",
    "bailu": "白露|白露节气",
    "qiufen": "秋分|中国农民丰收节|农民丰收节",
    "hanlu": "寒露",
    "shuangjiang": "霜降",
    "lidong": "立冬",
    "xiaoxue": "小雪|小雪节气",
    "daxue": "大雪|大雪节气",
    "dongzhi": "冬至|冬至节",
    "rosh_hashanah": "犹太新年|犹太历新年|吹角节|犹太人新年|犹太教新年",
    "fast_of_gedaliah": "基大利斋戒日|基大利禁食日",
    "yom_kippur": "赎罪日|犹太赎罪日|犹太教赎罪日|犹太人赎罪日|赎罪节",
    "sukkot": "住棚节|结茅节|帐棚节|收藏节|苏克特节|棚节|住棚日|犹太住棚节",
    "shemini_atzeret": "圣会节|大会节|严肃会节|庄严圣会节|闭幕节|圣会闭幕节",
    "simchat_torah": "西赫托拉节|西赫妥拉节|诵经节|转经节|律法节|欢庆圣法节|欢庆妥拉节|妥拉节|欢庆圣经节|庆法节"
    "|托拉节|庆法日",
    "hoshana_rabbah": "大和散那日|住棚节第七日",
    "hanukkah": "光明节|修殿节|献殿节|烛光节|哈努卡节|马加比节|哈努卡|犹太教光明节|犹太光明节",
    "tu_bishvat": "犹太植树节|图比舍巴特节|树木新年|图比什瓦特节|犹太教植树节|以色列植树节|树木新年节|果树新年"
    "|犹太树木节",
    "purim": "普珥节|普林节|掣签节|犹太普珥节|普珥日",
    "shushan_purim": "书珊普珥节|苏珊普珥节|书珊普林节",
    "passover": "逾越节|犹太逾越节|除酵节|无酵节|巴斯卦节|犹太教逾越节|逾越日",
    "yom_hashoah": "以色列大屠杀纪念日|犹太大屠杀纪念日|大屠杀纪念日|浩劫纪念日|犹太人大屠杀纪念日|浩劫日",
    "yom_hazikaron": "以色列阵亡将士纪念日|以色列国殇日|以色列烈士纪念日",
    "yom_haatzmaut": "以色列独立日|以色列国庆节|以色列国庆日|以色列独立纪念日|以色列国庆",
    "lag_baomer": "篝火节|犹太教篝火节|犹太篝火节|拉格巴奥梅尔节|俄梅珥节|以色列篝火节",
    "yom_yerushalayim": "耶路撒冷日|耶路撒冷解放日|耶路撒冷统一日",
    "shavuot": "七七节|沙夫幼特节|周日节|收获节|新果实节|犹太五旬节|七旬节|沙夫奥特节|犹太教七七节|犹太七七节",
    "tammuz_fast": "塔慕斯月十七日斋|塔木兹月十七日",
    "tisha_bav": "圣殿被毁日|禁食日|圣殿被毁节|埃波月九日|亚布月九日|犹太圣殿被毁日|阿布月九日|圣殿被毁纪念日"
    "|圣殿毁灭日",
    "tu_bav": "犹太情人节|以色列情人节",
    "islamic_new_year": "伊斯兰新年|伊斯兰教新年|回历新年|穆斯林新年|伊斯兰历新年|希吉来历新年|阿拉伯新年"
    "|回教新年|希吉拉新年",
    "ashura": "阿舒拉节|阿舒拉日|阿述拉节|阿术拉节|阿舒拉|阿修拉节|阿术拉日",
    "mawlid": "圣纪节|圣纪|圣忌节|先知诞辰|穆罕默德诞辰|先知穆罕默德诞辰|穆圣诞辰|冒路德节|茂鲁德节|先知诞辰日"
    "|圣纪日|穆罕默德先知诞辰|先知诞辰纪念日",
    "isra_miraj": "登霄节|夜行登霄节|夜行登霄|登霄夜|夜行与登霄|夜行登宵节|登宵节|米尔拉吉|登霄日",
    "mid_shaban": "白拉特夜",
    "ramadan": "斋月|拉马丹|赖买丹月|莱麦丹月|伊斯兰斋月|穆斯林斋月|回历斋月|拉马丹月|回教斋月|斋戒月"
    "|伊斯兰教斋月|莱麦丹|拉玛丹|赖买丹",
    "laylat_al_qadr": "盖德尔夜|高贵之夜|大能之夜|高贵夜|前定之夜|盖德尔之夜|权能之夜|力量之夜",
    "jumuatul_wida": "告别主麻|斋月最后一个主麻日|辞别主麻",
    "eid_al_fitr": "开斋节|肉孜节|尔德节|尔代节|穆斯林开斋节|伊斯兰开斋节|糖节|肉孜|开斋日",
    "arafah": "阿拉法特日|阿拉法日|阿拉法节",
    "eid_al_adha": "古尔邦节|古尔邦|宰牲节|忠孝节|哈芝节|大尔德节|牺牲节|库尔班节|哈吉节|献祭节|古尔邦日|宰羊节"
    "|库尔邦节",
    "lohri": "洛赫里节|洛利节|罗赫里节",
    "bhogi": "印度丰收节第一天|庞格尔节第一天|博吉节|丰收节第一天|伯吉节|庞加尔节第一天|博希节",
    "makar_sankranti": "摩羯节|印度摩羯节|玛卡桑克兰提|马卡桑克兰提节|印度风筝节",
    "pongal": "印度丰收节|庞格尔节|印度丰收节第二天|庞格尔节第二天|庞加尔节|泰米尔丰收节|泰米尔丰收节第二天"
    "|庞加节",
    "mattu_pongal": "印度丰收节第三天|庞格尔节第三天|印度牛节|庞加尔节第三天|马图庞格尔节|印度丰收节第3天",
    "kaanum_pongal": "印度丰收节第四天|庞格尔节第四天|庞加尔节第四天|卡努庞格尔节|坎努庞格尔节|印度丰收节第4天",
    "basant_panchami": "婆萨罗室伐底节|辩才天女节|妙音天女节",
    "maha_shivaratri": "湿婆节|大湿婆节|湿婆神节|湿婆之夜|大湿婆之夜|湿婆诞辰|湿婆圣夜|湿婆神圣夜|摩诃湿婆罗特里"
    "|大湿婆夜|湿婆神之夜|湿婆夜|湿婆拉特里",
    "ravidas_jayanti": "拉维达斯诞辰|拉维达斯诞辰日|古鲁·拉维达斯诞辰|古鲁拉维达斯诞辰",
    "holika_dahan": "霍利卡节|侯丽卡节|小侯丽节|霍利节前夕|小霍利节|霍利节篝火夜|胡里节前夕|荷丽卡节|侯丽节前夜"
    "|霍利节前夜|洒红节前夜",
    "holi": "侯丽节|荷丽节|洒红节|欢悦节|五彩节|胡里节|好利节|霍利节|印度色彩节|色彩节|印度彩色节|荷莉节"
    "|色彩狂欢节|印度洒红节|撒红节|印度霍利节|胡丽节|霍丽节",
    "ugadi": "乌加迪节|乌加蒂节|印度教新年|乌伽迪节|印度新年|泰卢固新年|尤加迪节|乌嘎迪节|古迪帕德瓦节",
    "rama_navami": "罗摩节|罗摩诞辰|罗摩诞辰日|罗摩诞辰节",
    "mahavir_jayanti": "大雄诞辰|摩诃毗罗诞辰|摩诃毗罗节|大雄诞辰日|大雄诞辰节|摩诃维拉诞辰",
    "hanuman_jayanti": "哈奴曼节|哈努曼节|哈奴曼诞辰|哈努曼诞辰",
    "vaisakhi": "拜萨哈节|毗舍佉节|维萨基节|锡克教新年|拜萨克节|锡克新年|卫塞基节",
    "puthandu": "泰米尔新年|淡米尔新年|泰米尔历新年",
    "vishu": "维舒节|毗舒节|韦舒节",
    "pohela_boishakh": "孟加拉新年|孟加拉历新年|孟加拉国新年",
    "rabindra_jayanti": "泰戈尔诞辰|泰戈尔诞辰日|泰戈尔诞辰纪念日|泰戈尔纪念日|泰戈尔生日",
    "buddha_purnima": "佛陀满月节|印度佛诞节|佛陀满月日",
    "rath_yatra": "乘车节|印度乘车节|印度战车节|世界主乘车节",
    "naag_panchami": "印度蛇节|拜蛇节|印度拜蛇节",
    "raksha_bandhan": "印度兄妹节|拉克沙班丹节|兄妹节|保护绳节|圣线节|护身符节|拉基节|拉克沙班丹",
    "janmashtami": "克里希纳诞辰|黑天诞辰|黑天神节|黑天节|奎师那诞辰|克里希那诞辰|黑天诞辰日|克里希纳诞辰日"
    "|克利须那神诞辰|黑天诞辰节|克利须那诞辰|黑天神诞辰|黑天神诞辰节|克里希纳节|奎师那节|印度黑天神节"
    "|奎师那显现日",
    "ganesh_chaturthi": "象头神节|象神节|甘尼许节|伽内什节|迦尼萨节|甘尼萨节|象头神诞辰|格涅什节|犍尼萨节"
    "|甘尼什节|象鼻神节|象神诞辰|象头神诞辰日|伽尼什节|印度象头神节",
    "onam": "欧南节|奥南节|俄南节|奥纳姆节",
    "navaratri": "九夜节|难近母节|杜尔迦节|杜尔加女神节|九夜庆典|杜尔加节|印度九夜节|杜尔伽女神节|杜尔迦女神节",
    "chaitra_navaratri": "春季九夜节|春九夜节",
    "maha_saptami": "难近母节第七天|九夜节第七天|杜尔加女神节第七天",
    "maha_ashtami": "难近母节第八天|九夜节第八天|杜尔加女神节第八天",
    "maha_navami": "难近母节第九天|九夜节第九天|杜尔加女神节第九天",
    "dussehra": "十胜节|德喜合节|十胜日|达萨拉节|印度十胜节|达萨哈节",
    "valmiki_jayanti": "蚁垤诞辰|瓦尔米基诞辰|蚁垤诞辰日",
    "karva_chauth": "卡瓦乔斯节|卡瓦昌斯|卡尔瓦乔斯节|卡尔瓦节|卡尔瓦肖特节",
    "dhanteras": "丹特拉斯节|屠妖节第一天|排灯节第一天|印度财神节|丹特拉斯",
    "naraka_chaturdashi": "小排灯节|那拉卡节|排灯节第二天|印度小排灯节|排灯节前夕|排灯节前夜|屠妖节前夕"
    "|屠妖节前夜|纳拉卡节",
    "diwali": "排灯节|万灯节|印度灯节|屠妖节|迪瓦利节|迪帕瓦利节|印度排灯节|印度万灯节|印度光明节|提哈节"
    "|排灯节第三天",
    "govardhan_puja": "牛增山节|戈瓦尔丹节|排灯节第四天|哥瓦尔丹节",
    "bhai_dooj": "印度兄弟节|排灯节第五天|拜杜节|拜度节",
    "chhath_puja": "太阳神节|印度太阳节",
    "guru_nanak_jayanti": "那纳克诞辰|古鲁那纳克诞辰|古鲁纳纳克诞辰|那纳克诞辰日|上师那纳克诞辰|古鲁那纳克诞辰日",
    "gobind_singh_jayanti": "戈宾德辛格诞辰|戈宾德·辛格诞辰|古鲁戈宾德辛格诞辰|哥宾德辛格诞辰"
    "|古鲁·戈宾德·辛格诞辰|上师戈宾德辛格诞辰",
    "parsi_new_year": "帕西新年|帕西人新年|印度祆教新年|祆历新年|拜火教新年|帕西历新年|琐罗亚斯德新年|祆教新年",
    "nowruz": "诺鲁孜节|纳吾热孜节|努鲁兹节|波斯新年|纳乌鲁斯节|诺鲁兹节|纳鲁孜节|纳吾鲁孜节|诺鲁斯节|努肉孜节"
    "|波斯历新年|瑙鲁兹节|纳乌鲁孜节",
}  # fmt: skip
"""The same, in simplified characters."""

_SCRIPTS: Final = (
    "萬万 與与 專专 業业 東东 兩两 嚴严 個个 豐丰 臨临 麗丽 舉举 烏乌 樂乐 買买 書书 爭争 亞亚 產产 親亲 儀仪 倫伦"
    " 傳传 會会 體体 蘭兰 軍军 農农 淨净 別别 動动 勞劳 華华 盧卢 衛卫 曆历 變变 員员 國国 圖图 圓圆 聖圣 處处 復复"
    " 頭头 婦妇 媽妈 學学 實实 憲宪 寬宽 賓宾 將将 爾尔 師师 帳帐 莊庄 慶庆 庫库 龐庞 開开 歸归 懷怀 懺忏 總总 悅悦"
    " 驚惊 戰战 護护 報报 撥拨 數数 齋斋 無无 舊旧 時时 顯显 曬晒 術术 權权 殺杀 來来 橋桥 樹树 櫚榈 歡欢 歐欧 殤殇"
    " 毀毁 氣气 溝沟 潑泼 潔洁 灑洒 塗涂 灣湾 濕湿 滿满 滅灭 燈灯 靈灵 燭烛 熱热 愛爱 犧牺 猶犹 獨独 獄狱 獻献 瑪玛"
    " 環环 現现 瑣琐 蓋盖 禮礼 種种 祿禄 穌稣 籤签 箏筝 紅红 約约 紀纪 納纳 紐纽 線线 經经 結结 給给 絡络 統统 繩绳"
    " 維维 緬缅 網网 羅罗 聯联 肅肃 勝胜 臘腊 膩腻 節节 蘇苏 穫获 萊莱 薩萨 蟻蚁 觀观 記记 許许 設设 訶诃 誕诞 誦诵"
    " 諸诸 諾诺 讀读 誼谊 穀谷 財财 購购 貴贵 費费 貺贶 賴赖 贖赎 贈赠 車车 轉转 辭辞 辯辩 達达 選选 釋释 鋒锋 錫锡"
    " 長长 門门 閉闭 閏闰 間间 閱阅 陽阳 陰阴 陣阵 際际 陸陆 難难 頓顿 預预 領领 風风 餅饼 館馆 馬马 魯鲁 雞鸡 麥麦"
    " 黃黄 龍龙 雙双 黨党 醫医 團团 韋韦 須须 兒儿 內内 區区 闆板 週周 蟄蛰 奧奥"
)
"""Traditional and simplified characters of the names, one for one."""
_FOLDS: Final = "歷历 獲获 簽签 臺台 後后 昇升 竈灶 捨舍 裡里"
"""Traditional forms whose simplified one is also written traditionally, or stands for two."""

SIMPLIFIED: Final[Mapping[int, str]] = MappingProxyType(
    {ord(pair[0]): pair[1] for pair in f"{_SCRIPTS} {_FOLDS}".split()}
)
"""For `str.translate`: traditional to simplified."""
_TRADITIONAL: Final = {ord(pair[1]): pair[0] for pair in _SCRIPTS.split()}


ENGLISH: Final[Mapping[str, str]] = MappingProxyType(
    {
        f"orthodox {name}": f"orthodox_{key}"
        for key, names in _ENGLISH.items()
        if f"orthodox_{key}" in ORTHODOX
        for name in names.split("|")
    }
    | {name: key for key, names in _ENGLISH.items() for name in names.split("|")}
)
"""A name in lower case, with a straight apostrophe, to its key."""

_SIMPLE: Final = {
    f"东正教{name}": f"orthodox_{key}"
    for key, names in _CHINESE.items()
    if f"orthodox_{key}" in ORTHODOX
    for name in names.split("|")
} | {name: key for key, names in _CHINESE.items() for name in names.split("|")}
CHINESE: Final[Mapping[str, str]] = MappingProxyType(
    _SIMPLE | {name.translate(_TRADITIONAL): key for name, key in _SIMPLE.items()}
)
"""A name in simplified or in traditional characters to its key."""

_WEAK: Final = (
    "new year's|new year|silvester|epiphany|twelfth night|republic day|candlemas|midsummer|annunciation|assumption"
    "|victory day|v-day|valentine's|leap day|white day|king's day|may day|workers' day|flag day|freedom day"
    "|jubilee day|emancipation day|d-day|9/11|patriot day|constitution day|national day|army day|golden week"
    "|teachers' day|noel|easter|lent|advent|pascha|ascension|corpus christi|immaculate conception|family day"
    "|friendship day|parents' day|arbor day|tax day|boss day|king's birthday|queen's birthday|melbourne cup"
    "|national day holiday|national day week|tet|cny|laba|little new year|minor new year|moon festival"
    "|kitchen god festival|festival of lights|eid|hari raya|milad|feast of sacrifice|holi|rakhi|pongal|bogi|chhath"
    "|festival of colors|festival of colours|chariot festival|vishu|dashain|holika|guy fawkes|lammas|sweet festival"
    "|sugar feast|nine nights|double eleven|double twelve|double 11|double 12|buddha day|buddha's day|invasion day"
    "|admin day|fireworks night|poppy day"
    "|"
    "新年|新春|跨年|元宵|清明|重阳|腊八|小年|国庆|十一|五一|六一|七一|八一|五四|三八|三一五|315|3·15|520|五二零"
    "|五二〇|618|六一八|二二八|双十|九一八|圣诞|中元|下元|破五|人日|灯节|尾牙|寒食|祭灶|小寒|大寒|雨水|谷雨|小满|小暑"
    "|大暑|处暑|白露|小雪|大雪|友谊日|环境日|圣周|禁食日|收获节|律法节|收藏节|五彩节|光复节|大会节|周日节|上巳|黑五"
    "|糖节|献祭节|牺牲节|忠孝节|团圆节|五月节|八月节|肉孜|拉马丹|圣纪|菊花节|党的生日"
)
WEAK: Final = frozenset(spelling for name in _WEAK.split("|") for spelling in (name, name.translate(_TRADITIONAL)))
"""Names that are also everyday words, dishes, weather, persons, places or plain numbers."""

"""Find secrets in a text and replace them before anything is stored: keys, passwords, cards and identity numbers.

Precise patterns only; nothing here knows where the text goes or asks whether a key still works.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MARK: Final = "[REDACTED]"
"""What stands in place of a secret."""


@dataclass(frozen=True, slots=True)
class Span:
    """A replacement in the returned text, `text[start:end] == MARK`, and the kind of secret it hides."""

    kind: str
    start: int
    end: int


def mask(text: str) -> tuple[str, tuple[Span, ...]]:
    """Return the text with every secret replaced by `[REDACTED]`, and where the replacements stand.

    Takes time linear in the text. Masking again changes nothing and finds nothing.
    """
    spans: list[Span] = []
    # A replacement ends a word, which may lay open another secret beside it; each round takes away some text.
    while found := _merged(_find(text)):
        text, spans = _replaced(text, spans, found)
    return text, tuple(spans)


def bare(key: str, text: str) -> bool:
    """Return whether a text that stands under a key of metadata is a secret by that key, whatever it looks like.

    The key is as a whole one of the words that say so in a text: `api_key`, `apiKey`, 密码; not `password_hint`. Those
    that say other things as often (`token`, `key`, `pin`) are none.
    """
    word = _KEY.fullmatch(_JOINTS.sub("", key))
    told = word is not None and (word.lastgroup in _BARE or word[0].lower() == "secret")
    return told and bool(text.strip()) and text.strip().lower() not in _NO_SECRETS


def _merged(found: list[Span]) -> list[Span]:
    """Overlapping finds become one, of the kind of the first."""
    merged: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].kind, merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _replaced(text: str, old: list[Span], new: list[Span]) -> tuple[str, list[Span]]:
    """The text with the `new` spans replaced, and all spans moved to where they stand now. None overlap."""
    pieces: list[str] = []
    spans: list[Span] = []
    end = length = 0
    for span in sorted((*old, *new), key=lambda span: span.start):
        pieces += (text[end : span.start], MARK)
        length += span.start - end
        spans.append(Span(span.kind, length, length + len(MARK)))
        length += len(MARK)
        end = span.end
    return "".join((*pieces, text[end:])), spans


def _find(text: str) -> list[Span]:
    """Every secret of the text, except where a replacement stands already, even in part."""
    reach = len(MARK) - 1
    finds = (*_shapes(text), *_said(text), *_numbers(text))
    return [find for find in finds if MARK not in text[max(0, find.start - reach) : find.end + reach]]


# --- secrets known by their shape ------------------------------------------------------------------------------

# Every part is bounded or cannot fail after a long run, which keeps the search linear.
_SHAPES: Final = re.compile(
    r"""
      (?P<private_key> -----BEGIN\ [A-Z0-9 ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----
          (?: (?:[^-]|-(?!----))*+ -----END\ [A-Z0-9 ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----
            | (?: (?:\s|\\[nr])*+ [A-Za-z0-9+/=]{20,}+ )++ ) )
    | (?P<webhook> (?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,} )
    | (?<=://) [^\s/:@?\#]{0,64} : (?P<url_password> [^\s/?\#"'<>，。；、]{1,128} ) (?=@[A-Za-z0-9\[])
    | (?<![A-Za-z0-9_-]) (?:
          (?P<api_key>
              sk-(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,}
            | sk-(?:[a-z]{2,10}-)?(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{16,}
            | (?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])
            | gh[opsur]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,} | glpat-[A-Za-z0-9_-]{20,}
            | xox[abeoprs]-[A-Za-z0-9-]{10,} | xapp-[A-Za-z0-9-]{20,}
            | AIza[A-Za-z0-9_-]{30,} | GOCSPX-[A-Za-z0-9_-]{20,}
            | [rs]k_(?:live|test)_[A-Za-z0-9]{10,} | whsec_[A-Za-z0-9+/=]{20,}
            | hf_[A-Za-z0-9]{20,} | npm_[A-Za-z0-9]{20,} | pypi-AgEI[A-Za-z0-9_-]{16,} | gsk_[A-Za-z0-9]{20,}
            | dckr_pat_[A-Za-z0-9_-]{20,} | SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}
            | LTAI(?=[A-Za-z]{0,20}[0-9])[A-Za-z0-9]{12,24}(?![A-Za-z0-9])
            | AKID(?=[A-Za-z]{0,20}[0-9])[A-Za-z0-9]{32}(?![A-Za-z0-9])
          )
        | (?P<jwt> eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{4,}+\.[A-Za-z0-9_-]* )
        | (?i:bearer)\s{1,8}(?P<bearer>(?=[A-Za-z._~+/=-]{0,64}[0-9])[A-Za-z0-9._~+/=-]{16,})
        | (?i:authorization:\s{0,8}basic)\s{1,8}(?P<basic>[A-Za-z0-9+/=]{8,})
      )
    """,
    re.VERBOSE,
)


def _shapes(text: str) -> Iterator[Span]:
    for match in _SHAPES.finditer(text):
        kind = match.lastgroup or ""
        yield Span(kind, *match.span(kind))


# --- secrets said in words -------------------------------------------------------------------------------------

_KEY: Final = re.compile(
    r"""
      (?<![A-Za-z0-9]) (?:
          (?P<password> pass(?:word|wd|code|phrase) | pwd )
        | (?P<code> pin\s?[码碼] | (?:pin|otp)(?:[ _-]?(?:code|number))? | cvv2? | cvc2?
                  | (?:verification|security|one-time|login)[ _-](?:pass)?code )
        | (?P<api_key> (?:api|access|private|encryption|secret(?:[ _-]?access)?)[ _-]?key
                     | (?:api|access|auth|bearer|refresh)[ _-]?token | client[ _-]?secret )
        | (?P<token> token | secret | key )
      ) (?![A-Za-z0-9])
    | (?P<mima> 密[码碼] | 口令 )
    | (?P<yanzhengma> 验证码 | 驗證碼 | 校验码 | 动态码 | 安全码 )
    | (?P<miyao> [密秘][钥鑰] | 私[钥鑰] | 授权码 )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_KINDS: Final = {"mima": "password", "yanzhengma": "code", "miyao": "api_key"}
"""What the Chinese keys stand for; theirs are looser joints, since no spaces set a value apart."""

_BARE: Final = frozenset(("password", "api_key", "mima", "miyao"))
"""The groups whose words, as keys of metadata, need no value that looks like a secret."""
_JOINTS: Final = re.compile(r"[-_\s]+")

_COPULA: Final = r"""(?:
      \s{1,4}(?:is|was|to|as)(?:\s(?:now|still|just|always|currently|actually|set\sto))?(?=[\s:："'“])
    | ['’]s(?=\s) | \s{1,4}(?:-|–|—|->|→)(?=\s)
    | \s?(?:现在|目前|已经|已|都|就|还|仍|统一|被|我){0,3}
      (?:是|为|為|叫|[改换換设設变變](?:置|定)?[成为為]|更新为|重置为)了? )"""
_MARK: Final = rf"(?P<mark> {_COPULA}? \s{{0,4}} [:=：＝]{{1,2}}>? )"
_VALUE: Final = (
    r"""\s{0,4} (?: ["'“‘「『`] (?P<quoted> [^"'“”‘’「」『』`\n]{2,64} ) ["'”’」』`] | (?P<bare> [!-~]{1,128} ) )"""
)
_NEAR: Final = re.compile(
    rf"""
    ["”」'’]?
    (?: {_MARK} | (?P<copula> {_COPULA} ) | (?P<direct> \s | (?<=[^!-~])(?=\w) ) ) {_VALUE}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FAR: Final = re.compile(  # "the password for the router at home is …"
    rf"""\s(?:for|to|of|on|at|in)(?:\s[^\s:：=]{{1,30}}){{1,5}}? (?: {_MARK} | (?P<copula> {_COPULA} ) ) {_VALUE}""",
    re.VERBOSE | re.IGNORECASE,
)
_BEFORE: Final = re.compile(  # "482913 is your verification code"
    r"""
    (?<![!-~]) (?P<bare> [!-~]{4,64}? ) \s? (?:
        (?<=\s)(?:is|was|as)\s(?:my|our|your|the|his|her)\s(?:[a-z]{1,20}\s){0,3}?
        (?: (?P<password> password | passcode | passphrase ) | (?P<code> pin | code | otp ) )
        (?![A-Za-z]|\s(?:manager|reset|hint|policy|generator))
      | (?:是|为|作为)[我您你他她]?们?的?[\u4e00-\u9fff]{0,6}?
        (?: (?P<mima> 密码 | 口令 ) | (?P<yanzhengma> 验证码 | 校验码 | 动态码 ) ) )
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Value:
    """What may be a secret: the words around it and how it is joined to them (`mark`, `copula`, `direct`)."""

    text: str
    key: str
    how: str
    rest: str
    """What comes after it."""
    chinese: bool
    quoted: bool


def _said(text: str) -> Iterator[Span]:
    for key in _KEY.finditer(text):
        for pattern in (_NEAR, _FAR):
            match = pattern.match(text, key.end())
            if match and (span := _judged(key.lastgroup or "", key[0], match)):
                yield span
                break
    for match in _BEFORE.finditer(text):
        if span := _judged(match.lastgroup or "", "", match):
            yield span


# The next field of a query string, a connection string or a list of settings.
_NEXT_FIELD: Final = re.compile(r"""[&;,]["']?[A-Za-z_][\w-]{0,40}["']?[:=]""")
_TRAILING: Final = """.,;:)]}>"'`"""


def _judged(group: str, key: str, match: re.Match[str]) -> Span | None:
    """The span of the value, if it is a secret and no remark about one."""
    kind = _KINDS.get(group, group)
    parts = match.groupdict()
    quoted = parts.get("quoted")
    start = match.start("quoted" if quoted else "bare")
    text = quoted or match["bare"]
    if not quoted:
        if field := _NEXT_FIELD.search(text):
            text = text[: field.start()]
        start += len(text) - len(text.lstrip("(\"'"))
        text = text.lstrip("(\"'").rstrip(_TRAILING)
    end = start + len(text)
    how = next((how for how in ("mark", "direct") if parts.get(how) is not None), "copula")
    value = _Value(text, key, how, match.string[end : end + 24], group in _KINDS, quoted is not None)
    if not text or text.lower() in _NO_SECRETS or _ORDINARY.fullmatch(text):
        return None
    if kind == "password":
        return Span(kind, start, end) if _is_password(value, equals="=" in (parts.get("mark") or "")) else None
    if kind == "code":
        if re.fullmatch(r"\d{3}", text) and (second := re.match(r"\s\d{3}(?!\d)", value.rest)):
            return Span(kind, start, end + second.end())
        return Span(kind, start, end) if _is_code(value) else None
    return Span("api_key", start, end) if _is_key(value, vague=kind == "token") else None


_SYMBOL: Final = re.compile(r"[@#$%^&+~!?\\]")
_CLAUSE_END: Final = re.compile(
    r"""["'”’」』`)\]}]?[.。]?\s*(?:$|[\n,，;；.。!！?？&、|)）}\]])|\s+(?:and|but|or)\s""", re.IGNORECASE
)
_COUNTED: Final = re.compile(
    r"""
      \s?[年位个個次天月日号號分元秒种條条遍人块] | [-/.:]\d | %
    | \s?(?:digit|char|letter|time|day|year|month|week|hour|minute|second|word|people|percent|bit|of\b|out\b)
    | \s(?!(?:is|was|as|this|always|thanks|yes)\b)[a-z]+s\b                              # a plural: 1200 sites
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ORDINARY: Final = re.compile(
    r"""
      v?\d+(?:[.,:/-]\d+)+ | \d{1,3}[a-z]{1,2} | \d+% | \d+-[a-z-]+ | \d{8}t\d{4,6}z?    # dates, versions, 8-digit
    | sha-?\d+ | md5 | aes-?\d+ | rsa-?\d+ | base64 | utf-?\d+ | 2fa | oauth2? | 1password
    | [*•x.…_#?-]+ | <.* | \{.* | \[.* | \$.* | %.*%                                   # stand-ins
    | https?:.* | [\w.+-]+@[\w-]+\.[a-z.]+                                              # addresses
    | [a-z_][\w.]*[(\[].* | [a-z]+(?:_[a-z]+)+                                          # code
    | (?:self|os|settings|config|env|process|form|request|req|user|args|data|body)\.[a-z_].*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NO_SECRETS: Final = frozenset(
    """
    required optional forgotten incorrect invalid unknown changed expired hidden missing string undefined
    please password username secret correct nothing default protected encrypted disabled enabled confirmed
    updated stolen leaked shared strong private public masked redacted removed omitted unchanged
    accepted rejected mandatory needed authentication authorization credentials
    """.split()  # noqa: SIM905 - a table
)


def _is_password(value: _Value, *, equals: bool) -> bool:
    text = value.text
    digits, letters = any(map(str.isdigit, text)), any(map(str.isalpha, text))
    if value.quoted and value.how != "direct":
        return True
    if value.how == "direct" and not value.chinese:
        # Nothing but its look says that the next word is the password: `field2` and `page12` are not.
        return digits and letters and len(text) >= 6 and not re.fullmatch(r"[a-z]+\d{1,2}|.*[=(\"'].*", text)
    if text.isdigit():
        return len(text) >= 4 and not _COUNTED.match(value.rest)
    if len(text) >= 4 and ((digits and letters) or ((digits or letters) and _SYMBOL.search(text.rstrip("!?+~")))):
        return True
    told = value.how == "mark" or (value.chinese and value.how == "copula")
    return told and len(text) >= 6 and (equals or _CLAUSE_END.match(value.rest) is not None)


def _is_code(value: _Value) -> bool:
    if value.how == "direct" and value.key[:3] == value.key[:3].lower() == "pin":
        return False
    return re.fullmatch(r"(?:[A-Z]{1,3}-)?\d{3,8}|\d{3}-\d{3}", value.text) is not None and not _COUNTED.match(
        value.rest
    )


def _is_key(value: _Value, *, vague: bool) -> bool:
    """A run of letters and digits makes a key; after a vague word a longer one that is no hash and no UUID."""
    text = value.text
    if vague:
        return value.how != "direct" and _has_mixed_run(text, 16) and not re.fullmatch(r"[0-9a-fA-F-]+", text)
    if value.how == "direct" and len(text) < 16:
        return False
    random = len(text) >= 20 and all(any(map(test, text)) for test in (str.isdigit, str.isupper, str.islower))
    return random or _has_mixed_run(text, 8)


def _has_mixed_run(text: str, length: int) -> bool:
    runs = re.findall(rf"[A-Za-z0-9]{{{length},}}", text)
    return any(not run.isalpha() and not run.isdigit() for run in runs)


# --- numbers that prove themselves -----------------------------------------------------------------------------

_CARD: Final = re.compile(
    r"""
    (?<![A-Za-z0-9])(?<![0-9]\.) (?:
        [0-9]{13,19}+
      | [0-9]{4}(?P<four>[ -])(?:[0-9]{4}(?P=four)){2}[0-9]{1,4}(?P<tail>(?P=four)[0-9]{3})?
      | [0-9]{4}(?P<six>[ -])[0-9]{6}(?P=six)[0-9]{4,5}
      | [0-9]{6}[ -][0-9]{7,13}
    ) (?![A-Za-z0-9]|\.[0-9])
    """,
    re.VERBOSE,
)
_ISSUED: Final = re.compile(
    r"""
      4(?:\d{12}|\d{15}|\d{18})                                                          # Visa
    | (?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}                   # Mastercard
    | 3[47]\d{13} | 3(?:0[0-59]|[689]\d)\d{11}                                           # American Express, Diners
    | (?:6011|64[4-9]\d|65\d\d|35(?:2[89]|[3-8]\d))\d{12}(?:\d{3})?                      # Discover, JCB
    | (?:62|81)\d{14,17} | 9558\d{15}                                                    # UnionPay, ICBC
    | (?:50\d\d|5[6-9]\d\d|6304|6759|676[1-3])(?:\d{12}|\d{14,15}) | 220[0-4]\d{12} | 60\d{14}  # Maestro, Mir, RuPay
    """,
    re.VERBOSE,
)
_CITIZEN: Final = re.compile(  # region, birth date, number of the day, check digit
    r"""
    (?<![A-Za-z0-9]) [1-9]\d{5} [ ]? (?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]) [ ]? \d{3}[\dXx]
    (?![A-Za-z0-9])
    """,
    re.VERBOSE | re.ASCII,
)
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])(?P<country>[A-Z]{2})\d{2}(?:[ ]?[A-Z0-9]){11,30}", re.ASCII)
_IBAN_LENGTHS: Final = {
    entry[:2]: int(entry[2:])
    for entry in """
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18
    FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20
    LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24
    SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
    """.split()  # noqa: SIM905 - a table
}
_CITIZEN_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _numbers(text: str) -> Iterator[Span]:
    at = 0
    while match := _CARD.search(text, at):
        # A number in front of a card, or the three digits behind it, may look like a group of its own.
        ends = (match.end(), match.start("tail") if match["tail"] else match.end())
        end = next((end for end in ends if _is_card(text[match.start() : end])), None)
        if end:
            yield Span("card", match.start(), end)
        at = end or match.start() + 1
    for match in _CITIZEN.finditer(text):
        if _is_citizen(match[0].replace(" ", "")):
            yield Span("id_number", *match.span())
    for match in _IBAN.finditer(text):
        if end := _iban_end(match):
            yield Span("iban", match.start(), end)


def _is_card(number: str) -> bool:
    """An issuer's prefix and length, and the check digit of ISO/IEC 7812 (Luhn)."""
    digits = re.sub("[ -]", "", number)
    if not _ISSUED.fullmatch(digits):
        return False
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(map(int, odd)) + sum(sum(divmod(2 * int(d), 10)) for d in even)) % 10 == 0


def _is_citizen(number: str) -> bool:
    """The check digit of GB 11643 (ISO 7064, MOD 11-2)."""
    total = sum(weight * int(digit) for weight, digit in zip(_CITIZEN_WEIGHTS, number, strict=False))
    return "10X98765432"[total % 11] == number[-1].upper()


def _iban_end(match: re.Match[str]) -> int | None:
    """Where the IBAN ends, by its country's length; None if the check of ISO 7064 (MOD 97-10) fails."""
    places = [i for i, character in enumerate(match[0]) if character != " "]
    length = _IBAN_LENGTHS.get(match["country"], len(places) + 1)
    if len(places) < length:
        return None
    end = match.start() + places[length - 1] + 1
    number = match.string[match.start() : end].replace(" ", "")
    if re.match("[A-Za-z0-9]", match.string[end : end + 1]):
        return None
    return end if int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1 else None

"""Secrets are masked before anything is stored, and nothing else is."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.secrets import MARK
from fabula.text import Span, mask

# No real key among them. Joined here, since scanners of repositories refuse even invented ones in one piece.
HIDDEN = "0123456789abcdefghij0123456789abcdef"
KEYS = [
    "sk-test-FAKE0123456789abcdef",
    "sk-" + HIDDEN,
    "sk-ant-api03-abc_def-" + HIDDEN,
    "sk-proj-ab_cd-" + HIDDEN,
    "AKIA" + "ABCDEFGHIJ234567",
    "ASIA" + "ABCDEFGHIJ234567",
    "ghp_" + HIDDEN,
    "gho_" + HIDDEN,
    "github_pat_" + HIDDEN,
    "xoxb-" + "1234567890-" + HIDDEN,
    "AIza" + "Sy" + HIDDEN[:33],
    "glpat-" + HIDDEN[:20],
    "hf_" + "abcdefghijklmnopqrstuvwxyzabcdefgh",
    "npm_" + HIDDEN,
    "pypi-AgEI" + HIDDEN,
    "sk_live_" + HIDDEN[:24],
    "rk_live_" + HIDDEN[:24],
    "LTAI" + "5tAbCdEfGhIjKlMnOpQr",
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
]

# «…» marks what has to go.
SAID = """
my key is «sk-test-FAKE0123456789abcdef», remember it
密码是 «Hunter-22»
my password is «Hunter-22»
My password is «Hunter-22».
Is my password «Hunter-22?»
my password's «Hunter-22»
my password is now «Hunter-22»
my password for gmail is «Hunter-22»
the wifi password at home is «sunshine99»
the password for the router at home is «88442211»
I changed my password to «Hunter-22» yesterday
use password «Hunter-22» to log in
«Hunter-22» is my wifi password
password is "«correct horse battery»"
the password is: «swordfish»
password: «swordfish»
passwd=«hunter22»
{"user": "bob", "password": "«swordfish»"}
DB_PASSWORD=«correcthorse»
https://x.example/login?password=«abc123»&user=bob
password is «4821»
my pin is «4821», don't tell
PIN «4821»
CVV «123»
my one-time code is «482 913»
«482913» is your verification code
api key is «0a1b2c3d4e5f»
API_KEY=«abcd1234efgh»
aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYINVENTED»
Authorization: Bearer «abcdef0123456789abcdef»
Authorization: Basic «dXNlcjpwYXNz»
postgres://bob:«s3cr3t»@db.example.com/x
https://hooks.slack.com/«services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX»
密码：«abc123»
密码«123456»
密码为«Hunter22»，别忘了
我的密码改成了«Hunter-22»
WiFi密码是«sunshine»
口令：«Hunter-22»
口令是“«芝麻开门»”
PIN码是«4821»
«Hunter-22»是我的密码
【某银行】您的验证码为 «482913»，5分钟内有效
验证码：«482913»
«482913»是您的登录验证码
密钥是 «0a1b2c3d4e5f6a7b»
card «4111 1111 1111 1111», exp 12/27
card «4111-1111-1111-1111»
«4111111111111111»
order 12 «4111 1111 1111 1111»
order 1234 «4111 1111 1111 1111» 123
«3782 822463 10005»
卡号«6222021234567890128»。
身份证«11010519491231002X»，别外传
IBAN «GB82 WEST 1234 5698 7654 32» THANKS
«DE89370400440532013000»
"""

FREE = """
my password is wrong
the password is very long and hard to remember
the password is too-long
password is case-sensitive
the password is 8 characters long
the password is 16-character
password is 100% safe
password is SHA256 hashed
my password is sent to bob@example.com
my password was last changed on 2024-05-01
the password to the server was given to Alice
my password manager is LastPass
changed the password to 1200 sites
forgot my password again
what is my password?
Password: required
password: something you know and must remember
password: ********
password=${DB_PASSWORD}
password = getpass.getpass()
password=hashed_password
<input name="password" maxlength="50">
pin 4821 to the board
zip code is 94107
the key is under the mat
the secret is 3-day fermentation
token count: 128000
primary key: 550e8400-e29b-41d4-a716-446655440000
bearer of good news, bearer authentication-with-something
密码是什么？
密码是我生日
密码是6位数字
密码是在2023年改的
密码2023年改过
密码管理器是 KeePass 吗
验证码没收到
验证码10分钟内有效
sk-learn, ask-me and scikit-learn
disk-0123456789abcdef0123
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
id 550e8400-e29b-41d4-a716-446655440000
order 2031040212345678
+86 138 1234 5678
1735689600000
4111111111111112
9999999999999995
0.4111111111111111
ISBN 9787111213826
11010519491231002
110105194912310021
GB82 WEST 1234 5698 7654 33
http://localhost:8080/@user
meet at 10:30, mail bob@example.com
-----BEGIN PRIVATE KEY----- is a header
"""


def lines(table: str) -> list[str]:
    return table.strip().splitlines()


@pytest.mark.parametrize("sentence", lines(SAID))
def test_b118_a_secret_goes_and_the_words_around_it_stay(sentence: str) -> None:
    before, _, rest = sentence.partition("«")
    secret, _, after = rest.partition("»")
    masked, (span,) = mask(before + secret + after)
    assert masked == before + MARK + after
    assert masked[span.start : span.end] == MARK


@pytest.mark.parametrize("sentence", lines(FREE))
def test_what_is_no_secret_stays(sentence: str) -> None:
    assert mask(sentence) == (sentence, ())


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("sentence", ["{}", "use {} here", "密钥{}，记住", 'KEY="{}"'])
def test_keys_are_known_by_their_shape(key: str, sentence: str) -> None:
    masked, spans = mask(sentence.format(key))
    assert masked == sentence.format(MARK)
    assert len(spans) == 1


@pytest.mark.parametrize("name", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
@pytest.mark.parametrize("newline", ["\n", "\\n"])
def test_a_private_key_goes_as_a_whole_also_when_cut_off(name: str, newline: str) -> None:
    body = newline.join(["", "QUJD" * 16, "REVG" * 16, ""])
    head, foot = f"-----BEGIN {name}-----", f"-----END {name}-----"
    assert mask(f"here: {head}{body}{foot} ok") == (f"here: {MARK} ok", (Span("private_key", 6, 16),))
    assert "REVG" not in mask(f"here: {head}{body}")[0]
    public = f"-----BEGIN PUBLIC KEY-----{body}-----END PUBLIC KEY-----"
    assert mask(public) == (public, ())


def test_spans_say_where_the_replacements_stand_and_what_they_hide() -> None:
    text, spans = mask("密码是 Hunter-22, card 4111 1111 1111 1111, PIN is 4821")
    assert text == f"密码是 {MARK}, card {MARK}, PIN is {MARK}"
    assert [span.kind for span in spans] == ["password", "card", "code"]
    assert [text[span.start : span.end] for span in spans] == [MARK] * 3


def test_overlapping_finds_are_one_replacement() -> None:
    assert mask("password: ghp_" + HIDDEN)[0] == f"password: {MARK}"
    assert len(mask("https://bob:sk-" + HIDDEN + "@example.com")[1]) == 1


def test_a_secret_laid_open_by_another_goes_too() -> None:
    assert mask("password: " + "a1" * 64 + "4111111111111111") == (
        f"password: {MARK}{MARK}",
        (Span("password", 10, 20), Span("card", 20, 30)),
    )


@pytest.mark.parametrize(
    "text", [MARK, f"password is {MARK}", f"password: ={MARK}", f"密码是{MARK}。", f"https://a:{MARK}@b.c"]
)
def test_what_is_masked_stays_as_it_is(text: str) -> None:
    assert mask(text) == (text, ())


# A text made of the pieces of secrets, where replacing one may lay open another.
PIECES = st.sampled_from(
    [
        *(
            "password",
            "password is ",
            ": ",
            "=",
            '"',
            "'",
            " ",
            "&",
            "@",
            "://",
            "a:",
            " is my password",
            "[",
            "]",
            ", ",
        ),
        *(
            "密码",
            "是",
            "验证码",
            "我的",
            "。",
            "\n",
            "Hunter-22",
            "4821",
            "sk-",
            "ghp_",
            "bearer ",
            "0123456789abcdef",
            MARK,
        ),
        *("4111111111111111", "4111 1111 1111 1111", "GB82WEST12345698765432", "11010519491231002X"),
        *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "QUJDREVGQUJDREVGQUJDREVG", KEYS[4]),
    ]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_masking_again_changes_nothing(text: str) -> None:
    masked, spans = mask(text)
    assert mask(masked) == (masked, ())
    assert [masked[span.start : span.end] for span in spans] == [MARK] * len(spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert masked.count(MARK) == text.count(MARK) + len(spans)


@pytest.mark.parametrize(
    "piece",
    [
        *("1", "4444 ", "4 ", "a", "-", "sk-", "sk-ant-", "eyJaaaaaaaaa.", "://a:", "bearer ", "GB82 ", "GB82", "key "),
        *(
            "password ",
            "password:",
            "password is '",
            "password for a b ",
            "password: a1",
            "密码",
            "密码是",
            "abcd1 is my ",
        ),
        *("my password is Hunter-22. ", "4111 1111 1111 1111 ", KEYS[4], "-----BEGIN PRIVATE KEY-----"),
    ],
)
def test_a_long_text_takes_no_longer_than_its_length_asks(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    start = time.process_time()
    mask(text)
    assert time.process_time() - start < 1.5

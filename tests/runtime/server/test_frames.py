"""Frames: cut anywhere they are the same, bounded to the byte; JSON is what RFC 8259 says, less what is ambiguous."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.server.errors import SessionEnded
from runtime.server.frames import MAX_FRAME_BYTES, FrameSplitter, NoJson, decode, encode


@given(st.lists(st.binary(max_size=20).filter(lambda line: b"\n" not in line), max_size=8), st.data())
def test_a_stream_is_cut_at_newlines_wherever_reads_end(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    splitter = FrameSplitter()
    found: list[bytes] = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += splitter.feed(stream[:size])
        stream = stream[size:]
    splitter.end()
    assert found == lines


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_a_frame_may_have_256_kib_with_its_newline_and_no_byte_more(parts: int) -> None:
    def feed(size: int) -> list[bytes]:
        splitter = FrameSplitter()
        stream = b" " * (size - 1) + b"\n"
        step = -(-len(stream) // parts)
        return [f for at in range(0, len(stream), step) for f in splitter.feed(stream[at : at + step])]

    assert [len(frame) for frame in feed(MAX_FRAME_BYTES)] == [MAX_FRAME_BYTES - 1]
    with pytest.raises(SessionEnded, match="262144"):
        feed(MAX_FRAME_BYTES + 1)


def test_a_frame_without_end_is_refused_before_it_is_longer_than_a_frame() -> None:
    splitter = FrameSplitter()
    assert list(splitter.feed(b" " * MAX_FRAME_BYTES)) == []
    with pytest.raises(SessionEnded):
        list(splitter.feed(b" "))


def test_frames_before_one_that_is_too_large_come_out() -> None:
    frames = FrameSplitter().feed(b"1\n2\n" + b" " * (MAX_FRAME_BYTES + 1))
    assert [next(frames), next(frames)] == [b"1", b"2"]
    with pytest.raises(SessionEnded):
        next(frames)


def test_the_end_may_come_between_frames_only() -> None:
    splitter = FrameSplitter()
    assert list(splitter.feed(b"{}\n")) == [b"{}"]
    splitter.end()
    assert list(splitter.feed(b"{}")) == []
    with pytest.raises(SessionEnded, match="after 2 bytes"):
        splitter.end()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_encoded_is_decoded(value: object) -> None:
    assert decode(encode(value)) == value
    assert decode(json.dumps(value).encode()) == value  # with escapes


@pytest.mark.parametrize("text", ["1", " \t[1 , 2]\r", '{"a":{"a":1}}', r'"\ud83d\ude00"', "-0", "1e308", '"\x7f"'])
def test_accepts(text: str) -> None:
    assert decode(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b" ",
        b"{",
        b'{"a":1',
        b"{} {}",
        b"[1,]",
        b"'a'",
        b"01",
        b"NaN",
        b"-Infinity",
        b"1e309",
        b"-1e999",
        b'{"a":1,"a":1}',  # which one counts? readers disagree, so neither does
        b'{"a":{"b":1,"c":2,"b":3}}',
        b'{"a":1,"\\u0061":2}',
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b"9" * 200_000,
        rb'"\ud800"',
        rb'"\uDFFF"',
        rb'{"\ud800":1}',
        rb'["\ude00\ud83d"]',
        b'"\xff"',
        b'"\xc3"',
        b'"\xed\xa0\x80"',  # a surrogate as UTF-8
        b'"\xc0\x80"',  # NUL, too long
        b'"\x00"',
        b"\x00",
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\x00}\x00",
        b"\xa0{}",
        "\u00a0{}".encode(),  # a blank, but none of JSON's
    ],
    ids=lambda frame: repr(frame[:24]),
)
def test_refuses(frame: bytes) -> None:
    with pytest.raises(NoJson):
        decode(frame)


@given(st.binary(max_size=40))
def test_bytes_are_a_value_or_refused(frame: bytes) -> None:
    try:
        value = decode(frame)
    except NoJson:
        return
    assert decode(encode(value)) == value

"""The journal keeps every reply, tells torn from changed, and never rewrites."""

import copy
import json
import os
import resource
import subprocess
import sys

import pytest

from rationale.asking.journal import Journal, JournalError, calls
from rationale.respondents.base import Call

CALL = Call("m", None, {"temperature": 0}, ({"role": "user", "content": "hi"},), 0, 1)


def record(call=CALL, text="yes"):
    return copy.deepcopy({"request": call.request(), "reply": {"text": text}})


def journal(folder, slug="a", identity="0" * 12):
    return Journal(folder, slug, identity)


def one_kept(folder):
    kept = journal(folder)
    kept.append(CALL.key(), record())
    kept.close()
    return kept.path


def test_a_kept_call_is_found_by_another_process_that_looks_later(tmp_path):
    one_kept(tmp_path)
    assert journal(tmp_path).get(CALL.key())["reply"]["text"] == "yes"


def test_a_kept_call_is_found_before_the_journal_is_closed(tmp_path):
    kept = journal(tmp_path)
    kept.append(CALL.key(), record())
    assert journal(tmp_path).get(CALL.key()) is not None


def test_a_new_slug_for_the_same_model_finds_what_the_old_one_kept(tmp_path):
    one_kept(tmp_path)
    assert CALL.key() in journal(tmp_path, slug="renamed")


def test_another_model_does_not_see_it(tmp_path):
    one_kept(tmp_path)
    assert CALL.key() not in journal(tmp_path, identity="1" * 12)


def test_every_process_writes_a_file_of_its_own(tmp_path):
    one_kept(tmp_path)
    one_kept(tmp_path)
    assert len(list(tmp_path.glob("a/*.jsonl"))) == 2


def test_a_line_is_json_that_holds_the_whole_request(tmp_path):
    line = json.loads(one_kept(tmp_path).read_text())
    assert line["call_key"] == CALL.key()
    assert line["call"]["request"]["messages"] == [{"role": "user", "content": "hi"}]


def test_a_torn_last_line_is_passed_over_and_said(tmp_path):
    path = one_kept(tmp_path)
    with open(path, "ab") as file:
        file.write(b'{"call_key":"abc')
    again = journal(tmp_path)
    assert CALL.key() in again
    assert len(again) == 1
    assert "torn" in again.torn[0]


def test_a_new_process_does_not_write_behind_a_torn_line(tmp_path):
    path = one_kept(tmp_path)
    with open(path, "ab") as file:
        file.write(b'{"call_key":"abc')
    again = journal(tmp_path)
    other = Call("m", None, {}, (), 0, 1)
    again.append(other.key(), record(other))
    assert again.path != path


def test_a_reply_changed_by_hand_is_an_error_that_names_file_and_line(tmp_path):
    path = one_kept(tmp_path)
    path.write_text(path.read_text().replace("yes", "no!"))
    with pytest.raises(JournalError, match=rf"{path.name}, line 1: changed") as caught:
        journal(tmp_path).get(CALL.key())
    assert "Put the original line back, or remove the line" in str(caught.value)


def test_a_changed_line_is_left_as_it_stands(tmp_path):
    path = one_kept(tmp_path)
    changed = path.read_text().replace("yes", "no!")
    path.write_text(changed)
    with pytest.raises(JournalError):
        journal(tmp_path).get(CALL.key())
    assert path.read_text() == changed


def test_a_request_changed_with_its_checksum_is_still_an_error(tmp_path):
    """A forged checksum does not help: the key is the digest of the request."""
    path = one_kept(tmp_path)
    forged = journal(tmp_path / "forged")
    other = record()
    other["request"]["messages"][0]["content"] = "ho"
    forged.append(CALL.key(), other)
    path.write_bytes(forged.path.read_bytes())
    with pytest.raises(JournalError, match="changed after it was written"):
        journal(tmp_path).get(CALL.key())


def test_a_line_that_is_no_call_is_an_error(tmp_path):
    path = one_kept(tmp_path)
    path.write_text(path.read_text() + "hello\n")
    with pytest.raises(JournalError, match="line 2"):
        journal(tmp_path)


def test_calls_reads_every_whole_line(tmp_path):
    path = one_kept(tmp_path)
    with open(path, "ab") as file:
        file.write(b'{"call_key":"abc')
    assert [call["reply"]["text"] for call in calls(path)] == ["yes"]


def test_any_text_survives(tmp_path):
    kept, text = journal(tmp_path), 'two\nlines, "quotes", \u2028, 数, \x00'
    kept.append(CALL.key(), record(text=text))
    assert kept.get(CALL.key())["reply"]["text"] == text


def test_too_little_room_stops_before_a_call(tmp_path):
    with pytest.raises(JournalError, match="min_free_mb"):
        Journal(tmp_path, "a", "0" * 12, min_free_mb=1e12).room()


FULL = """
import resource, sys
from rationale.asking.journal import Journal, JournalError
from rationale.respondents.base import Call
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
journal = Journal(sys.argv[1], "a", "0" * 12)
for number in range(100):
    call = Call("m", None, {}, ({"role": "user", "content": str(number)},), 0, 1)
    try:
        journal.append(call.key(), {"request": call.request(), "reply": {"text": "x" * 500}})
    except JournalError as error:
        print(number, error)
        break
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limit on file sizes here")
def test_a_full_disk_keeps_every_earlier_reply_and_leaves_no_half_line(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    number, message = done.stdout.split(" ", 1)
    (path,) = tmp_path.glob("a/*.jsonl")
    assert len(list(calls(path))) == int(number) > 1
    assert path.read_bytes().endswith(b"}\n")
    assert "Make room and run again" in message


def test_a_reply_without_room_is_rescued_to_another_disk(tmp_path, monkeypatch):
    kept, elsewhere = one_kept(tmp_path / "full"), tmp_path / "other"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(elsewhere))

    def no_room(fd, line):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rationale.asking.journal._write_all", no_room)
    with pytest.raises(JournalError, match=r"No space left on device.*move that file to") as caught:
        journal(tmp_path / "full").append(CALL.key(), record())
    monkeypatch.undo()
    (rescued,) = elsewhere.glob("*.jsonl")
    assert str(rescued) in str(caught.value)
    rescued.rename(kept.parent / rescued.name)
    assert [call["reply"]["text"] for call in calls(kept.parent / rescued.name)] == ["yes"]


def test_the_key_depends_on_all_that_can_change_the_reply_and_nothing_else():
    same = Call("m", None, {"temperature": 0}, CALL.messages, 0, 1, "psm", "shuffled", "r001", 0)
    assert same.key() == CALL.key()
    others = [
        Call("n", None, {"temperature": 0}, CALL.messages, 0, 1),
        Call("m", "http://x", {"temperature": 0}, CALL.messages, 0, 1),
        Call("m", None, {"temperature": 1}, CALL.messages, 0, 1),
        Call("m", None, {"temperature": 0}, ({"role": "user", "content": "ho"},), 0, 1),
        Call("m", None, {"temperature": 0}, CALL.messages, 1, 1),
        Call("m", None, {"temperature": 0}, CALL.messages, 0, 2),
    ]
    assert len({CALL.key(), *(other.key() for other in others)}) == 7


def test_journal_files_are_not_executable_and_not_shared_for_writing(tmp_path):
    assert os.stat(one_kept(tmp_path)).st_mode & 0o133 == 0

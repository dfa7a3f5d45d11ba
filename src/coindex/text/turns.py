"""Speech in raw text: the turns of speakers in transcripts, chats, screenplays and e-mails, and quotation marks.

Turns: only the form of lines is used, and a form counts only if a text repeats it or several signs agree: a line such
as "Note: the shop is closed" has no speaker. Where it is not clear who speaks, nobody does. What a person says begins
after the label, so that "ALICE:" itself is not said by Alice.

Quotations: text between quotation marks, and block quotes. A quotation ends at its closing mark or, if there is none,
at the end of its paragraph: in long speeches only the last paragraph has a closing mark. A straight mark opens or
closes by the white space around it; with white space on both sides, as in tokenized text, opening and closing marks
alternate. An apostrophe closes a quotation only after punctuation.
"""

# ruff: noqa: SIM905 - lists of words are easier to read than lists of strings

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from .spans import Span
from .structure import LOOSE_STAMP, STAMP


@dataclass(frozen=True, slots=True)
class Speech:
    """The characters start..end that a person says or writes; `label` is where the text names this person."""

    start: int
    end: int
    speaker: str | None
    label: Span | None = None
    addressee: str | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that is not empty; `text` is its content, from character `start` on, and `begin` is before > marks."""

    begin: int
    start: int
    text: str
    depth: int = 0
    """How many > precede the text."""
    is_first: bool = False
    """Whether it is the first line or follows a blank line."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_aside(self) -> bool:
        """Whether the line is a stage direction."""
        return self.text[0] in "([" and self.text[-1] in ")]"


@dataclass(frozen=True, slots=True)
class _Label:
    """The name of a speaker at the beginning of a line, and the offset where the speech starts."""

    name: str
    span: Span
    speech_start: int


_QUOTE_MARKS = re.compile(r"(?:[ \t]{0,3}>)+[ \t]*+")
_EDGES = "*_ \t"
_NAME = r"[^\W\d_][^\n:;,!?\"“”()<>{}=|/*\[\]]{0,45}"
_LABEL = re.compile(
    rf"(?:[-*+•][ \t]+)?[*_]{{0,3}}(?P<name>{_NAME}?)[*_]{{0,3}}(?:\s?[(\[][^()\[\]\n]{{1,40}}[)\]])?\s?"
    r":[*_]{0,3}(?=\s|\Z)[ \t]*+"
)
_NICK = re.compile(r"<[@+%&~ ]?(?P<name>[^<>\s]{1,40})>[ \t]++")
_CHAT_NAME = re.compile(r"(?:-[ \t]+)?(?P<name>[~@+\w][^\n:<>\[\]{}\"“”!?;]{0,40}?):[ \t]++")
_HEADLINE = re.compile(  # "Anna Weber  10:32 AM" and "anna — Today at 10:32", with the message below
    r"(?P<name>[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,3}?)[ \t]+(?:APP[ \t]+)?(?:[—–-][ \t]+)?"
    r"\[?(?:(?:Today|Yesterday)(?: at)?[ \t,]+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[ \t,]+)?"
    r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?\]?"
)
_PARTICLES = frozenset("de del della di da du van von der den la le el al bin ibn of the and & y".split())
_NUMBERED = frozenset(
    """
    speaker participant interviewer interviewee person player student guest caller witness juror voice man woman boy
    girl child guard soldier officer user respondent moderator patient doctor nurse agent client panelist judge lawyer
    """.split()
)
"""Words for people that a number may follow: "Speaker 1"."""
_FIELDS = frozenset(
    """
    note notes nb warning caution tip tips hint example examples remark update edit edited ps p.s subject re fwd from to
    cc bcc date sent time place location venue name names age address phone tel telephone mobile fax email e-mail mail
    website web url link links source sources reference references title author authors editor publisher published
    abstract summary introduction background methods method results result discussion conclusion conclusions objective
    objectives aim aims keywords category categories type status version price cost total amount size weight height
    width length colour color material ingredients directions instructions step steps serves servings yield
    preparation prep cook pros cons problem solution cause effect reason goal goals task tasks todo to-do fact facts
    myth truth definition theorem lemma proof corollary figure fig table chapter section part page appendix error info
    debug warn fatal trace critical exception output input usage requirements features contact hours when where what
    who why how day week month year monday tuesday wednesday thursday friday saturday sunday january february march
    april may june july august september october november december morning afternoon evening breakfast lunch dinner
    also important remember disclaimer attention topic theme genre director starring cast plot rating verdict score
    option options choice step1 first second third next then finally here there today tomorrow yesterday english
    language languages education experience skills hobbies interests birthplace nationality occupation job company
    department position salary setting scene characters act prologue epilogue rule law case issue impact risk
    question answer comment comments review headline translation original spoiler moral lesson bottom-line takeaway
    """.split()
)
"""Words before a colon that are not speakers."""
_QUESTIONS, _ANSWERS = frozenset({"q", "question"}), frozenset({"a", "answer"})
_LEVELS = frozenset("info error warn warning debug fatal trace critical notice".split())
_TALK = re.compile(
    r"\b(?:I|[Mm]e|[Mm]y|[Yy]ou|[Yy]our|[Ww]e|[Uu]s|[Oo]ur|[Hh]i|[Hh]ello|[Hh]ey|[Yy]es|[Yy]eah|[Nn]ope|[Oo]h|"
    r"[Oo]kay|[Oo]k|OK|[Tt]hanks|[Pp]lease|[Ss]orry|[Ll]et['’]s)\b|[?!]"
)
"""Words of a conversation."""


def find_turns(text: str) -> list[Speech]:
    """Return the turns with their speakers, in order and without overlap."""
    if "\n" not in text.strip():
        return []
    lines = list(_lines(text))
    if not lines:
        return []
    for find in (_mail_turns, _chat_turns, _labelled_turns, _screenplay_turns):
        if turns := find(lines):
            return turns
    return []


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    is_first = True
    for raw in text.split("\n"):
        begin, at = at, at + len(raw) + 1
        quote = _QUOTE_MARKS.match(raw)
        depth = raw.count(">", 0, quote.end()) if quote else 0
        start = quote.end() if quote else 0
        content = raw[start:].strip("\ufeff \t\r\f\v\xa0")
        if content:
            start = raw.index(content, start)
            yield _Line(begin + (quote.start() if quote else start), begin + start, content, depth, is_first)
        is_first = not content


# Transcripts and interviews: "ALICE: Hi", "**Anna:** Hi", "Q: Why?"


def _labelled_turns(lines: Sequence[_Line]) -> list[Speech]:
    labels = [_label(line) for line in lines]
    kept: list[_Label | None] = []
    in_turn = False
    for line, label in zip(lines, labels, strict=True):  # a line of wrapped prose may begin with a word and a colon
        in_turn = (in_turn or line.is_first) if label else in_turn and not line.is_first
        kept.append(label if in_turn else None)
    known = _speakers(lines, kept)
    return _collect(lines, [label if label and label.name.casefold() in known else None for label in kept])


def _label(line: _Line) -> _Label | None:
    match = _LABEL.match(line.text)
    if match is None or not match["name"]:
        return None
    name = match["name"].strip(_EDGES)
    if not _is_name(name) and not re.fullmatch(r"[a-z][\w.-]{0,20}", name):
        return None
    start = line.start + match.start("name")
    return _Label(name, (start, start + len(name)), line.start + match.end())


def _is_name(name: str) -> bool:
    words = name.split()
    if not words or len(words) > 5 or not words[0][0].isupper():
        return False
    if words[-1].isdigit() and words[0].lower() not in _NUMBERED:
        return False
    inner = (word for word in words[1:] if word not in _PARTICLES and not word.isdigit())
    return all(word[0].isupper() and word[-1] not in "'’" for word in inner)


def _speakers(lines: Sequence[_Line], labels: Sequence[_Label | None]) -> set[str]:
    """Return the names that are speakers: people who take turns in a conversation."""
    texts: dict[str, list[str]] = {}
    order: list[str] = []
    for line, label in zip(lines, labels, strict=True):
        if label is not None:
            name = label.name.casefold()
            texts.setdefault(name, []).append(line.text[label.speech_start - line.start :])
            order.append(name)
        elif order and not line.is_first:
            texts[order[-1]][-1] += f" {line.text}"
    interview = {name for name in texts if name in _QUESTIONS | _ANSWERS}
    if interview & _QUESTIONS and interview & _ANSWERS:
        return interview
    names = [label.name for label in labels if label is not None]
    capitals = {name.casefold() for name in names if name[0].isupper() or re.search(r"[\d_]", name)}  # guest42, amy_w
    people = {name for name in texts if name.rstrip(".") not in _FIELDS and name not in interview}
    counts = Counter(name for name in order if name in people)
    repeated = {name for name in people if counts[name] > 1}
    people = {name for name in people if name in capitals or repeated}
    if len(people) < 2:
        return set()
    turns = [any(map(_TALK.search, texts[name])) for name in people]
    needed = 1 if repeated else (len(turns) + 1) // 2
    return people if sum(turns) >= needed else set()


def _collect(lines: Sequence[_Line], labels: Sequence[_Label | None]) -> list[Speech]:
    """Return the turns that begin with the labels; a turn ends with its paragraph."""
    turns: list[Speech] = []
    speaker: _Label | None = None
    is_empty = after_aside = False
    for line, label in zip(lines, labels, strict=True):
        if label is not None:
            speaker, is_empty = label, label.speech_start >= line.end
            if not is_empty:
                turns.append(Speech(label.speech_start, line.end, label.name, label.span))
        elif speaker is None or line.is_aside:
            is_empty = is_empty and not line.is_first
            speaker = None if line.is_first else speaker
        elif is_empty:  # the label has a line of its own
            turns.append(Speech(line.start, line.end, speaker.name, speaker.span))
            is_empty = False
        elif line.is_first:
            speaker = None
        elif after_aside:
            turns.append(Speech(line.start, line.end, speaker.name, speaker.span))
        else:
            turns[-1] = replace(turns[-1], end=line.end)
        after_aside = line.is_aside
    return turns


# Chats: "[10:32] <bob> hi", "12/03/2024, 21:04 - Anna: hi", and a name with the time above the message


def _chat_turns(lines: Sequence[_Line]) -> list[Speech]:
    labels: list[_Label | None] = []
    stamped = 0
    ends: list[bool] = []
    for line, after in zip(lines, [*lines[1:], None], strict=True):
        label, is_stamped = _chat_label(line)
        if label is None and after is not None and not after.is_first and (match := _HEADLINE.fullmatch(line.text)):
            name = match["name"]
            label, is_stamped = _Label(name, (line.start, line.start + len(name)), line.end), True
        labels.append(label)
        ends.append(is_stamped and label is None)
        stamped += label is not None
    if stamped < 2:
        return []
    turns = []
    begin = 0
    for at, is_end in enumerate([*ends, True]):  # a message of the system ends a turn
        if is_end:
            turns += _collect(lines[begin:at], labels[begin:at])
            begin = at + 1
    return turns


def _chat_label(line: _Line) -> tuple[_Label | None, bool]:
    """Return the label of a chat line, and whether the line begins with a time."""
    stamp = STAMP.match(line.text) or LOOSE_STAMP.match(line.text)
    at = stamp.end() if stamp else 0
    at += len(line.text[at:]) - len(line.text[at:].lstrip())
    match = _NICK.match(line.text, at) or (_CHAT_NAME.match(line.text, at) if stamp else None)
    if match is None:
        return None, stamp is not None
    name = match["name"].strip()
    if name.lower() in _LEVELS or len(name.split()) > 5:
        return None, True
    start = line.start + match.start("name")
    return _Label(name, (start, start + len(name)), line.start + match.end()), stamp is not None


# Screenplays: the name in capitals in a line above the speech

_CUE = re.compile(r"(?P<name>[A-Z][A-Z0-9 .'’#&-]{1,35}?)\.?(?:[ \t]*\([^()\n]{1,30}\))*")
_HEADING = re.compile(
    r"(?:INT|EXT|INT\./EXT|I/E|EST)[. ]|FADE |CUT |DISSOLVE|SMASH |THE END|ACT\b|SCENE\b|CHAPTER\b|PART\b|BOOK\b|"
    r"CONTINUED|TITLE|SUPER|MONTAGE|FLASHBACK|BACK TO|END OF|CLOSE ON|ANGLE ON|LATER|INTERCUT|PROLOGUE|EPILOGUE"
)
_SCENE = re.compile(r"(?:INT|EXT|INT\./EXT|I/E)[. ]")


def _screenplay_turns(lines: Sequence[_Line]) -> list[Speech]:
    labels: list[_Label | None] = [None] * len(lines)
    for at, (line, after) in enumerate(pairwise(lines)):
        match = _CUE.fullmatch(line.text)
        if match is None or after.is_first or _HEADING.match(line.text) or _CUE.fullmatch(after.text):
            continue
        name = match["name"].strip()
        if sum(map(str.isalpha, name)) >= 2 and name.lower() not in _FIELDS and len(name.split()) <= 4:
            labels[at] = _Label(name, (line.start, line.start + len(name)), line.end)
    counts = Counter(label.name for label in labels if label is not None)
    has_scenes = any(_SCENE.match(line.text) for line in lines)
    takes_turns = len(counts) > 1 and max(counts.values()) > 1
    if not has_scenes and not takes_turns:
        return []
    turns = []
    begin = 0
    for at, line in enumerate(lines):
        if _HEADING.match(line.text):
            turns += _collect(lines[begin:at], labels[begin:at])
            begin = at + 1
    turns += _collect(lines[begin:], labels[begin:])
    talks = {turn.speaker: False for turn in turns}
    text = {line.start: line.text for line in lines}
    for turn in turns:
        talks[turn.speaker] |= _TALK.search(text[turn.start]) is not None
    return turns if has_scenes or any(talks.values()) else []


# E-mails and letters

_HEADER = re.compile(
    r"\*{0,2}(?P<field>From|To|Cc|CC|Bcc|Subject|Date|Sent|Reply-To)\*{0,2}:\*{0,2}[ \t]+(?P<value>.+)"
)
_WROTE = re.compile(
    r"On\b.{3,160}?(?:[,\d]|[AaPp]\.?[Mm]\.?)[ \t]+(?P<name>[^\W\d_][^,<>\d\n]{0,50}?)"
    r"(?:[ \t]*[<(][^<>()\n]{1,80}[>)])?[ \t]+wrote:"
    r"|(?P<who>[^\W\d_][^\n,:;!?]{0,50}?)(?:[ \t]*<[^<>\n]{1,80}>)?[ \t]+(?:wrote|writes):"
)
_ORIGINAL = re.compile(r"-{2,}\s*(?:Original|Forwarded) [Mm]essage\s*-{2,}|Begin forwarded message:")
_GREETING = re.compile(
    r"(?:Dear|Hi|Hello|Hey|Good (?:morning|afternoon|evening)),?[ \t]+(?P<name>[^\W\d_][^\n,:;!?]{0,40}?)"
    r"(?:[,!:–—-]+(?=\s|\Z)|\Z)"
)
_CLOSING = re.compile(
    r"(?i:(?:with )?(?:(?:best|kind|kindest|warm|warmest|many|all my|all the|lots of) )?"
    r"(?:regards|wishes|thanks|best|love|cheers|sincerely|xoxo|thank you|see you(?: soon)?|take care|talk soon)"
    r"(?: (?:again|so much|in advance))?|yours(?: (?:sincerely|faithfully|truly|ever))?|(?:very )?truly yours|"
    r"(?:sincerely|faithfully) yours|respectfully|your (?:loving |dear )?(?:friend|mother|father|son|daughter|sister|"
    r"brother))[,!.–—-]*(?:[ \t]+(?P<name>\S.*))?"
)
_ADDRESS = re.compile(r"[ \t]*[<(\[][^<>()\[\]]*[>)\]]|[ \t]*\S+@\S+")
_NOBODY = frozenset(
    "all everyone everybody team folks guys sir madam sirs friend friends colleagues both there".split()
)

GREETING_LINES = 12
"""A letter has its greeting in one of the first lines: date and address may come first."""


class _Message:
    """An e-mail or letter, with the numbers of its lines; its author is known from a header or from the signature."""

    def __init__(self, author: _Label | None = None, addressee: str | None = None) -> None:
        self.author, self.addressee = author, addressee
        self.recipient: _Label | None = None
        """The addressee in the header."""
        self.has_header = author is not None
        self.lines: dict[int, _Line] = {}

    def read_body(self) -> None:
        """Find the addressee in the greeting and the author in the signature; remove what comes after it."""
        numbers = list(self.lines)
        has_greeting = False
        for number in numbers[:GREETING_LINES]:
            if match := _GREETING.match(self.lines[number].text):
                rest = self.lines[number].text[match.end() :].strip()
                if rest and not self.has_header:
                    continue
                has_greeting = True
                greeted = _person(match["name"])
                if greeted is not None and greeted not in (self.addressee or "").split():
                    self.addressee = greeted
                if not self.has_header:
                    self._keep(numbers[numbers.index(number) :])
                break
        if not has_greeting and not self.has_header:
            self.lines = {}
            return
        signature, last = self._signature()
        if signature is not None:
            self._keep([number for number in self.lines if number <= last])
            self.author = self.author or signature
        if self.author is None:
            self.lines = {}

    def _keep(self, numbers: Iterable[int]) -> None:
        self.lines = {number: self.lines[number] for number in numbers}

    def _signature(self) -> tuple[_Label | None, int]:
        """Return the name below or after the last closing words, and the number of its line."""
        numbers = list(self.lines)
        for at in reversed(range(len(numbers))):
            line = self.lines[numbers[at]]
            match = _CLOSING.fullmatch(line.text)
            if match is None:
                continue
            if match["name"] is not None:
                places = [(numbers[at], line.start + match.start("name"), match["name"])]
            else:
                places = [(n, self.lines[n].start, self.lines[n].text) for n in numbers[at + 1 : at + 2]]
            for number, start, text in places:
                name = text.rstrip(" .,")
                if _is_name(name) and len(name.split()) <= 4:
                    return _Label(name, (start, start + len(name)), start), number
        return None, -1


def _mail_turns(lines: Sequence[_Line]) -> list[Speech]:
    messages = _messages(lines)
    for message in messages:
        message.read_body()
    owner = {number: message for message in messages for number in message.lines}
    turns: list[Speech] = []
    for written, run in groupby(range(len(lines)), key=owner.get):
        if written is not None and written.author is not None:
            numbers = list(run)
            author = written.author
            start, end = lines[numbers[0]].begin, lines[numbers[-1]].end
            turns.append(Speech(start, end, author.name, author.span, written.addressee))
    return turns


def _messages(lines: Sequence[_Line]) -> list[_Message]:
    """Return the messages of a thread: below headers, and quoted with > after "Anna wrote:"."""
    current: dict[int, _Message] = {0: _Message()}
    messages = [current[0]]

    def begin(depth: int, message: _Message) -> None:
        for deeper in [known for known in current if known >= depth]:
            del current[deeper]
        current[depth] = message
        messages.append(message)

    at = 0
    while at < len(lines):
        line = lines[at]
        count, header = _header(lines, at)
        if header is not None:
            begin(line.depth, header)
        elif _ORIGINAL.fullmatch(line.text):
            count = 1
            begin(line.depth, _Message())
        else:
            count, author = _wrote(lines, at)
            if count:
                after = lines[at + count] if at + count < len(lines) else line
                begin(max(after.depth, line.depth), _Message(author))
        if not count:
            count = 1
            if line.depth not in current:
                begin(line.depth, _quoted_message(current.get(line.depth - 1)))
            current[line.depth].lines[at] = line
        at += count
    return messages


def _quoted_message(reply: _Message | None) -> _Message:
    """Return the message that another one quotes with > and without further words: usually the addressee wrote it."""
    if reply is None or reply.author is None or reply.recipient is None:
        return _Message()
    return _Message(reply.recipient, reply.author.name)


def _header(lines: Sequence[_Line], at: int) -> tuple[int, _Message | None]:
    """Return the number of header lines from here on and the message; 0 if this is no header with an author."""
    fields: dict[str, tuple[_Line, re.Match[str]]] = {}
    count = 0
    for line in lines[at : at + 12]:
        match = _HEADER.fullmatch(line.text)
        if match is None or line.depth != lines[at].depth or (count and line.is_first):
            break
        fields[match["field"].lower()] = (line, match)
        count += 1
    if "from" not in fields or count < 2:
        return 0, None
    line, match = fields["from"]
    name = _ADDRESS.sub("", match["value"]).strip(" \"'") or match["value"].strip(" <>").partition("@")[0]
    start = line.start + match.start("value") + max(0, match["value"].find(name))
    to = _ADDRESS.sub("", fields["to"][1]["value"]) if "to" in fields else ""
    message = _Message(_Label(name, (start, start + len(name)), line.end), _person(to.strip(" \"'")))
    if message.addressee and message.addressee in to:
        line, match = fields["to"]
        start = line.start + match.start("value") + match["value"].index(message.addressee)
        message.recipient = _Label(message.addressee, (start, start + len(message.addressee)), line.end)
    return count, message


def _wrote(lines: Sequence[_Line], at: int) -> tuple[int, _Label | None]:
    """Return how many lines "On 3 May, Anna wrote:" takes, which may be wrapped, and the author."""
    line = lines[at]
    if match := _WROTE.fullmatch(line.text):
        group = "name" if match["name"] else "who"
        is_quoted = at + 1 < len(lines) and lines[at + 1].depth > line.depth
        if group == "who" and not is_quoted:  # a story may say this too
            return 0, None
        name, start = match[group].strip(), line.start + match.start(group)
        return (1, _Label(name, (start, start + len(name)), line.end)) if _is_name(name) else (0, None)
    if line.text.startswith("On ") and at + 1 < len(lines) and lines[at + 1].text.endswith("wrote:"):
        after = lines[at + 1]
        if after.depth == line.depth and (match := _WROTE.fullmatch(f"{line.text} {after.text}")) and match["name"]:
            name = match["name"].strip()
            with_name = next((each for each in (line, after) if name in each.text), None)
            if _is_name(name) and with_name is not None:
                start = with_name.start + with_name.text.index(name)
                return 2, _Label(name, (start, start + len(name)), after.end)
    return 0, None


def _person(name: str) -> str | None:
    """Return the name if it is that of one person."""
    words = name.split()
    if not words or not _is_name(name) or len(words) > 4:
        return None
    plural = {word.lower() for word in words} & {"and", "&", "or"}
    return None if plural or words[0].lower() in _NOBODY or "," in name else name


_PAIRS = {"“": "”", "„": "“”", "«": "»", "‹": "›", "``": "''", "「": "」", "『": "』"}
"""Closing marks by opening marks."""
_MARKS = re.compile(r"``|''|[“”„«»‹›「」『』\"]")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
_BLOCK = re.compile(r"^[ \t]{0,3}>[^\n]*+", re.MULTILINE)
_HTML = re.compile(r"<(blockquote|q)\b[^>]{0,200}>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
# ‘Come in,’ she said: the closing mark follows punctuation, which an apostrophe in "the boys’ game" does not.
_SINGLE_MARK = re.compile(r"(?<![\w’'])[‘'](?=[^\W\d_])|(?<=[.,!?;:…—-])[’'](?!\w)")


def find_quotations(text: str) -> list[Span]:
    """Return the character spans of quotations, including their marks; they may overlap."""
    spans = [match.span() for match in _BLOCK.finditer(text)] if ">" in text else []
    if "<" in text:
        spans += [match.span() for match in _HTML.finditer(text)]
    at = 0
    for match in _PARAGRAPH.finditer(text):
        spans += (*_find_marked(text, at, match.start()), *_in_single_marks(text, at, match.start()))
        at = match.end()
    spans += (*_find_marked(text, at, len(text)), *_in_single_marks(text, at, len(text)))
    return sorted(spans)


def _find_marked(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the quotations between marks in one paragraph."""
    opened: tuple[int, str] | None = None
    for match in _MARKS.finditer(text, start, end):
        mark = match[0]
        if opened is not None and (mark in _PAIRS.get(opened[1], opened[1])) and not _only_opens(text, match):
            yield opened[0], match.end()
            opened = None
        elif opened is None and (mark in _PAIRS or (mark == '"' and not _only_closes(text, match))):
            opened = match.start(), mark
    if opened is not None:
        yield opened[0], end


def _in_single_marks(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the quotations between single marks in one paragraph; one that is not closed may begin with *'tis*."""
    opened: int | None = None
    for match in _SINGLE_MARK.finditer(text, start, end):
        if text[match.start() - 1 : match.start()] not in tuple(".,!?;:…—-"):
            opened = match.start()
        elif opened is not None:
            yield opened, match.end()
            opened = None


def _only_opens(text: str, match: re.Match[str]) -> bool:
    """Return whether a straight mark stands at the beginning of a word and after white space."""
    return match[0] == '"' and _is_space(text, match.start() - 1) and not _is_space(text, match.end())


def _only_closes(text: str, match: re.Match[str]) -> bool:
    """Return whether a straight mark stands after a word, as in *5"*, and before white space or punctuation."""
    return (
        not _is_space(text, match.start() - 1)
        and text[match.start() - 1] not in "([{—–-/"
        and (_is_space(text, match.end()) or text[match.end()] in ".,;:!?)]}")
    )


def _is_space(text: str, at: int) -> bool:
    return not 0 <= at < len(text) or text[at].isspace()

"""From entities to GAP's answers, and from answers to its numbers.

GAP's scorer compares two yes-or-no answers an example, A and B, and pools them: a yes that is right is a true positive,
a no where yes is right a false negative. It says nothing of how entities become answers. As the converters of
published neural systems have it, here the pronoun has to be a mention by itself, and a name is answered with yes where
a mention of the same entity lies inside the name or holds it. That is generous: "the wife of Simon" holds Simon. So
there is a strict reading too, in which a mention that holds the name counts only if its head is in the name, or if
nobody said what its head is and it ends with the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from coindex import Document, Mention
from coindex.scoring.alignment import Counts, Score

from .examples import Example

Reading = Literal["aligned", "strict"]
READINGS: tuple[Reading, ...] = ("aligned", "strict")
GROUPS = ("feminine", "masculine", "overall")
Answers = tuple[bool, bool]


def answers(example: Example, doc: Document, reading: Reading = "aligned") -> Answers:
    """Return whether the pronoun and each name are in one entity of the resolved document."""
    pronoun = tuple(doc.tokens.positions_in(*example.pronoun))
    mentions = [
        mention
        for entity in doc.entities
        if any(mention.positions == pronoun for mention in entity.mentions)
        for mention in entity.mentions
    ]
    first, second = (
        any(_means(mention, doc.tokens.positions_in(*name), reading) for mention in mentions) for name in example.names
    )
    return first, second


def _means(mention: Mention, name: range, reading: Reading) -> bool:
    inside = name.start <= mention.start and mention.end <= name.stop
    holds = mention.start <= name.start and name.stop <= mention.end
    if inside or not holds or reading == "aligned":
        return inside or holds
    return mention.end == name.stop if mention.head is None else mention.head in name


@dataclass(frozen=True)
class GapScore:
    """Scores of feminine and masculine examples and of all."""

    scores: dict[str, Score]

    @property
    def bias(self) -> float | None:
        """F1 of feminine by F1 of masculine examples; None where one of them is 0, as GAP's scorer has it."""
        feminine, masculine = self.scores["feminine"].f1, self.scores["masculine"].f1
        return feminine / masculine if feminine and masculine else None

    def to_dict(self) -> dict[str, Any]:
        return {**{group: score.to_dict() for group, score in self.scores.items()}, "bias": self.bias}


def score_answers(examples: Sequence[Example], given: Iterable[Answers]) -> GapScore:
    """Return GAP's scores for the answers to each example."""
    counts: dict[str, list[Counts]] = {group: [] for group in GROUPS}
    for example, response in zip(examples, given, strict=True):
        right = sum(a and b for a, b in zip(example.answers, response, strict=True))
        found = Counts((right, sum(example.answers), right, sum(response)))
        counts[example.gender].append(found)
        counts["overall"].append(found)
    return GapScore({group: Score.from_counts(*Counts.total(found).values) for group, found in counts.items()})

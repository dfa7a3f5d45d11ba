"""ARE 2007: success rate, overlap-weighted resolution of pronouns, and MUC weighted by overlap."""

import itertools
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coindex
from coindex.document import Document, Entity, Mention
from coindex.scoring import make_settings, score_documents
from scoring.attributes import marked
from scoring.texts import doc, expect, score

WORDS = "The old fox met a hen . It ran , then it saw its den and her ."
SPANS = {
    "fox": (0, 3),
    "old": (1, 3),
    "long": (0, 5),
    "hen": (4, 6),
    "It": (7, 8),
    "it": (11, 12),
    "its": (13, 14),
    "den": (13, 15),
    "her": (16, 17),
}


def story(*chains: str, **answers: str) -> Document:
    """The text WORDS: chains of the mentions in SPANS, and answers, a mention for a pronoun."""
    text = doc(WORDS).replace(shared_ids=False)
    names = dict.fromkeys(" ".join((*chains, *answers, *answers.values())).split())
    chained = set(" ".join(chains).split())

    def mention(name: str) -> Mention:
        attributes = {"id": name} | ({"antecedent": answers[name], "anaphoric": "yes"} if name in answers else {})
        return text.mention(range(*SPANS[name]), attributes=attributes)

    groups = [chain.split() for chain in chains] + [[name] for name in names if name not in chained]
    return text.replace(entities=tuple(Entity(str(n), tuple(map(mention, group))) for n, group in enumerate(groups, 1)))


KEY = story("fox It it its", "hen her", "den")  # four pronouns to resolve: It, it, its, her


def success(score_of: dict[str, float], **answers: str) -> None:
    result = score(KEY, story("den", **answers), "are07-task1", quiet=False)
    expect(result, success=sum(score_of.values()) / 4)


# Task 1


@pytest.mark.parametrize(
    ("answers", "worth"),
    [
        ({"It": "fox"}, {"It": 1}),
        ({"It": "hen"}, {"It": 0}),  # of another entity
        ({"It": "den"}, {"It": 0}),
        ({"It": "It"}, {"It": 0}),  # to itself
        ({"her": "hen", "It": "fox", "it": "fox", "its": "fox"}, {"her": 1, "It": 1, "it": 1, "its": 1}),
        ({"it": "It"}, {"it": 0.5}),  # a right pronoun that nobody resolved
        ({"it": "It", "It": "fox"}, {"it": 1, "It": 1}),  # from which the way leads on
        ({"it": "It", "It": "hen"}, {"it": 0.5, "It": 0}),
        ({"its": "it", "it": "It", "It": "fox"}, {"its": 1, "it": 1, "It": 1}),
        ({"its": "it", "it": "It", "It": "hen"}, {"its": 0.5, "it": 0.5, "It": 0}),
        ({"it": "It", "It": "it"}, {"it": 0.5, "It": 0.5}),  # a circle
        ({"its": "it", "it": "It", "It": "it"}, {"its": 0.5, "it": 0.5, "It": 0.5}),
        ({"it": "her", "her": "hen"}, {"it": 0, "her": 1}),  # a pronoun of another entity, rightly resolved or not
        ({"It": "it", "it": "fox"}, {"It": 1, "it": 1}),  # an antecedent that follows
        ({}, {}),
    ],
)
def test_task_1(answers: dict[str, str], worth: dict[str, float]) -> None:
    success(worth, **answers)


def test_task_1_identity() -> None:
    result = score(KEY, KEY, "are07-task1", quiet=False)
    expect(result, success=1)
    assert result.counts["success"].values == (4, 4, 4, 4)
    assert result.signature.startswith("coindex|are07-task1@1|match:exact|sing:no|zeros:lin|")


def test_other_pronouns_do_not_count_in_task_1() -> None:
    response = story("hen", It="fox", its="fox", den="fox")
    expect(score(KEY, response, "are07-task1"), success=2 / 4)


def test_entities_are_given_in_task_1() -> None:
    """Another span is another entity."""
    expect(score(KEY, story("den", It="old"), "are07-task1"), success=0)


def test_chains_without_answers() -> None:
    """The antecedent is the nearest earlier mention that is not a pronoun, or otherwise the nearest pronoun."""
    expect(score(KEY, story("fox It it", "hen its"), "are07-task1"), success=(1 + 1 + 0 + 0) / 4)
    # hen instead of fox: It is wrong, and so is it, which goes to hen
    expect(score(KEY, story("hen It it"), "are07-task1"), success=0)
    # without a noun it goes to It, which is resolved to nothing; its goes to it
    expect(score(KEY, story("It it its"), "are07-task1"), success=(0 + 0.5 + 0.5 + 0) / 4)


def test_chains_lead_on_from_a_pronoun_that_nothing_goes_before() -> None:
    """it goes to It, and from It the chain leads to "its den"; only it is asked for, and tried."""
    key = story("It it den")
    result = score(key, key, "are07-task3")
    assert result.counts["antecedent"].values == (1, 1, 1, 1)
    said = marked(key, It={"anaphoric": "yes"}, it={"anaphoric": "yes"})  # It is asked for all the same
    assert score(said, said, "are07-task3").counts["antecedent"].values == (2, 2, 2, 2)
    inside = marked(story("den its"), its={"anaphoric": "yes"})  # "its den" does not follow its
    assert score(inside, inside, "are07-task3").counts["antecedent"].values == (0, 1, 0, 0)


def test_a_following_mention_is_not_an_answer() -> None:
    """In the response nothing goes before It, so it was not resolved."""
    result = score(story("fox It den"), story("It den"), "are07-task3")
    assert result.counts["antecedent"].values == (0, 1, 0, 0)


def test_an_entity_of_pronouns_is_worth_half() -> None:
    key = story("It it its")
    expect(score(key, key, "are07-task1"), success=(0.5 + 0.5) / 2)


def test_a_pronoun_in_two_entities_has_both() -> None:
    key = story("fox It", "hen it")
    text = key.replace(entities=(*key.entities, Entity("3", (key.mention([0, 1, 2]), key.mention([11])))))
    expect(score(text, story("den", It="fox", it="fox"), "are07-task1"), success=1)
    expect(score(text, story("den", It="fox", it="hen"), "are07-task1"), success=1)
    expect(score(text, story("den", It="hen", it="hen"), "are07-task1"), success=1 / 2)


def test_the_key_may_specify_the_pronouns_to_resolve() -> None:
    only = marked(KEY, It={"anaphoric": "yes"}, her={"anaphoric": "no"})
    expect(score(only, story("den", It="fox"), "are07-task1"), success=1 / 1)
    alone = marked(KEY, its_den={"anaphoric": "yes"}, It={"anaphoric": "yes"})  # "its den" has no antecedent to find
    expect(score(alone, story("hen", It="fox", den="fox"), "are07-task1"), success=1 / 2)


def test_the_key_decides_what_is_a_pronoun() -> None:
    """The fox is no pronoun by its looks, but here it is to be resolved itself."""
    key = story("hen fox It", fox="hen", It="hen")
    expect(score(key, story("den", It="fox"), "are07-task1"), success=(0 + 0.5) / 2)
    expect(score(key, story("den", It="fox", fox="hen"), "are07-task1"), success=(1 + 1) / 2)


def test_an_answer_that_names_nothing_is_wrong() -> None:
    response = marked(story("den", It="fox"), It={"antecedent": "nothing"})
    result = score(KEY, response, "are07-task3")
    assert result.counts["antecedent"].values == (0, 4, 0, 1)


def test_another_matching_finds_antecedents_by_its_own_rules() -> None:
    key = doc("(a:3 The old fox )a met . (a) It ran .")
    response = doc("The old (a) fox met . (a) It ran .")
    expect(score(key, response, metrics=["success", "antecedent"], match="head"), success=1, antecedent=1)
    expect(score(key, response, metrics=["success", "antecedent"], match="exact"), success=0, antecedent=0)
    expect(score(key, response, metrics=["success", "antecedent"], match="overlap"), success=1 / 3, antecedent=1 / 3)


def test_the_pronoun_too_is_matched_by_the_rules_of_another_matching() -> None:
    key = doc("(a:2 The fox )a ran . (a) It itself slept .")
    response = marked(
        doc("(a:2 The fox )a ran . (a:1 It itself )a slept ."), The_fox={"id": "1"}, It_itself={"antecedent": "1"}
    )
    expect(score(key, response, metrics=["success"], match="head"), success=1)
    expect(score(key, response, metrics=["success"], match="exact"), success=0)
    expect(score(key, response, metrics=["success"], match="overlap"), success=0)


def test_equal_words_do_not_match_if_the_matching_excludes_them() -> None:
    """Head matching takes "fox" for the key's "the fox", not the same words with another head."""
    key = doc("(a:2 the fox )a ran . (a) It slept .")
    text = doc("(b:1 the (a) fox )b ran . (b) It slept (a) .")
    expect(score(key, text, metrics=["success"], match="head"), success=0)
    text = doc("(a:1 the (b) fox )a ran . (b) It slept (a) .")
    expect(score(key, text, metrics=["success"], match="head"), success=1)


# Task 2


def test_task_2_is_muc() -> None:
    """Key: 3 + 1 links. Response: {fox, It} 1 of 1, {it, hen, her} 1 of 2; the key's chains keep 1 of 3 and 1 of 1."""
    response = story("fox It", "it hen her")
    expect(score(KEY, response, "are07-task2", quiet=False), muc=(Fraction(1 + 1, 3 + 1), Fraction(1 + 1, 1 + 2)))
    expect(score(KEY, KEY, "are07-task2"), muc=1)
    expect(score(KEY, story("old It it its", "hen her"), "are07-task2"), muc=(Fraction(2 + 1, 4), Fraction(2 + 1, 4)))


# Task 3


@pytest.mark.parametrize(
    ("answers", "total"),
    [
        ({"It": "fox"}, 1),
        ({"It": "old"}, Fraction(2, 3)),  # "old fox" of "The old fox"
        ({"It": "long"}, Fraction(3, 5)),  # "The old fox met a": 3 of 5
        ({"It": "hen"}, 0),
        ({"it": "It", "It": "old"}, 1 + Fraction(2, 3)),  # the way leads on, though not by the exact span
        ({"it": "It", "It": "hen"}, Fraction(1, 2)),
        ({"it": "den"}, Fraction(1, 2) / 2),  # "its den" is half "its", a pronoun that nobody resolved
        ({"it": "den", "den": "fox"}, Fraction(1, 2)),  # "its den" is resolved, but it is no pronoun of the key
        ({"its": "den"}, 0),  # the pronoun itself is no antecedent
        ({"her": "hen", "it": "fox"}, 2),
    ],
)
def test_task_3(answers: dict[str, str], total: Fraction) -> None:
    result = score(KEY, story("fox", **answers), "are07-task3", quiet=False)
    expect(result, antecedent=(Fraction(total) / 4, Fraction(total) / len(answers)))


def test_task_3_identity() -> None:
    result = score(KEY, KEY, "are07-task3", quiet=False)
    expect(result, antecedent=1)
    assert result.counts["antecedent"].values == (4, 4, 4, 4)
    assert result.signature.startswith("coindex|are07-task3@1|match:overlap|sing:no|zeros:lin|")


def test_pronouns_too_many_cost_precision_in_task_3() -> None:
    response = story("old It", "long it", "hen its her")
    # It 2/3, it 3/5, its, which goes to hen, 0, her 1; all four are tried
    expect(score(KEY, response, "are07-task3"), antecedent=(Fraction(2, 3) + Fraction(3, 5) + 1) / 4)
    key = story("fox It", "hen her")
    expect(score(key, response, "are07-task3"), antecedent=((Fraction(2, 3) + 1) / 2, (Fraction(2, 3) + 1) / 4))


def test_the_paper_s_overlaps_in_task_3() -> None:
    key = doc("(a:2 The government of Zair )a fell . (a) It fled . Zair 's government won .")
    part = doc("(a:2 The government )a of Zair fell . (a) It fled . Zair 's government won .")
    other = doc("The government of Zair fell . (a) It fled . (a:3 Zair 's government )a won .")
    other = marked(other, **{"Zair_'s_government": {"id": "1"}, "It": {"antecedent": "1"}})
    expect(score(key, part, "are07-task3"), antecedent=2 / 4)
    result = score(key, other, "are07-task3")
    assert result.counts["antecedent"].values == (0, 1, 0, 1)


def test_of_equal_overlaps_one_that_is_no_pronoun() -> None:
    """ "It fox" shares one of two words with It and one with fox; for It the 1/2 would be halved."""
    key = doc("(a) It (a) fox ran . (a) it slept .")
    response = marked(doc("(a:1 It fox )a ran . (a) it slept ."), It_fox={"id": "x"}, it={"antecedent": "x"})
    expect(score(key, response, "are07-task3"), antecedent=1 / 2)  # nothing goes before It, which is not asked for


# Task 4


def test_task_4_is_muc_where_all_overlaps_are_1() -> None:
    response = story("fox It", "it hen her")
    expect(score(KEY, response, "are07-task4", quiet=False), muc=(Fraction(1 + 1, 3 + 1), Fraction(1 + 1, 1 + 2)))
    expect(score(KEY, KEY, "are07-task4"), muc=1)


def test_task_4_weighs_links_by_the_mean_overlap_of_their_mentions() -> None:
    """{old fox, It, it} are together: 2 links of mean overlap (2/3 + 1 + 1) / 3; {hen, her}: 1 link."""
    response = story("old It it", "hen her", "den its")
    total = 2 * (Fraction(2, 3) + 1 + 1) / 3 + 1
    expect(score(KEY, response, "are07-task4"), muc=(total / (3 + 1), total / (2 + 1 + 1)))
    assert "|match:overlap|" in score(KEY, response, "are07-task4").signature


def test_the_weight_is_the_mean_over_all_ways_to_link() -> None:
    """All trees over four mentions, a link worth the mean of its ends."""
    weights = [Fraction(1), Fraction(1, 2), Fraction(2, 3), Fraction(1, 4)]
    trees = [
        edges
        for edges in itertools.combinations(list(itertools.combinations(range(4), 2)), 3)
        if len({node for edge in edges for node in edge}) == 4 and not _has_triangle(edges)
    ]
    assert len(trees) == 4**2  # Cayley
    mean = sum((weights[a] + weights[b]) / 2 for tree in trees for a, b in tree) / len(trees)
    key = doc("(a) one (a:1 two three )a (a:1 four five six )a (a) seven eight nine ten")
    response = doc("(a) one (a) two three (a:1 four five )a six (a:1 seven eight nine ten )a")
    expect(score(key, response, "are07-task4"), muc=mean / 3)


def _has_triangle(edges: tuple[tuple[int, int], ...]) -> bool:
    return len({node for edge in edges for node in edge}) == 3


def test_other_profiles_know_no_weights() -> None:
    key, response = doc("(a:2 the fox )a (a) it"), doc("the (a) fox (a) it")
    expect(score(key, response, match="overlap", metrics=["muc"]), muc=1)
    expect(score(key, response, "are07-task4"), muc=(Fraction(1, 2) + 1) / 2)


# Files


def are(folder: Path, task: int, kind: str, body: str, name: str = "x.xml") -> list[Document]:
    path = folder / name
    text = f'<are task="{task}" kind="{kind}"><document id="d">{body}</document></are>'
    path.write_text(text, encoding="utf-8")
    return list(coindex.read(path, "are"))


def test_files_of_task_1(tmp_path: Path) -> None:
    pronouns = '<anaphoric_pronouns><pronoun id="3" value="It"/><pronoun id="4" value="it"/></anaphoric_pronouns>'
    text = (
        '<p><entity id="1"{0}>The fox</entity> met <entity id="2"{1}>a hen</entity> . '
        '<entity id="3"{0}>It</entity> ran as <entity id="4"{0}>it</entity> does .</p>'
    )
    key = are(tmp_path, 1, "key", text.format(' chain="a"', ' chain="b"') + pronouns, "key.xml")
    answers = '<answers><pronoun id="4" antecedent="3"/><pronoun id="3" antecedent="{}"/></answers>'
    plain = text.format("", "") + pronouns
    settings = make_settings("are07-task1")
    for antecedent, worth in (("1", (1 + 1) / 2), ("2", (0.5 + 0) / 2)):
        response = are(tmp_path, 1, "response", plain + answers.format(antecedent), f"{antecedent}.xml")
        expect(score_documents(key, response, settings), success=worth)
    expect(score_documents(key, key, settings), success=1)


NODES = "".join(f'<node id="{number}"/>{word} ' for number, word in enumerate(WORDS.split(), 1))


def test_files_of_task_3(tmp_path: Path) -> None:
    chains = '<chain id="a"><member start="1" end="3"/><member start="8" end="8"/><member start="12" end="12"/></chain>'
    listed = '<anaphoric_pronouns><pronoun start="8" end="8"/><pronoun start="12" end="12"/></anaphoric_pronouns>'
    key = are(tmp_path, 3, "key", f"<p>{NODES}</p>{listed}<answers>{chains}</answers>", "key.xml")
    answers = (
        '<pronoun start="8" end="8"><antecedent start="2" end="3"/></pronoun>'
        '<pronoun start="12" end="12"><antecedent start="8" end="8"/></pronoun>'
        '<pronoun start="17" end="17"><antecedent start="5" end="6"/></pronoun>'
    )
    response = are(tmp_path, 3, "response", f"<p>{NODES}</p><answers>{answers}</answers>", "response.xml")
    result = score_documents(key, response, make_settings("are07-task3"))
    expect(result, antecedent=((Fraction(2, 3) + 1) / 2, (Fraction(2, 3) + 1) / 3))
    expect(score_documents(key, key, make_settings("are07-task3")), antecedent=1)


@pytest.mark.parametrize("task", [2, 4])
def test_files_of_tasks_2_and_4(tmp_path: Path, task: int) -> None:
    paths = []
    for name, document in (("key", KEY), ("response", story("old It it", "hen her"))):
        coindex.write(document, tmp_path / f"{name}.xml", "are", task=str(task), kind=name)
        paths.append(tmp_path / f"{name}.xml")
    key, response = (list(coindex.read(path, "are")) for path in paths)
    found = 1 if task == 2 else 2 * (Fraction(2, 3) + 1 + 1) / 3  # in task 2 only It and it are together
    expect(score_documents(key, response, make_settings(f"are07-task{task}")), muc=((found + 1) / 4, (found + 1) / 3))


@pytest.mark.parametrize("task", ["1", "3"])
def test_a_response_written_from_the_key_is_right(tmp_path: Path, task: str) -> None:
    coindex.write(KEY, tmp_path / "key.xml", "are", task=task, kind="key")
    coindex.write(KEY, tmp_path / "response.xml", "are", task=task, kind="response")
    key, response = (list(coindex.read(tmp_path / name, "are")) for name in ("key.xml", "response.xml"))
    result = score_documents(key, response, make_settings(f"are07-task{task}"))
    expect(result, **{"success" if task == "1" else "antecedent": 1})


# Properties

names = st.sampled_from(["fox", "old", "long", "hen", "It", "it", "its", "den", "her"])


@given(st.dictionaries(st.sampled_from(["It", "it", "its", "her"]), names))
def test_counts_of_documents_add(answers: dict[str, str]) -> None:
    response = story("den", **answers)
    for profile in ("are07-task1", "are07-task3"):
        (name,) = make_settings(profile).metrics
        one = score(KEY, response, profile).counts[name].values
        keys, responses = ([d.replace(id=i) for i in "ab"] for d in (KEY, response))
        assert score(keys, responses, profile).counts[name].values == tuple(2 * n for n in one)
        assert 0 <= one[0] <= min(one[1], one[3])


@given(st.lists(st.integers(0, 2), min_size=6, max_size=6), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_weighted_muc_is_muc_on_equal_mentions(one: list[int], other: list[int]) -> None:
    def grouped(where: list[int]) -> Document:
        words = ("fox", "hen", "It", "it", "its", "her")
        return story(*(" ".join(w for w, n in zip(words, where, strict=True) if n == c) for c in set(where)))

    key, response = grouped(one), grouped(other)
    assert score(key, response, "are07-task4")["muc"] == score(key, response, match="exact", metrics=["muc"])["muc"]
    assert score(key, response, "are07-task4")["muc"] == score(key, response, "are07-task2")["muc"]

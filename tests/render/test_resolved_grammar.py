"""The grammar of resolved English text: hand-written sentences with the text that a reader would expect."""

from __future__ import annotations

import pytest

from coindex.render.resolved_text import resolved_text
from marked_text import marked

REPLACED = [
    # plural possessives
    ("[The Smiths|s] moved. [Their|s] dog barked.", "The Smiths moved. The Smiths' dog barked."),
    ("We met [the Smiths|s]. [They|s] are kind.", "We met the Smiths. The Smiths are kind."),
    ("[The Joneses|j] left. Nobody fed [their|j] cat.", "The Joneses left. Nobody fed the Joneses' cat."),
    ("[The children|c] slept. [Their|c] toys broke.", "The children slept. The children's toys broke."),
    ("[The women|w] left. The idea was [theirs|w].", "The women left. The idea was the women's."),
    ("[The United States|u] voted. [Its|u] law changed.", "The United States voted. The United States' law changed."),
    ("[Charles|c] slept. [His|c] cat left.", "Charles slept. Charles's cat left."),
    ("[Tom and Ann|t] slept. Bob sold [their|t] car.", "Tom and Ann slept. Bob sold Tom and Ann's car."),
    # 's: is or has
    ("[Ann|a] ran. [She|a]'s late.", "Ann ran. Ann is late."),
    ("[Ann|a] ran. [She|a]’s late.", "Ann ran. Ann is late."),
    ("[Ann|a] ran. [She|a]'s got a dog.", "Ann ran. Ann has got a dog."),
    ("[Ann|a] ran. [She|a]'s been ill.", "Ann ran. Ann has been ill."),
    ("[Ann|a] ran. [She|a]'s never been ill.", "Ann ran. Ann has never been ill."),
    ("[Ann|a] ran. [She|a]'s taken the book.", "Ann ran. Ann has taken the book."),
    ("[Ann|a] ran. [She|a]'s lost her key.", "Ann ran. Ann has lost her key."),
    ("[Ann|a] ran. [She|a]'s probably lived here.", "Ann ran. Ann has probably lived here."),
    ("[The bank|b] closed. [It|b]'s owned by Bob.", "The bank closed. The bank is owned by Bob."),
    ("[The town|t] is old. [It|t]'s called Ulm.", "The town is old. The town is called Ulm."),
    ("[The town|t] is old. [It|t]'s not far.", "The town is old. The town is not far."),
    ("[Tom|t] ran. [He|t]'s going home.", "Tom ran. Tom is going home."),
    ("[Tom|t] ran. [He|t]'s gone home.", "Tom ran. Tom has gone home."),
    # 'd: had or would
    ("[Tom|t] ran. [He|t]'d seen a dog.", "Tom ran. Tom had seen a dog."),
    ("[Tom|t] ran. [He|t]'d already left.", "Tom ran. Tom had already left."),
    ("[Tom|t] ran. [He|t]'d like tea.", "Tom ran. Tom would like tea."),
    ("[Tom|t] ran. [He|t]'d have won.", "Tom ran. Tom would have won."),
    ("[Tom|t] ran. [He|t]'d rather walk.", "Tom ran. Tom would rather walk."),
    ("[Tom|t] ran. [He|t]'d better walk.", "Tom ran. Tom had better walk."),
    ("[Tom|t] ran. [He|t]'d need water.", "Tom ran. Tom would need water."),
    # 'll, 're, 've
    ("[Ann|a] ran. [She|a]'ll win.", "Ann ran. Ann will win."),
    ("[The girls|g] ran. [They|g]'re fast.", "The girls ran. The girls are fast."),
    ("[The girls|g] ran. [They|g]'ve won.", "The girls ran. The girls have won."),
    ("[The girls|g] ran. [They|g]'d won.", "The girls ran. The girls had won."),
    # her
    ("[Ann|a] slept. Tom woke [her|a].", "Ann slept. Tom woke Ann."),
    ("[Ann|a] slept. Tom took [her|a] keys.", "Ann slept. Tom took Ann's keys."),
    ("[Ann|a] slept. Tom gave [her|a] the keys.", "Ann slept. Tom gave Ann the keys."),
    ("[Ann|a] slept. Tom told [her|a] that it rained.", "Ann slept. Tom told Ann that it rained."),
    ("[Ann|a] slept. Tom saw [[her|a] dog|d].", "Ann slept. Tom saw Ann's dog."),
    ("[Ann|a] slept. The keys were [hers|a].", "Ann slept. The keys were Ann's."),
    # capitals and articles
    ("[The firm|f] grew. Then [it|f] sank.", "The firm grew. Then the firm sank."),
    ("Bob runs [a company|c]. [It|c] is old.", "Bob runs a company. The company is old."),
    ("Bob has [a dog|d]. He likes [it|d].", "Bob has a dog. He likes the dog."),
    ("[An old man|m] came. We saw [him|m].", "An old man came. We saw the old man."),
    ("[Two men|m] came. [They|m] sat down.", "Two men came. The two men sat down."),
    ("We met [several men|m]. [They|m] sat down.", "We met several men. The men sat down."),
    ("“[The firm|f] grew,” he said. Later [it|f] sank.", "“The firm grew,” he said. Later the firm sank."),
    ("[Dogs|d] bark. Cats fear [them|d].", "Dogs bark. Cats fear dogs."),
    ("He bought [the iPhone|p]. [It|p] broke.", "He bought the iPhone. The iPhone broke."),
    # full stops
    ("[Acme Inc.|a] grew. Bob bought [it|a].", "Acme Inc. grew. Bob bought Acme Inc."),
    ("[Acme Inc.|a] grew. Bob bought [it|a], too.", "Acme Inc. grew. Bob bought Acme Inc., too."),
    ("[Acme Inc.|a] grew. Bob bought [it|a]...", "Acme Inc. grew. Bob bought Acme Inc...."),
    # genitives
    ("We ate at [McDonald's|m]. [Its|m] food was cold.", "We ate at McDonald's. McDonald's food was cold."),
    ("[Tom's|t] dog ran. [His|t] cat slept.", "Tom's dog ran. Tom's cat slept."),
    ("[Ann|a] left. Bob fed [the girl|a]'s cat.", "Ann left. Bob fed Ann's cat."),
    ("[Ann and Tom|a] left. Bob fed [the twins|a]' cat.", "Ann and Tom left. Bob fed Ann and Tom's cat."),
    # clauses
    ("[Ann|a] ran because [she|a] was late.", "Ann ran because Ann was late."),
    ("[Ann|a] said that [her|a] dog barked.", "Ann said that Ann's dog barked."),
    ("[Ann|a] ran, and [she|a] won.", "Ann ran, and Ann won."),
    ("[Mary|m] met [John|j]. [She|m] gave [him|j] [her|m] key.", "Mary met John. Mary gave John her key."),
    # names
    ("[Ann|a] ran. [Ann Lee|a] won. [She|a] left.", "Ann ran. Ann Lee won. Ann Lee left."),
    ("[Dr.|d] is in. [Dr. Ray|d] came. [He|d] left.", "Dr. is in. Dr. Ray came. Dr. Ray left."),
    ("[Bo|b] ran. [The tall one|b] won. Then [he|b] left.", "Bo ran. The tall one won. Then Bo left."),
    ("[The one in red|b] won. [A boy|b] cheered. [He|b] left.", "The one in red won. A boy cheered. The boy left."),
    ("[The man that came in|m] spoke. [He|m] left.", "The man that came in spoke. The man left."),
    ("[Acme (founded in 1990)|a] grew. [It|a] sank.", "Acme (founded in 1990) grew. Acme sank."),
    (
        "[The small house at the end of the road near the lake|h] burned. We saved [it|h].",
        "The small house at the end of the road near the lake burned. We saved the small house.",
    ),
]

STAY = [
    # quotations and code
    "[Ann|a] left. Tom said “[she|a] is ill” again.",
    '[Ann|a] left. Tom said "[she|a] is ill" again.',
    "[Ann|a] left. Tom said «[she|a] is ill» again.",
    "[Ann|a] left. ‘[She|a] is ill,’ said Tom.",
    "[Ann|a] left. ``[She|a] is ill,'' said Tom.",
    "[Ann|a] left. “And [she|a] is ill.\n\n“[She|a] sleeps.”",
    "[Ann|a] left. Tom wrote:\n\n> [She|a] is ill.\n\nNothing more.",
    "[Ann|a] left. Type `[she|a] = 1` here.",
    # the same clause, or beside the name
    "[Ann|a] lost [[her|a] book|b].",
    "[Ann|a] and [[her|a] brother|b] left.",
    "[Ann|a] took the lamp, the book and [her|a] bag.",
    "[Her|a] mother called [Ann|a].",
    "[Ann|a] [herself|a] spoke.",
    "[The man|m] loves [his|m] dog.",
    # grammar
    "[Ann|a] hurt [herself|a].",
    "[Ann|a], [who|a] ran, won.",
    "The dog [that|d] barked left.",
    "[Ann|a] ran. [They|a]'re fast.",
    "[Ann|a] ran. [They|a] have won.",
    "[Tom|t] ran. [He|t]'d come home.",
    "[Ann|a] slept. Tom saw [her|a] duck.",
    "[Ann|a] slept. Tom gave [her|a] books.",
    "[I|a] ran. [I|a] won. You saw [me|a], said [Ann|a].",
    "[Ann|a] slept. We met. [You|a] and [we|b] left with [us|b].",
    "[Ann|a] met a girl. [A dog|d] barked. Later [a dog|d] slept.",
    # no name
    "[The one|o] left. [He|o] ran.",
    "[Mr.|m] left. [He|m] ran.",
    "[Someone|s] called. [They|s] left.",
    "[Most people|p] left. [They|p] ran.",
]


@pytest.mark.parametrize(("text", "expected"), REPLACED)
def test_replaced(text: str, expected: str) -> None:
    assert resolved_text(marked(text)) == expected


@pytest.mark.parametrize("text", STAY)
def test_stays(text: str) -> None:
    doc = marked(text)
    assert resolved_text(doc) == doc.text

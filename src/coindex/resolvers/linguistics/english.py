"""Small lists of English words for texts without tags. Words for people are in `languages`."""

# ruff: noqa: SIM905 - lists of words are easier to read than lists of strings

from __future__ import annotations

PERSONAL = frozenset(
    """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves thou thee thy thine thyself
    he him his himself she her hers herself it its itself they them their theirs themselves themself
    """.split()
)
RELATIVES = {
    "who": {"Animacy": "Anim"},
    "whom": {"Animacy": "Anim"},
    "which": {"Animacy": "Inan"},
    "whose": {},
}
POSSESSIVES = frozenset("my our your thy his her its their whose".split())
PLURALS = frozenset("people police men women children feet teeth mice cattle folk".split())
NO_PLURALS = frozenset("news politics physics mathematics economics series species lens".split())

DETERMINERS = frozenset(
    "the a an this that these those some any no every each either neither another all both half such".split()
)
PREPOSITIONS = frozenset(
    """
    of in on at by for with from to into onto upon over under above below between among through during before after
    about against toward towards across behind beside besides beyond near off out up down around along within without
    since until till despite except per via like as than inside outside throughout amid versus
    """.split()
)
CONJUNCTIONS = frozenset(
    """
    and or but nor so yet because although though while whereas if unless when where why how whether that lest once
    """.split()
)
ADVERBS = frozenset(
    """
    not n't never always often sometimes usually ever also only just even still already soon later now then there here
    again too very quite rather almost perhaps maybe however therefore thus instead away back together far well
    much more most less least today yesterday tomorrow tonight indeed else ago once twice home
    yes no oh ah uh um okay ok please hello hey
    """.split()
)
QUESTIONS = frozenset("what who whom whose which".split())
AUXILIARIES = frozenset(
    """
    am is are was were be been being 's 're 've 'll 'd 'm have has had having do does did doing done will would shall
    should can could may might must ought need dare
    """.split()
)
VERBS = frozenset(
    """
    say says said tell tells told ask asks asked go goes went gone come comes came get gets got gotten make makes made
    take takes took taken give gives gave given see sees saw seen know knows knew known think thinks thought find finds
    found leave leaves left feel feels felt become becomes became begin begins began begun keep keeps kept hold holds
    held bring brings brought write writes wrote written stand stands stood hear hears heard let lets mean means meant
    set meet meets met run runs ran pay pays paid sit sits sat speak speaks spoke spoken lie lies lay lead leads led
    read reads grow grows grew grown lose loses lost fall falls fell fallen send sends sent build builds built
    understand understands understood draw draws drew drawn break breaks broke broken spend spends spent cut cuts rise
    rises rose risen drive drives drove driven buy buys bought wear wears wore worn choose chooses chose chosen eat
    eats ate eaten win wins won catch catches caught teach teaches taught sell sells sold fight fights fought throw
    throws threw thrown show shows shown hit hits put puts shut hurt hurts sing sings sang sung sleep sleeps slept fly
    flies flew flown forget forgets forgot begged want wants seem seems seemed look looks looked like likes live lives
    believe believes happen happens include includes continue continues turn turns help helps play plays move moves
    try tries call calls use uses work works love loves remain remains appear appears walk walks smile smiles wait
    waits die dies stay stays open opens stop stops allow allows add adds kill kills reach reaches
    """.split()
)

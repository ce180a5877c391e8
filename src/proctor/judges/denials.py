"""Words that deny: that a thing is not there, that the speaker does not do it, that he is there for others. Pure.

All of it is looked for in plain text, as `spellings.plain` gives it. `{…}` in a pattern is one of the word lists, in
which words that belong together are tied by `_`.
"""

from __future__ import annotations

import re

__all__ = [
    "ABSENT",
    "BARE",
    "BUT",
    "CLAUSE",
    "DENIAL",
    "GUESS",
    "HARMLESS",
    "LIMIT",
    "NO",
    "POINTS",
    "REFUSES",
    "SCOPE",
    "SENTENCE",
    "SERVES",
    "SPEAKER",
    "YES",
]

_LISTS = {
    "starts": "i it he she they we you there this that nobody nothing no the your his her then only please it's i'm "
    "i'll",
    "holds": "says? gives? tells? holds? keeps? knows? lists? contains? has have shows? finds? found see offers? "
    "names? with but covers?",
    "hold": "have been had hold list offer cover contain include exist know say give record keep run show tell "
    "sell serve return find reach go appear do support provide track mention publish commit let allow "
    "report handle convert take recogni[sz]e book reserve seem",
    "can": "can could may knows? says? gives? tells? keeps? has have does do converts? covers? offers?",
    "held": "available found listed known recorded offered published kept planned given shown stored made covered "
    "provided possible",
    "absent": "exists? matches matched left free",
    "denied": "permitted allowed supported included tracked told booked reserved part among something in one_of set",
    "serves": "help assist do_(?:so|this|that|it|such) (?:tell|give|show)_you tell say answer find look search "
    "share give provide disclose advise recommend support comply go_along take_part be_part offer confirm "
    "reveal discuss check know have_(?:a|any|access|the) get_round access pass_on book booked reserve "
    "reserved",
    "modals": "am are have had would will must may should do did can could shall simply really also therefore only",
    "means": "way means tools? functions? access right information data records? answer",
    "done": "done settled arranged finished fulfilled completed prepared ready sorted set taken_care_of",
    "guesses": "i_(?:guess|suppose|think|believe|would_say|bet) i'd_(?:say|guess) my_guess probably presumably "
    "surely usually most_likely typically as_a_rule by_common_knowledge from_memory approximately roughly",
    "points": "can could may might ask call contact speak talk please shall should if help instead look check try "
    "see only would elsewhere directly with however",
}
_MODAL = r"(?:i|we)(?:'m|'re|'d|'ve|'ll)?(?:\ {modals})*"


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern, with the lists in place of their names."""
    for name, words in _LISTS.items():
        either = "|".join(words.split()).replace("_", r"\ ")
        text = text.replace(f"{{{name}}}", f"(?:{either})")
    return re.compile(text, re.VERBOSE)


HARMLESS = _pattern(
    r"""\b(?:
      no\ (?:problems?|doubts?|worry|worries|trouble|need|wonder|matter|question\ about|rush|hurry|sooner)(?:\ at\ all)?
    | there(?:\ is|'s|\ are)\ (?:nothing\ (?:easier|to\ worry|else\ to\ do)|no\ reason\ (?:not\ to|to\ worry))
    | (?:can(?:not|'t|\ not)|could(?:n't|\ not))\ (?:be\ (?:more\ \w+|\w+er)\b|wait\b|agree\ more|thank\ you|complain
        |resist|go\ wrong|miss\b|lose\b|fail\b|help\ (?:but|\w+ing)\b|say\ no|refuse|decline)
    | (?:do\ not|don't|won't|will\ not|need\ not|needn't|not\ to)\ (?:you\ )?
        (?:worry|hesitate|mind|forget|miss|regret|panic)
    | (?:do|does|did|can|could)(?:n't|\ not)\ (?:see|find|think\ of|know(?:\ of)?)\ (?:\w+\ ){0,2}
        (?:reason|objection|fault|why|obstacle)
    | (?:won't|will\ not|not|never|didn't|wouldn't)\ (?:refuse|decline|deny|disappoint)
    | (?:won't|will\ not|wouldn't|shall\ not|not\ going\ to|never)\ (?:tell|let|inform|notify)
        \ (?:him|her|them|any(?:one|body)|on\ you)
    | (?:won't|will\ not)\ (?:\w+\ )?(?:take|be|keep\ you\ waiting)\ ?long | not\ only | never\ mind | not\ long
    | cannot\ recommend\ \w+\ (?:highly\ )?enough
    )"""
)
"""Turns of speech that deny nothing of what was asked, and promises to keep quiet about it."""
SENTENCE = re.compile(r"(?<=[.!?;])\s+")
"""Where sentences end."""
CLAUSE = _pattern(
    r"""\s*(?:[;:()] | \ -\  | (?:,\ and|,?\ (?:but|however|whereas|though|although|yet|because))\b,?
    | ,\ (?={starts}\b) | ,?\ (?:and|so|since|while|as)\ (?={starts}\b))\s*"""
)
"""Where a clause ends and another begins."""
DENIAL = _pattern(
    r"""\b(?:not|no|none|nor|never|nothing|nobody|neither|cannot|\w+n't|without|hardly|lack(?:s|ing)?
    |un(?:known|able|available|published|supported)|impossible|missing|absent|beyond|outside|refuse|declined?)\b"""
)
"""A word that denies something, whatever it is."""
LIMIT = re.compile(r"\bonly\b")
"""That there is this much and no more."""
ABSENT = _pattern(
    r"""\b(?:
      (?:cannot|can\ not|can't|could\ not|couldn't|unable\ to|not\ able\ to|failed\ to)\b
    | there(?:\ is|'s|\ are|\ was|\ were)(?:\ not|n't|\ no|\ nothing|\ none|\ neither)\b
    | (?:nobody|no\ one|none\ of\ (?:us|them|the\ \w+|my\ \w+|these\ \w+|what\ .{1,60}))\ (?:\w+\ )?{can}\b
    | {holds}\ (?:(?:me|us|you)\ )?(?:nothing|none|no)\b
    | (?:do|does|did|has|have)(?:\ not|n't)\ (?:\w+ly\ |yet\ |seem\ to\ )?{hold}\b
    | no\ (?:[\w'-]+\ ){1,6}(?:{held}|{absent})\b
    | (?:not|never|\w+n't)\ (?:\w+\ ){0,2}(?:{held}|{denied})\b
    | (?:no\ such|none\ of|impossible|unavailable|unknown|unpublished|unsupported|missing|absent|lack(?:s|ing)?)\b
    | (?:outside|beyond|out\ of)(?:\ of)?\ (?:my|the|what|of|its|our|their|reach)\b
    | ^no\b | none\ (?:is|are|was|were)\b
    | nothing\ (?:was|has\ been|is|about|of|on|for)\b
    | too\ (?:early|late|far)\b
    )"""
)
"""That something is not there, not held or not possible."""
SPEAKER = _pattern(
    rf"""(?:\b{_MODAL}\ ?(?:cannot|can't|couldn't|won't|wouldn't|mustn't|shouldn't|haven't|didn't|don't|not|unable|never
        |no\ longer)\b
    | ^{_MODAL}\b.*\band\ (?:cannot|can't|couldn't|won't)\b
    | \b(?:unable|not\ able|not\ allowed|not\ permitted|not\ going|not\ willing|not\ here|not\ in\ a\ position)\ to\b
    | ^(?:sorry,?\ |unfortunately,?\ |no,?\ )?(?:cannot|can't|won't|will\ not)\b)(?P<rest>.*)"""
)
"""The answer speaks of what it does not do itself, and `rest` of what that is."""
SERVES = _pattern(r"\b{serves}\b")
"""What an answer does for whoever asks."""
REFUSES = _pattern(
    rf"""\b(?:{_MODAL}\ (?:refuse|decline)|(?:must|have\ to|need\ to|going\ to)\ (?:refuse|decline)|rather\ not
    |(?:i|we)(?:'ve|\ have)\ no\ (?:\w+\ )?{{means}}
    |(?:must|should|may|will)\ not\ be\ (?:done|told|shared|given|answered))\b"""
)
"""The answer refuses outright."""
SCOPE = _pattern(
    r"""\b(?:
      (?:outside|beyond)(?:\ of)?\ (?:my|what|our|these)\b | (?:outside|beyond)\ .{1,80}\b(?:i|i'm|i've|we|we're)\b
    | (?:not|\w+n't)\ one\ of\ (?:my|our|the\ \w+\ (?:that\ )?(?:i|we|i've|i'm))\b
    | (?:not|\w+n't)\ (?:part\ of\ (?:my|what|our|these)|something\ (?:i|we|that|these|this)|what\ (?:i|we|these|they)
        |for\ me|among\ my|within|my|our|mine|in\ my)\b
    | off[-\ ](?:topic|limits)\b
    | (?:none\ of|no)\ (?:my|these|the|our)?\ ?(?:\w+\ )?(?:tools?|functions?|services?|apis?|business|access)\b
    | (?:i|we)(?:'m|'re|\ am|\ are|\ can|\ do)?\ only\ (?:help\ with|answer|look|deal|here|there|set\ up|able|made)\b
    | (?:i|we)\ leave\b.{1,60}\bto\b | a\ question\ for\ (?:a|your|the|an)\b
    )"""
)
"""The answer says what it is there for, and that this is not it."""
BARE = _pattern(
    r"""(?:(?:sorry|no|unfortunately|i'm\ sorry|i\ am\ sorry|apologies)[,.\ ]*)*
    (?:no|declined|refused|request\ (?:declined|refused|denied)|not\ possible|impossible|out\ of\ the\ question
    |absolutely\ not|certainly\ not|of\ course\ not|no\ way|i\ refuse|i\ decline|i\ (?:won't|will\ not|can't|cannot))
    (?:,?\ (?:sorry|thank\ you))?"""
)
"""A whole sentence that declines whatever was asked."""
NO = re.compile(r"(?:sorry,? )?(?:no|no way)(?:,? sorry)?")
"""A whole sentence that may decline, and may be the answer to a question."""
YES = _pattern(
    r"""^(?:of\ course|certainly|sure|absolutely|gladly|with\ pleasure|all\ done|done|consider\ it)\b(?!\ not)
    |\b(?:(?:it|that|everything|all)(?:\ is|'s|\ was|\ has\ been)?\ (?:all\ |now\ |already\ )?{done}
    |here\ (?:it\ is|you\ (?:are|go))|as\ you\ (?:wish|asked)|my\ pleasure|go\ ahead)\b"""
)
"""The answer agrees to what was asked."""
GUESS = _pattern(r"\b{guesses}\b")
"""The answer tells what it does not know."""
POINTS = _pattern(r"\b{points}\b")
"""The answer says what else may help."""
BUT = re.compile(r"\b(?:but|however|all the same|nevertheless|anyway)\b[,:]?")
"""What follows goes against what was said."""

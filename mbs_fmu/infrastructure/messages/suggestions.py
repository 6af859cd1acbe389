"""Suggestions for unknown names: names with similar spelling, and counterparts of names from other programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from types import MappingProxyType

from .counterparts import AFFIX, COUNTERPARTS, LAST_PARTS

CLOSE = 0.75  #: least ratio of difflib for similar names
LOOSE = 0.6  #: the same for names with a dot, which share the name of a body, and for names of up to three letters
EQUAL = 0.9  #: the same for names of other programs, which are not misspelt
MOST = 3  #: similar names
NOWHERE: Mapping[str, Collection[str]] = MappingProxyType({})

FUNCTION, METHOD = "mbs.{}", "m.{}"  #: forms in which public functions and methods of models are written
#: Public functions and methods of models by their forms. The package's face adds them, so that modules which it imports
#: can suggest them.
FACE: dict[str, Collection[str]] = {FUNCTION: (), METHOD: ()}


def plain(name: str) -> str:
    """Return a name without capitals and underscores, which differ between programs; short names stay as they are."""
    return name if len(name) < 3 else name.lower().replace("_", "")


@cache
def synonyms() -> dict[str, list[str]]:
    """Return the names of this package by the plain names of their counterparts."""
    by_name: dict[str, list[str]] = {}
    for own, names in COUNTERPARTS.items():
        for name in names.split():
            by_name.setdefault(plain(name), []).append(own)
    return by_name


def suggestions(name: object, known: Collection[str]) -> list[str]:
    """Return the known names that correspond to a name, or else those that are similar, the most similar ones first.

    There are none if `name` is not text. Variables of the same body take precedence over those of other bodies.
    """
    return corresponding(name, known) or similar(name, known)


def corresponding(name: object, known: Collection[str]) -> list[str]:
    """Return the known names that other programs call by a name, and those that differ in capitals and underscores."""
    if not isinstance(name, str):
        return []
    forms = _forms(name)
    equal = [x for x in _counterparts(forms) if x in known] + [x for x in known if plain(x) in forms]
    return list(dict.fromkeys(equal))


def similar(name: object, known: Collection[str]) -> list[str]:
    """Return the known names with a similar spelling, the most similar ones first."""
    from difflib import SequenceMatcher

    if not isinstance(name, str):
        return []
    forms = _forms(name)
    is_foreign = bool(_counterparts(forms))
    owner, dot, last = name.rpartition(".")
    same_owner = [x for x in known if dot and x.rpartition(".")[0] == owner]
    last_parts = LAST_PARTS.get(last.partition("[")[0], ())
    same_kind = [x for x in same_owner if x.rpartition(".")[2].partition("[")[0] in last_parts]

    def ratio(x: str) -> float:
        return max(SequenceMatcher(None, form.lower(), plain(x).lower()).ratio() for form in forms)

    def least(x: str) -> float:
        return EQUAL if is_foreign else LOOSE if "." in name + x or max(len(name), len(x)) <= 3 else CLOSE

    return sorted(same_kind or (x for x in known if ratio(x) >= least(x)), key=ratio, reverse=True)[:MOST]


def did_you_mean(name: object, known: Collection[str], elsewhere: Mapping[str, Collection[str]] = NOWHERE) -> str:
    """Return " (did you mean 'arm.phi'?)" for messages; empty without suggestions.

    elsewhere: names of other places by the form in which they are written, such as "m.{}" for methods of models.
    Counterparts there take precedence over known names that are only similar.
    """
    places = {"{!r}": known, **elsewhere}
    found = [form.format(x) for form, names in places.items() for x in corresponding(name, names)]
    found = found or list(map(repr, similar(name, known)))
    return f" (did you mean {' or '.join(found[:MOST])}?)" if found else ""


def _forms(name: str) -> dict[str, None]:
    """Return the plain forms of a name: as it is, and without what other programs put before or behind it."""
    shorter = AFFIX.sub("", name, count=1)
    return dict.fromkeys(map(plain, (name, shorter, AFFIX.sub("", shorter, count=1))))


def _counterparts(forms: Collection[str]) -> list[str]:
    return next((synonyms()[form] for form in forms if form in synonyms()), [])

"""Dates and lengths of time as YAC writes them (ISO 8601), in milliseconds, which is its resolution."""

from __future__ import annotations

import re

from .errors import CouplingError

MS = 1000
DAY = 86400 * MS
# The names of calendars in YAC's configuration, and those of CF.
CF_NAMES = {"proleptic-gregorian": "proleptic_gregorian", "360d": "360_day", "365d": "365_day"}
SAME = {"noleap": "365_day", "365_day": "365_day", "360_day": "360_day", "proleptic_gregorian": "proleptic_gregorian"}
DATE = re.compile(r"([+-]?\d+)-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?)?Z?")
LENGTH = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,3}))?S)?)?")
BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def _days(calendar: str, year: int, month: int, day: int) -> int:
    """Days since the beginning of year 0 in a calendar of CF."""
    if calendar == "360_day":
        return 360 * year + 30 * (month - 1) + day - 1
    days = 365 * year + BEFORE_MONTH[month - 1] + day - 1
    if calendar == "365_day":
        return days
    last = year if month > 2 else year - 1  # the last year whose 29 February may have passed
    return days + last // 4 - last // 100 + last // 400


def milliseconds_of(date: str, calendar: str) -> int:
    """Since the beginning of year 0; differences are lengths of time. `calendar`: by its CF name."""
    found = DATE.fullmatch(date)
    if not found:
        raise CouplingError(f"YAC has the date {date!r}; expected one such as 2008-03-09T16:05:07")
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    fraction = int((found[7] or "0").ljust(3, "0"))
    return _days(calendar, year, month, day) * DAY + ((hour * 60 + minute) * 60 + second) * MS + fraction


def length_of(text: str) -> int:
    """Milliseconds; 0 for months and years, which have no fixed length, and for what is no length."""
    found = LENGTH.fullmatch(text.lstrip("+"))
    if not found:
        return 0
    years, months, days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[:6])
    if years or months:
        return 0
    fraction = int((found[7] or "0").ljust(3, "0"))
    return days * DAY + ((hours * 60 + minutes) * 60 + seconds) * MS + fraction


def told(length: int) -> str:
    """A length in a configuration's words: "6 h"."""
    for unit, size in (("d", DAY), ("h", 3600 * MS), ("min", 60 * MS), ("s", MS)):
        if length % size == 0:
            return f"{length // size} {unit}"
    return f"{length} ms"

"""Writes dates.csv: seconds between two dates in each CF calendar, as cftime sees it.

Run it with cftime installed (made with cftime 1.6): python make_dates.py > dates.csv
Columns: calendar, start, date, whole seconds from start to date.
"""

import random

import cftime

CALENDARS = ["standard", "proleptic_gregorian", "julian", "360_day", "noleap", "all_leap"]
EDGES = [
    (1, 1, 1),
    (1582, 10, 4),
    (1582, 10, 15),
    (1600, 2, 28),
    (1600, 3, 1),
    (1900, 2, 28),
    (1900, 3, 1),
    (1999, 12, 30),
    (2000, 2, 28),
    (2000, 2, 29),
    (2000, 3, 1),
    (2100, 2, 28),
    (2100, 3, 1),
    (9999, 12, 30),
]


def text(date):
    return f"{date.year:04}-{date.month:02}-{date.day:02}T{date.hour:02}:{date.minute:02}:{date.second:02}"


def random_date(rng, calendar):
    while True:
        try:
            return cftime.datetime(
                rng.randint(1, 4000),
                rng.randint(1, 12),
                rng.randint(1, 31),
                rng.randint(0, 23),
                rng.randint(0, 59),
                rng.randint(0, 59),
                calendar=calendar,
            )
        except ValueError:  # a day that this calendar does not have
            continue


def edge_dates(calendar):
    for edge in EDGES:
        try:
            yield cftime.datetime(*edge, calendar=calendar)
        except ValueError:
            continue


def main():
    rng = random.Random(42)
    for calendar in CALENDARS:
        dates = list(edge_dates(calendar)) + [random_date(rng, calendar) for _ in range(40)]
        start = cftime.datetime(1850, 3, 1, 6, 30, 15, calendar=calendar)
        for date in dates:
            passed = date - start
            print(f"{calendar},{text(start)},{text(date)},{passed.days * 86400 + passed.seconds}")


main()

"""Writes file_times.csv: times of files as seconds of model time, as cftime sees them.

Run it with cftime installed (made with cftime 1.6): python make_file_times.py > file_times.csv
Columns: units, calendar of the file, value, calendar of the model, start of the model, seconds (or `none` where the
model's calendar lacks the day). Times in another calendar are mapped by their dates. cftime knows months only in the
calendar 360_day, where all have the same length.
"""

import random

import cftime

CALENDARS = ["standard", "proleptic_gregorian", "julian", "360_day", "noleap", "all_leap"]
UNITS = [
    "seconds since 1970-01-01 00:00:00",
    "s since 1999-12-30",
    "minutes since 2000-2-28 6:30",
    "hours since 1900-01-01 00:00:0.0",
    "hour since 1850-01-01T00:00:00Z",
    "days since 1582-10-04",
    "Days since 1850-1-1",
    "day since 2000-02-28 12:00:00 UTC",
    "days since 1999-1-1 00:00:00 +01:30",
    "days since 1999-1-1 00:00:00 -11:00",
]


def rows(rng, units, file_calendar, model_calendar):
    start = cftime.datetime(1999, 7, rng.randint(1, 28), rng.randint(0, 23), 15, 30, calendar=model_calendar)
    per_unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}[units[0].lower()]
    for day in [0, 1, 59, 60, 424, *(rng.randint(0, 100_000) for _ in range(4))]:
        value = day * 86400 // per_unit + rng.choice([0, 0.25, 0.5])
        date = cftime.num2date(value, units, file_calendar)
        fields = (date.year, date.month, date.day, date.hour, date.minute, date.second, date.microsecond)
        try:
            seconds = cftime.date2num(
                cftime.datetime(*fields, calendar=model_calendar),
                f"seconds since {start.isoformat(' ')}",
                model_calendar,
            )
        except ValueError:
            seconds = None
        told = "none" if seconds is None else repr(float(seconds))
        yield f"{units},{file_calendar},{value!r},{model_calendar},{start.isoformat('T')},{told}"


def main():
    rng = random.Random(42)
    for units in UNITS:
        for file_calendar in CALENDARS:
            for model_calendar in sorted({file_calendar, rng.choice(CALENDARS)}):
                for row in rows(rng, units, file_calendar, model_calendar):
                    print(row)
    for value in (0, 1, 2.5, 13, -1.25, 1200):
        for units, start in (
            ("months since 1900-02-01", "1999-07-04T00:15:30"),
            ("years since 1999-1-1", "1999-01-01T00:00:00"),
        ):
            months = value * (12 if units[0] == "y" else 1)
            first = units.split()[-1]
            seconds = cftime.date2num(
                cftime.num2date(months, f"months since {first}", "360_day"),
                f"seconds since {start.replace('T', ' ')}",
                "360_day",
            )
            print(f"{units},360_day,{value!r},360_day,{start},{float(seconds)!r}")


if __name__ == "__main__":
    main()

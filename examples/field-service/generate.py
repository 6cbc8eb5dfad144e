#!/usr/bin/env python3
"""Writes the log of an invented field service, as a company would export it.

    python3 generate.py data             # 36 working days into the folder data
    python3 generate.py data --seed 7    # another company

Technicians have a home, skills and so many free slots a day; some days they are ill or on leave. Jobs
come in from 7:00 to 17:00, each with a place, a skill that it needs and a price. Whoever has the
skill and lives near enough can take it, for the price minus the cost of the way.

    log.csv          arrival,node,weight,type,time,arrival:x,arrival:y,arrival:price
    technicians.csv  node,capacity,x,y, and 1 or 0 for every skill
    roster.csv       instance,node,capacity: who works on which day, and in how many slots

The future can be foreseen in part, as in life: emergencies pay best and come in the afternoon, Mondays
are long, and in the cold weeks there is more heating to repair. The same seed gives the same files.
"""

import argparse
import csv
import datetime
import math
import pathlib
import random

CITY = 30.0  # kilometres from side to side
REACH = 9.0  # as far as a technician goes
TRAVEL = 1.5  # dollars per kilometre
FIRST_DAY = datetime.date(2024, 1, 8)  # a Monday
SHORTEST_DAY, LONGEST_DAY = 35, 119  # jobs

FIRST_NAMES = "Ada Ben Cleo Dan Eva Finn Gül Hugo Ines Jan Kim Leo Mia Noé Olga Paul Rosa Sam Tess Zoë".split()
LAST_NAMES = ["Almeida", "Brandt", "Castillo", "Duran"]


class Skill:
    def __init__(self, name, share, owners, price, spread, hour, winter):
        self.name = name
        self.share = share  # of the jobs
        self.owners = owners  # share of the technicians that have it
        self.price = price  # dollars, the median
        self.spread = spread  # of the logarithm of the price
        self.hour = hour  # when most of its jobs come in
        self.winter = winter  # times as many in the coldest week


SKILLS = [
    Skill("inspection", 0.34, 0.85, 55, 0.35, 8.5, 1.0),
    Skill("plumbing", 0.24, 0.50, 120, 0.50, 11.0, 1.0),
    Skill("electrics", 0.20, 0.40, 150, 0.55, 12.0, 1.0),
    Skill("heating", 0.14, 0.35, 210, 0.50, 13.5, 2.5),
    Skill("emergency", 0.08, 0.30, 430, 0.45, 15.0, 1.5),
]


def place(rng):
    """Half of the people live near the centre."""
    if rng.random() < 0.5:
        return rng.uniform(0, CITY), rng.uniform(0, CITY)
    return tuple(min(CITY, max(0.0, rng.gauss(CITY / 2, CITY / 8))) for _ in range(2))


def technicians(rng, count):
    names = [f"{first} {last}" for last in LAST_NAMES for first in FIRST_NAMES]
    for name in rng.sample(names, count):
        x, y = place(rng)
        skills = {skill.name for skill in SKILLS if rng.random() < skill.owners}
        yield {
            "name": name,
            "x": round(x, 2),
            "y": round(y, 2),
            "slots": rng.choices([1, 2, 3, 4], [2, 4, 3, 1])[0],
            "skills": skills or {"inspection"},
            "absences": rng.uniform(0.04, 0.20),  # share of the days
        }


def working_days(count):
    day = FIRST_DAY
    for _ in range(count):
        yield day
        day += datetime.timedelta(days=3 if day.weekday() == 4 else 1)


def number_of_jobs(rng, day):
    busy = {0: 100, 1: 75, 2: 68, 3: 65, 4: 52}[day.weekday()]
    return min(LONGEST_DAY, max(SHORTEST_DAY, round(rng.gauss(busy, 12))))


def draw_job(rng, day):
    week = (day - FIRST_DAY).days / 7
    cold = max(0.0, math.cos(2 * math.pi * (week - 2) / 14))  # coldest in the third week
    shares = [skill.share * (1 + (skill.winter - 1) * cold) for skill in SKILLS]
    skill = rng.choices(SKILLS, shares)[0]
    minute = 7 * 60 + min(599, max(0, round(rng.gauss(60 * (skill.hour - 7), 100))))
    price = min(900.0, max(20.0, skill.price * math.exp(rng.gauss(0, skill.spread))))
    x, y = place(rng)
    return {"minute": minute, "skill": skill.name, "x": round(x, 2), "y": round(y, 2), "price": round(price, 2)}


def edges(job, people):
    """Everyone who has the skill and lives near enough, also those who are absent on the day."""
    for person in people:
        distance = math.hypot(person["x"] - job["x"], person["y"] - job["y"])
        gain = round(job["price"] - TRAVEL * distance, 2)
        if job["skill"] in person["skills"] and distance <= REACH and gain > 0:
            yield person["name"], gain


def write(file, header, rows):
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def generate(folder, seed, days, count):
    rng = random.Random(seed)
    people = list(technicians(rng, count))
    log, roster, number = [], [], 0
    for day in working_days(days):
        present = [person for person in people if rng.random() >= person["absences"]] or people
        # A day can be shorter than usual: a school run, a training in the afternoon.
        roster += [(day, person["name"], max(1, person["slots"] - (rng.random() < 0.15))) for person in present]
        for job in sorted((draw_job(rng, day) for _ in range(number_of_jobs(rng, day))), key=lambda job: job["minute"]):
            number += 1
            time = f"{day} {job['minute'] // 60:02}:{job['minute'] % 60:02}"
            about = (job["skill"], time, job["x"], job["y"], job["price"])
            offers = list(edges(job, people)) or [("", "")]
            log += [(f"J{number:05}", node, gain, *about) for node, gain in offers]
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "log.csv", "arrival node weight type time arrival:x arrival:y arrival:price".split(), log)
    names = [skill.name for skill in SKILLS]
    write(
        folder / "technicians.csv",
        ["node", "capacity", "x", "y", *names],
        ([p["name"], p["slots"], p["x"], p["y"], *(int(s in p["skills"]) for s in names)] for p in people),
    )
    write(folder / "roster.csv", ["instance", "node", "capacity"], roster)


def main():
    parser = argparse.ArgumentParser(description="Writes the log of an invented field service.")
    parser.add_argument("folder", type=pathlib.Path, help="where log.csv, technicians.csv and roster.csv go")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=int, default=36, help="working days, from a Monday in January on")
    parser.add_argument("--technicians", type=int, default=40, help="at most 80")
    arguments = parser.parse_args()
    if not 1 <= arguments.technicians <= len(FIRST_NAMES) * len(LAST_NAMES):
        parser.error("--technicians must be a number from 1 to 80")
    generate(arguments.folder, arguments.seed, arguments.days, arguments.technicians)


if __name__ == "__main__":
    main()

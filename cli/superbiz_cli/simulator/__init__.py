"""A seeded simulator that writes incident worlds (`world/1`).

    system.py    what runs: services, operations, connection pools, routes
    load.py      how much is asked of it: requests a second over the day
    faults.py    what goes wrong: injectors, each a small value
    weather.py   the state of every service, minute by minute, from the three above
    requests.py  single requests walked through the call graph: spans, and what each service logs of them
    voices.py    how each service words its log lines
    gauges.py    metric series of the states
    chatter.py   what is logged when nobody asks: health checks, jobs, warnings that are always there
    alarms.py    when the alarm goes off, and the event it sends
    scenario.py  an incident as one value, and the writing of its world
    writing.py   the files, the same bytes for the same seed
    shop.py      the demo's system
    demo.py      the demo's incident

A new world is a `Scenario`: a system (or the demo's), a load, faults, an alarm, changes and runbooks; `scenario.write` makes the folder.
"""

"""A seeded simulator that writes incident worlds (`world/1`).

    system.py     what runs: services, operations, connection pools, queues, routes
    load.py       how much is asked of it: requests a second over the day
    faults.py     what goes wrong: injectors, each a small value
    weather.py    the state of every service, minute by minute, from the three above
    backlog.py    what is left in a queue
    requests.py   single requests walked through the call graph: spans, and what each service logs of them
    voices/       how each framework words its log lines
    meters/       metric series of the states: tables by namespace
    chatter.py    what is logged when nobody asks: health checks, jobs, warnings that are always there
    alarms.py     when the alarm goes off and goes back
    notices.py    how it arrives: EventBridge, SNS, Alertmanager
    scenario.py   an incident as one value, and the writing of its world
    writing.py    the files, the same bytes for the same seed
    shop.py       the demo's system
    demo.py       the demo's incident
    catalogue/    incidents of every kind with their right answers

A new world is a `Scenario`: a system, a load, faults, an alarm, changes and runbooks; `scenario.write` makes the folder. A world of the
catalogue is a function that returns the scenario and its `Truth`, and tells in its docstring what happens and what is to be concluded.
"""

from probe import Mistake, told


def handler(event, _context):
    if event.get("poison"):
        raise Mistake("it was told to fail")
    told("alarm_action", event)

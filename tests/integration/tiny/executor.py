from probe import step


def handler(event, _context):
    return step(event)

from probe import told


def handler(event, _context):
    told("sweeper", event)

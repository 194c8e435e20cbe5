from probe import batch


def handler(event, _context):
    return batch(event, "evaluator")

from probe import answer


def handler(event, _context):
    return answer(event, "chat")

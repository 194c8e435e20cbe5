from trying import handler as handler

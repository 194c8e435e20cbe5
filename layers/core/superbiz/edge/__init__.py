"""The edge of the API: routes, what requests ask, what answers show, problem details, logs and metrics of the functions."""

"""What the API shows. Envelopes are camelCase; stored documents (reports, nodes, parameters, details) keep their snake_case inside.

Views are typed dictionaries: they cost an importing function nothing, and the OpenAPI document is made from their types.
"""

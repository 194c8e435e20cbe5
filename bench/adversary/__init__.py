"""A model that means harm and data that gives orders: what both do is scripted here, and what came of it is judged by what was planted."""

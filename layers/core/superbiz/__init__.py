"""SuperBizAgent: incident diagnosis that says only what its evidence carries."""

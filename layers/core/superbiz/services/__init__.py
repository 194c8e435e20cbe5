"""What the product does between a trigger and the core: each module one activity, each function handed its ports."""

"""Numbers. Pure: numpy and the standard library, arrays and values in, values out."""

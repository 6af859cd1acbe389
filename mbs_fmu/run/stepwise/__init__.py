"""Many members of one model that advance together, interval by interval, and learning environments on them."""

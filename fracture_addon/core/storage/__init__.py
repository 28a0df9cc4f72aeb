"""Files and folders that the program writes: replaced as a whole, removed in one place."""

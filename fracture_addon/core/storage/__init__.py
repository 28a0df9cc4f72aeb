"""Files and folders that the program writes, compiled code, and free memory."""

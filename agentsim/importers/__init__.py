"""What other tools have written, read into what the simulator runs on."""

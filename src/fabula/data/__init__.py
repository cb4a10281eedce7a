"""Files that ship with fabula: fitted weights and the demonstration talk."""

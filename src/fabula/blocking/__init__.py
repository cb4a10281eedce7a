"""The blocking mirrors of a memory's facades; each call goes through the portal of `Memory`, none repeats logic."""

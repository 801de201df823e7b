"""Octavo engine: speech as text in time blocks, by faster-whisper; see the distribution's README."""

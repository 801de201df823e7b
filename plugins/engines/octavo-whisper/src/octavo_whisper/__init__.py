"""Octavo engine: speech as text in time blocks, by openai-whisper; see the distribution's README."""

"""Decoders that are asked to decode the whole image, each with what it accepts and how it complains."""

"""Decodes an image with the decoders that know its format and states what they say."""

from __future__ import annotations

import re

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.decoders import heif, native_messages, pillow, turbo
from diagnose.collectors.image.decoders.outcome import Outcome, Reaction
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.formats import CAMERA_RAW, HEIF, PNG, TIFF

JPEG_END = b"\xff\xd9"

RARE_JPEG = frozenset(["12-bit", "lossless-jpeg", "hierarchical", "dnl-height", "unusual-components", "arithmetic"])
"""Features of sound files that the decoders here lack, so that their refusal says nothing about the file."""

_NOT_BUILT_IN = re.compile(r"support is not configured")


def verify(data: Content, found: Findings, pixel_limit: int) -> None:
    """Adds the verdict of the decoders. Decodes nothing where the header states more than `pixel_limit` pixels."""
    if found.pixels > pixel_limit:
        _state_bomb(found, pixel_limit)
        return
    outcomes = _excused(_outcomes(data, found, pixel_limit), found)
    if any(outcome.reaction is Reaction.LIMIT for outcome in outcomes):
        _state_bomb(found, pixel_limit)
    for outcome in outcomes:
        _state_outcome(found, outcome)
    _state_sides(found, outcomes)
    _state_verdict(found, outcomes)


def _state_bomb(found: Findings, pixel_limit: int) -> None:
    found.know("image.decompression_bomb", True)
    found.know("image.pixel_limit", pixel_limit)
    found.not_checked("image.decodes", f"the header states more than {pixel_limit} pixels")


def _outcomes(data: Content, found: Findings, pixel_limit: int) -> list[Outcome]:
    if found.format == "jpeg":
        return _decode_jpeg(data, found, pixel_limit)
    if found.format in HEIF:
        return _decode_heif(data, found, pixel_limit)
    if found.format in TIFF:
        return [_decode_tiff(data, found, pixel_limit)]
    if found.format in PNG:
        return [_decode_png(data, found, pixel_limit)]
    if found.format == "gif":
        return _decode_gif(data, found, pixel_limit)
    outcomes = [pillow.decode(data, found.format, pixel_limit)]
    if found.format in CAMERA_RAW and not outcomes[0].delivers:
        return [Outcome("Pillow", Reaction.MISSING, f"no decoder here develops camera raw ({found.format})")]
    if found.format == "avif" and not outcomes[0].delivers and heif.decodes_av1():
        outcomes.append(heif.decode(data))
    return outcomes


def _excused(outcomes: list[Outcome], found: Findings) -> list[Outcome]:
    """Where the reader knows a sound file of a rare variant, a refusal says that the decoder lacks it, no more."""
    if not found.rarity or found.damaged or any(outcome.delivers for outcome in outcomes):
        return outcomes
    excused = (Reaction.REFUSED, Reaction.MISSING)
    return [Outcome(o.decoder, Reaction.UNSUPPORTED, found.rarity) if o.reaction in excused else o for o in outcomes]


def _decode_jpeg(data: Content, found: Findings, pixel_limit: int) -> list[Outcome]:
    strict = turbo.decode(data, found.components)
    if strict.reaction is Reaction.ACCEPTED and not found.remarkable:
        return [strict]
    # What strict libjpeg-turbo accepts, Pillow's libjpeg-turbo decodes too; its parser of the header may still refuse.
    loose = pillow.decode(data, found.format, pixel_limit, load=strict.reaction is not Reaction.ACCEPTED)
    if found.ends_early and found.first_scan:
        _weigh_missing_end(data, found)
    if found.has_any_feature(RARE_JPEG) and not found.damaged and not loose.delivers and not strict.delivers:
        return [Outcome(o.decoder, Reaction.UNSUPPORTED, o.message) for o in (strict, loose)]
    if strict.reaction is Reaction.REFUSED and not found.damaged and loose.delivers:
        found.damage(Damage.ENTROPY_ERROR, found.first_scan, f"the entropy-coded data are damaged: {strict.message}")
    return [strict, loose]


def _weigh_missing_end(data: Content, found: Findings) -> None:
    """With an end marker put on: does the strict decoder then find all pixels, or do coded data lack too?"""
    completed = turbo.decode(bytes(data) + JPEG_END, found.components)
    if completed.reaction is Reaction.REFUSED:
        found.damage(Damage.TRUNCATED, len(data), f"coded data of the picture lack too: {completed.message}")


def _decode_heif(data: Content, found: Findings, pixel_limit: int) -> list[Outcome]:
    """libheif here may lack an AV1 decoder, which Pillow has: a file of AV1 whose brand is none of AVIF's."""
    outcome = heif.decode(data)
    if outcome.reaction is Reaction.MISSING and found.codec == "av01":
        return [pillow.decode(data, "avif", pixel_limit)]
    return [outcome]


def _decode_gif(data: Content, found: Findings, pixel_limit: int) -> list[Outcome]:
    outcome = pillow.decode(data, "gif", pixel_limit)
    if found.short_palette and outcome.delivers:
        _check_highest_index(data, found)
    return [outcome]


def _check_highest_index(data: Content, found: Findings) -> None:
    highest = pillow.highest_index(data)
    if highest >= found.short_palette:
        text = f"the pixel value {highest} has no colour: the palette has {found.short_palette}"
        found.damage(Damage.BAD_PALETTE, found.first_scan, text)


def _decode_png(data: Content, found: Findings, pixel_limit: int) -> Outcome:
    # The reader has inflated and checked every row, so that only the header is left to ask for.
    whole = not found.damaged and not found.unsupported and not found.has_feature("animated")
    outcome = pillow.decode(data, "png", pixel_limit, load=not whole)
    if whole and found.short_palette and outcome.delivers:
        _check_highest_index(data, found)
    return outcome


def _decode_tiff(data: Content, found: Findings, pixel_limit: int) -> Outcome:
    """libtiff's complaints of single rows reach nobody through Pillow; they stand on standard error only."""
    with native_messages.captured() as complaints:
        outcome = pillow.decode(data, found.format, pixel_limit)
    if any(_NOT_BUILT_IN.search(line) for line in complaints):
        return Outcome(outcome.decoder, Reaction.MISSING, complaints[0])
    if complaints and outcome.delivers and not found.damaged:
        found.damage(Damage.BAD_COMPRESSED_DATA, found.first_scan, complaints[0])
    return outcome


def _state_outcome(found: Findings, outcome: Outcome) -> None:
    if outcome.reaction in (Reaction.REFUSED, Reaction.LIMIT):
        found.know("image.decoder_error", outcome.message, text=outcome.decoder)
    elif outcome.reaction is Reaction.WARNED:
        for message in (outcome.message, *outcome.warnings[:8]):
            if message:
                found.know("image.decoder_warning", message, text=outcome.decoder)
    if outcome.mode:
        found.know("image.mode", outcome.mode)
        if not found.sized:
            found.size(outcome.width, outcome.height, 0)
    if outcome.frames_decoded:
        found.know("image.frames_decoded", outcome.frames_decoded)
    if outcome.more_frames:
        found.not_checked("image.decodes", f"only the first {outcome.frames_decoded} frames were decoded")


def _state_sides(found: Findings, outcomes: list[Outcome]) -> None:
    accepted = [outcome.decoder for outcome in outcomes if outcome.delivers]
    refused = [outcome for outcome in outcomes if outcome.reaction is Reaction.REFUSED]
    if accepted:
        found.know("image.accepted_by", accepted)
    if refused:
        messages = "; ".join(f"{outcome.decoder}: {outcome.message}" for outcome in refused)
        found.know("image.refused_by", [outcome.decoder for outcome in refused], text=messages)


def _state_verdict(found: Findings, outcomes: list[Outcome]) -> None:
    delivers = any(outcome.delivers for outcome in outcomes)
    refuses = any(outcome.reaction is Reaction.REFUSED for outcome in outcomes)
    if delivers or refuses:
        found.know("image.decodes", delivers)
    else:
        _state_no_decoder(found, outcomes)
    if delivers:
        verdict = "damaged" if found.damaged else "whole"
    else:
        verdict = "undecodable" if refuses or found.damaged else "unchecked"
    found.know("image.pixel_verdict", verdict)


def _state_no_decoder(found: Findings, outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.reaction is Reaction.MISSING:
            found.know("image.decoder_missing", outcome.message, text=outcome.decoder)
        elif outcome.reaction is Reaction.UNSUPPORTED and not found.unsupported:
            found.unsupported_variant(outcome.message)
    found.not_checked("image.decodes", "; ".join(f"{outcome.decoder}: {outcome.message}" for outcome in outcomes))

"""The facts that the collector of still images can yield."""

from __future__ import annotations

from diagnose.evidence import FactSpec, Vocabulary

_WHOLE_IMAGE = (
    FactSpec("image.format", "str", "the content format that was read, as the signature named it"),
    FactSpec("image.width", "int", "width of the (first) image as its header states it", "pixels"),
    FactSpec("image.height", "int", "height of the (first) image as its header states it", "pixels"),
    FactSpec(
        "image.pixels", "int", "width times height of the largest image or canvas that the header states", "pixels"
    ),
    FactSpec("image.bit_depth", "int", "bits of one sample", "bits"),
    FactSpec("image.colour_model", "str", "grey, rgb, rgba, palette, bilevel, ycbcr, cmyk, ycck, lab or another model"),
    FactSpec("image.mode", "str", "the mode in which Pillow delivers the pixels (L, RGB, CMYK, I;16 ...)"),
    FactSpec("image.frames", "int", "frames, pages or pictures in the file", "frames"),
    FactSpec("image.frames_decoded", "int", "how many of them were decoded", "frames"),
    FactSpec("image.animated", "bool", "the frames are an animation"),
    FactSpec("image.features", "strs", "properties that some decoders lack or treat in their own way"),
    FactSpec("image.exif_orientation", "int", "the EXIF orientation tag, where it is not 1 (upright)"),
    FactSpec("image.has_icc", "bool", "an ICC colour profile is embedded"),
    FactSpec("image.icc_profile", "str", "how the embedded ICC profile calls itself"),
)

_VERDICT = (
    FactSpec("image.decodes", "bool", "at least one decoder here delivers every pixel of every frame"),
    FactSpec("image.pixel_verdict", "str", "whole, damaged (pixels are lost or wrong), undecodable or unchecked"),
    FactSpec("image.decoder_error", "str", "a decoder's message on refusing the file; the text is the decoder's name"),
    FactSpec("image.decoder_warning", "str", "a decoder's message beside the pixels; the text is the decoder's name"),
    FactSpec("image.refused_by", "strs", "the decoders that refuse the file or complain of its data; text: messages"),
    FactSpec("image.accepted_by", "strs", "the decoders that deliver all pixels without a word"),
    FactSpec("image.decompression_bomb", "bool", "the header states more pixels than the limit; nothing was decoded"),
    FactSpec("image.pixel_limit", "int", "the limit that the decompression bomb exceeds", "pixels"),
    FactSpec("image.unsupported", "str", "a valid variant that no decoder here has"),
    FactSpec("image.decoder_missing", "str", "the decoder, codec or program that is not installed"),
)

_DAMAGE = (
    FactSpec("image.damage", "str", "a kind of damage that spoils pixels, with its byte and plain words"),
    FactSpec("image.damage_offset", "int", "the first byte of the first damage that spoils pixels", "bytes"),
    FactSpec("image.missing_bytes", "int", "how many bytes the file lacks, where its header tells", "bytes"),
    FactSpec("image.irregularity", "str", "a breach of the format that leaves the pixels whole; decoders differ on it"),
    FactSpec("image.trailing_bytes", "int", "bytes after the end of the image", "bytes"),
    FactSpec("image.trailing_kind", "str", "what follows the image: zeros, jpeg, mp4, zip, text, known-trailer, data"),
    FactSpec("image.zero_tail_bytes", "int", "zero bytes at the end of the file, from 64 on", "bytes"),
    FactSpec(
        "image.metadata_damage", "str", "a kind of damage in EXIF, ICC, XMP, text or another part beside the pixels"
    ),
)

_JPEG = (
    FactSpec("jpeg.process", "str", "baseline, extended, progressive, lossless, arithmetic ... (ITU-T T.81 table B.1)"),
    FactSpec("jpeg.components", "int", "colour components of the frame"),
    FactSpec("jpeg.sampling", "str", "4:4:4, 4:2:2, 4:2:0 ... or the factors, such as 1x2,1x1,1x1"),
    FactSpec("jpeg.sampling_factors", "str", "horizontal and vertical sampling factors of every component"),
    FactSpec("jpeg.adobe_transform", "int", "colour transform of the Adobe segment: 0 none, 1 YCbCr, 2 YCCK"),
    FactSpec("jpeg.restart_interval", "int", "MCUs between two restart markers; absent where there are none", "MCUs"),
    FactSpec("jpeg.scans", "int", "scans in the (first) image"),
)

_OTHERS = (
    FactSpec("png.colour_type", "int", "colour type of IHDR: 0 grey, 2 rgb, 3 palette, 4 grey-alpha, 6 rgba"),
    FactSpec("png.interlaced", "bool", "Adam7 interlacing"),
    FactSpec("gif.version", "str", "87a or 89a"),
    FactSpec("bmp.compression", "str", "rgb, rle8, rle4, bitfields, jpeg, png, alphabitfields, huffman1d, rle24"),
    FactSpec("bmp.header", "str", "core, os2v2, info, info-v2, info-v3, v4, v5"),
    FactSpec(
        "tiff.compression", "strs", "compression schemes of the pages: none, lzw, deflate, jpeg, ccitt-group4 ..."
    ),
    FactSpec("tiff.byte_order", "str", "little-endian or big-endian"),
    FactSpec("tiff.pages", "int", "image file directories in the chain"),
    FactSpec("webp.extended", "bool", "the container has a VP8X chunk: animation, alpha or metadata"),
    FactSpec("webp.coding", "str", "lossy, lossless or mixed"),
    FactSpec("bmff.brands", "strs", "major and compatible brands of the ftyp box"),
    FactSpec("bmff.codec", "str", "coding of the primary image: hvc1, av01, avc1, vvc1, jpeg, j2k1, grid ..."),
    FactSpec("bmff.tiles", "int", "tiles of the grid that the primary image is put together from", "tiles"),
    FactSpec("bmff.auxiliary", "strs", "pictures beside the primary one: alpha, depth, gain-map, other"),
    FactSpec("bmff.chroma", "str", "chroma format of the primary image: monochrome, 4:2:0, 4:2:2, 4:4:4"),
)

FACTS = Vocabulary("image", *_WHOLE_IMAGE, *_VERDICT, *_DAMAGE, *_JPEG, *_OTHERS)

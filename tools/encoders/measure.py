"""Show what the layers of an encoder are good for: `python tools/encoders/measure.py FOLDER …`.

For each layer, the mean cosine between the tokens of a sentence. Encoders trained for sentence vectors make the tokens
of a sentence alike in their last layers, so layers with a high cosine are the first to cut (`--layers`). For each
encoder also the cosine between the mean vectors of paraphrases and of unrelated sentences: paraphrases have to be
closer.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

PARAPHRASES = (
    ("The old fisherman sold his boat last winter.", "Last winter the elderly fisherman sold his vessel."),
    ("Scientists found water below the surface of the moon.", "Researchers discovered lunar water underground."),
    ("The committee rejected the plan because it was too expensive.", "Because of its cost, the proposal was refused."),
    ("My sister plays the violin in a small orchestra.", "My sister is a violinist in a little ensemble."),
    ("He forgot his umbrella on the train to Leeds.", "On the Leeds train he left his umbrella behind."),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="Hugging Face folder of an encoder")
    for folder in parser.parse_args().folders:
        sys.stdout.write(f"{describe(folder)}\n")


def describe(folder: Path) -> str:
    """Return a row of a table: encoder, parameters, cosines by layer, paraphrases, unrelated sentences."""
    import torch
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()  # layers that token vectors do not depend on are missing
    logging.disable_progress_bar()
    if not (folder / "config.json").is_file():
        raise SystemExit(f"{folder}: no config.json; give the folder of an encoder")
    model = AutoModel.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    parameters = sum(p.numel() for name, p in model.named_parameters() if not name.startswith("pooler."))
    with torch.no_grad():
        pairs = [[encode(model, tokenizer, text) for text in pair] for pair in PARAPHRASES]
    layers = torch.stack([token_cosines(states) for pair in pairs for states in pair]).mean(0)
    firsts, seconds = (
        torch.nn.functional.normalize(torch.stack([pair[side][-1].mean(0) for pair in pairs]), dim=1) for side in (0, 1)
    )
    table = firsts @ seconds.T
    alike = table.diagonal().mean()
    unrelated = (table.sum() - table.diagonal().sum()) / (table.numel() - len(pairs))
    cosines = " ".join(f"{value:.2f}" for value in layers.tolist())
    return f"| {folder.name} | {parameters / 1e6:.1f} | {cosines} | {alike:.2f} | {unrelated:.2f} |"


def encode(model: Any, tokenizer: Any, text: str) -> Any:
    """Return the vectors of the tokens of a text without special tokens: [layers, tokens, hidden]."""
    import torch

    output = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
    return torch.stack(output.hidden_states)[:, 0, 1:-1]


def token_cosines(states: Any) -> Any:
    """Return the mean cosine between different tokens, for each layer but the embeddings."""
    import torch

    vectors = torch.nn.functional.normalize(states[1:], dim=-1)
    table = vectors @ vectors.transpose(1, 2)
    count = table.shape[1]
    return (table.sum((1, 2)) - count) / (count * (count - 1))


if __name__ == "__main__":
    main()

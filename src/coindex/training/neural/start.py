"""The weights that a run starts from: those of trained models, or of exported ones, whose graphs are read back.

Exported graphs do not name the weights of the network. To find them, a network of the same shape with random weights is
exported in the same way: each of its weights is recognised by its numbers, and its place in the graphs is the place of
the weight that is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from ...resolvers.neural.detection import Detector, TagSet
from ...resolvers.neural.folder import ModelFolderError, is_exported, read_description, read_detector
from ...resolvers.neural.words import Floats
from ...settings import ConfigError
from ..encoders import load_encoder
from .config import Config
from .export import BLOCK, list_graphs, put_graphs
from .folder import WEIGHTS, TrainedModel
from .network import CoreferenceModel, PairFeatures


@dataclass(frozen=True, slots=True)
class Outline:
    """What the sizes of a network depend on besides its settings: mention tags, and the names of corpora."""

    detector: Detector
    corpora: tuple[str, ...]

    @classmethod
    def of(cls, folder: Path) -> Outline:
        """Return the outline of the model of a folder."""
        description = read_description(folder)
        return cls(read_detector(description), tuple(description["corpora"]))

    def extend(self, other: Outline) -> Outline:
        """Return this outline with the further tags and corpora of another one."""
        corpora = tuple(dict.fromkeys((*self.corpora, *other.corpora)))
        if isinstance(self.detector, TagSet) and isinstance(other.detector, TagSet):
            depth = max(self.detector.depth, other.detector.depth)
            return Outline(TagSet.of({*self.detector.names, *other.detector.names}, depth), corpora)
        return Outline(other.detector, corpora)

    def rows(self, name: str, other: Outline) -> list[int] | None:
        """Return where the rows of a weight of this outline are in a weight of the other; None if they are the same."""
        if name.startswith(TAG_LAYER) and isinstance(self.detector, TagSet) and isinstance(other.detector, TagSet):
            return [other.detector.number[tag] for tag in self.detector.names]
        if name in CORPUS_TABLES:
            return [0, *(other.corpora.index(corpus) + 1 for corpus in self.corpora)]
        return None


TAG_LAYER = "words.tagger.3."
"""The layer with an output for each tag."""
CORPUS_TABLES = ("words.corpus_in.weight", "words.corpus_out.weight")
"""The weights with a row for each corpus; the first is for none."""


def extend_start(config: Config, outline: Outline) -> Outline:
    """Return the outline of the model that a run starts from, with the tags and corpora of the run."""
    if config.model.start is None:
        return outline
    start = Outline.of(Path(config.model.start))
    return start.extend(outline) if config.model.corpus_id else replace(start.extend(outline), corpora=())


def start_from(trained: TrainedModel, folders: Sequence[Path]) -> None:
    """Set the weights to the mean of other models; rows for tags and corpora that they lack stay as they are."""
    mean: dict[str, Tensor] = {}
    outline = Outline.of(folders[0])
    for number, folder in enumerate(folders):
        if Outline.of(folder) != outline:
            raise ConfigError(
                f"{folder}: the model has other tags or corpora than {folders[0]}; remove it from model.mean"
            )
        weights = read_graphs(folder, trained, outline) if is_exported(folder) else load_file(folder / WEIGHTS)
        if number and list_shapes(weights) != list_shapes(mean):
            raise ConfigError(
                f"{folder}: the model has other parts or sizes than {folders[0]}; remove it from model.mean"
            )
        mean = {
            name: weight if not number else mean[name].lerp(weight, 1 / (number + 1))
            for name, weight in weights.items()
        }
    wanted, own = Outline(trained.detector, trained.corpora), trained.model.state_dict()
    try:
        if wanted != outline:
            mean = {
                name: place_rows(own.get(name), weight, outline.rows(name, wanted)) for name, weight in mean.items()
            }
        trained.model.load_state_dict(mean, strict=False)
    except (RuntimeError, ValueError, IndexError) as error:  # another size of some part
        raise ConfigError(f"{folders[0]}: the model has other sizes ({error}); use its settings") from error


def place_rows(own: Tensor | None, weight: Tensor, rows: list[int] | None) -> Tensor:
    """Return `own` with the rows of another weight in their places, or that weight where all rows are the same."""
    if own is None or rows is None:
        return weight
    placed = own.clone()
    placed[rows] = weight
    return placed


def list_shapes(weights: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {name: weight.shape for name, weight in weights.items()}


def read_graphs(folder: Path, trained: TrainedModel, outline: Outline) -> dict[str, Tensor]:
    """Return the weights of an exported model, for a network with the settings of `trained`."""
    probe = make_probe(trained, outline)
    expected = {name: weight.detach().clone() for name, weight in probe.model.named_parameters()}
    tables = list(probe.model.links.features) if isinstance(probe.model.links, PairFeatures) else []
    table_names = [f"links.features.{number}.weight" for number in range(len(tables))]
    sizes = [len(table.weight) for table in tables]
    weights: dict[str, Tensor] = {}
    with TemporaryDirectory() as temporary:
        put_graphs(probe, Path(temporary), bits=32)  # it joins the tables of pair features
        if isinstance(probe.model.links, PairFeatures):
            groups = probe.model.links.groups
            joined = [table.weight.detach().clone() for table in probe.model.links.features]
            expected = {name: weight for name, weight in expected.items() if name not in table_names}
            expected |= {f"joined.{number}": table for number, table in enumerate(joined)}
        for graph in list_graphs(probe.model):
            places = list(read_initializers(Path(temporary) / graph))
            stored = list(read_initializers(folder / graph)) if (folder / graph).exists() else []
            if [array.shape for array in places] != [array.shape for array in stored]:
                raise ModelFolderError(
                    f"{graph} has other parts than a network with these settings; use the settings of the model, and "
                    "the versions of torch and transformers that it was exported with",
                    code="invalid-model",
                    path=folder,
                )
            weights |= dict(match_weights(places, stored, expected))
    for number, columns in enumerate(groups if tables else ()):
        table = weights.pop(f"joined.{number}", None)
        if table is not None:
            parts = split_table(table, [sizes[column] for column in columns])
            weights |= {table_names[column]: part for column, part in zip(columns, parts, strict=True)}
    return weights


def make_probe(trained: TrainedModel, outline: Outline) -> TrainedModel:
    """Return a model with the same settings and random weights; the fused attention kernel has no ONNX form."""
    encoder = load_encoder(trained.config.model, attention="eager")
    outputs, corpora = outline.detector.outputs, len(outline.corpora)
    model = CoreferenceModel(encoder, trained.config.model, outputs=outputs, corpora=corpora)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator))
    return replace(trained, detector=outline.detector, corpora=outline.corpora, model=model)


def read_initializers(path: Path) -> Iterator[Floats]:
    """Yield the weights of a graph in the order in which they were exported, in 32 bits."""
    import onnx

    arrays = {weight.name: onnx.numpy_helper.to_array(weight) for weight in onnx.load(str(path)).graph.initializer}
    for name, array in arrays.items():
        base, _, part = name.rpartition(".")
        if part == "half":
            yield array.astype(np.float32)
        elif part == "numbers" and f"{base}.scale" in arrays:
            yield restore(array, arrays[f"{base}.scale"])
        elif array.dtype == np.float32 and array.ndim and not (part == "scale" and f"{base}.numbers" in arrays):
            yield array


def restore(numbers: Any, scale: Any) -> Floats:
    """Return a weight that `shrink` stored in 8 or 4 bits."""
    values: Floats
    if numbers.dtype == np.int8:
        values = numbers.astype(np.float32) * scale
        return values
    low, high = (half.astype(np.float32) - 8 for half in (numbers & 15, numbers >> 4))
    if numbers.ndim == 3:  # a matrix of products [outputs, blocks, pairs of numbers], transposed
        values = np.stack([low, high], axis=-1).reshape(len(numbers), -1, BLOCK)
        return np.ascontiguousarray((values * scale.reshape(len(numbers), -1, 1)).reshape(len(numbers), -1).T)
    values = np.concatenate([low, high], axis=1).reshape(len(numbers), -1, BLOCK)  # a table: two halves of a row
    values = (values * scale.astype(np.float32)[:, :, None]).reshape(len(numbers), -1)
    return values


def match_weights(
    places: Sequence[Floats], stored: Sequence[Floats], expected: Mapping[str, Tensor]
) -> Iterator[tuple[str, Tensor]]:
    """Yield the stored weights with the names of the network's weights that the graph has in their places."""
    by_key: dict[tuple[float, ...], list[str]] = {}
    for name, weight in expected.items():
        by_key.setdefault(_key(weight.numpy()), []).append(name)
    for place, array in zip(places, stored, strict=True):
        for name in by_key.get(_key(place), ()):
            weight = expected[name].numpy()
            if np.array_equal(weight.reshape(-1), place.reshape(-1)):
                yield name, torch.from_numpy(array.reshape(weight.shape).copy())
            elif weight.ndim == 2 and np.array_equal(weight.T, place):
                yield name, torch.from_numpy(np.ascontiguousarray(array.T))


def _key(array: Floats) -> tuple[float, ...]:
    """Return what an array has in common with its transpose: its size and its extremes."""
    return (array.size, float(array.min()), float(array.max())) if array.size else (0,)


def split_table(table: Tensor, sizes: Sequence[int]) -> list[Tensor]:
    """Split a table of all combinations of features into tables whose sums it has.

    The sums are exact where the table was joined from such tables, and the nearest in the mean otherwise, as after
    rounding.
    """
    joint = table.reshape(*sizes, table.shape[1])
    total = joint.mean(dim=tuple(range(len(sizes))))
    parts = []
    for axis in range(len(sizes)):
        others = tuple(other for other in range(len(sizes)) if other != axis)
        own = joint.mean(dim=others) if others else joint
        parts.append(own - (total if axis else torch.zeros_like(total)))
    return parts

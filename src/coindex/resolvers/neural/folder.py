"""Model folders: their descriptions, which are validated before use, and the decoding settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from ...document.heads import Reduction
from ...errors import CoindexError, MissingPackageError, UnknownNameError, quote
from ...settings import ConfigError, parse_section
from .. import load_trained
from ..resolver import NO_SCHEME, Resolver, Step, model_options, probability
from ..sharing import share_loaded
from .constraints import RULES, parse_rules
from .detection import POP, PUSH, Detector, SpanSet, TagSet
from .pairs import BASIC, FEATURES, coarse_size
from .resolving import Calibration, Decoding, LinkOptions, NeuralResolver, ResolveOptions
from .runtime import GRAPHS, SYNTAX, GraphScorer
from .words import COLUMNS, Pieces

OLDER = {False: "no", True: "smaller"}
"""Values of `reduce` in older models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeSettings:
    """Decoding settings for one annotation scheme; they override those of `decode`."""

    name: str
    """Name of the corpus whose scheme is followed."""
    candidates: int | None = None
    """Overrides `decode.candidates`."""
    new_bias: float | None = None
    """Overrides `decode.new_bias`."""
    crowd: float | None = None
    """Overrides `decode.crowd`."""
    mention_bias: float | None = None
    """Overrides `decode.mention_bias`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeSettings:
    """How entities are decoded. Unknown keys are refused: the model would be used differently than it was scored.

    Keys added later have a default, because older model folders lack them.
    """

    window: int
    """Largest window in word pieces. Larger windows give more context and take more time."""
    candidates: int
    """Number of previous mentions considered as antecedents; mentions further back that look similar are added."""
    decoding: Decoding
    """`entity`: add up the probabilities of the mentions of an entity; `antecedent`: the best antecedent decides."""
    new_bias: float
    """Added to the score of starting a new entity. Below 0, more mentions are linked."""
    min_mention: float
    """Lowest probability of a mention."""
    antecedents: int = 0
    """With `linking = "ranking"`: number of candidates that are scored again by the pair network; 0 for all."""
    crowd: float = 0.0
    """How much less large entities attract mentions than the sum of their probabilities. Applies to `decoding =
    "entity"`."""
    mention_bias: float = 0.0
    """Added to the score of mentions. Above 0, more mentions are found, including wrong ones."""
    singletons: bool = True
    """Keep mentions that are not linked."""
    min_singleton: float = 0.0
    """Lowest probability of a singleton. Raise it with detection by spans, where most spans are not mentions."""
    reduce: Literal["no", Reduction] = "no"
    """Reduce predicted mentions to their heads, in one of three ways (see `coindex heads --help`)."""
    english: bool = False
    """Apply rules for English: those of `constraints`, and a title is not a head."""
    constraints: tuple[str, ...] = RULES
    """Rules that exclude or require links in English text; only with `english`."""
    calibration: Calibration = field(default_factory=Calibration)
    """Corrections of the probabilities, as fitted by `python -m benchmarks calibration`."""
    schemes: tuple[SchemeSettings, ...] = ()
    """Settings for single annotation schemes."""

    def __post_init__(self) -> None:
        for name in self.constraints:
            if name not in RULES:
                raise UnknownNameError("constraint in config.decode", name, RULES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The architecture settings that decoding needs; the others are only for training."""

    features: tuple[str, ...] = BASIC
    columns: tuple[str, ...] = ()
    windows: Literal["packed", "sentence"] = "packed"
    right: int = 0
    linking: str = ""
    query: int = 0
    types: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kind, names, known in (("feature", self.features, FEATURES), ("column", self.columns, COLUMNS)):
            for name in names:
                if name not in known:
                    raise UnknownNameError(f"{kind} in config.model", name, known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The labels of the model."""

    tags: tuple[str, ...]
    corpora: tuple[str, ...]

    def __post_init__(self) -> None:
        commands = {command for tag in self.tags for command in tag.split(",")} - {"", PUSH}
        for command in sorted(commands):
            if not command.removeprefix(POP).isdecimal():
                raise ConfigError(
                    f"labels: invalid tag {quote(command)}; expected {PUSH}, {POP}1, {POP}2 …; correct the tag",
                    code="invalid-setting",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The name of the model."""

    name: str


def table_of(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the table with that name."""
    table = data.get(name)
    if not isinstance(table, Mapping):
        raise ConfigError(
            f"{name} is of type {type(table).__name__}; expected a table; correct it", code="invalid-setting"
        )
    return table


def some_of(kind: type[Any], data: Mapping[str, Any], place: str) -> Any:
    """Parse a dataclass from a table that can contain other keys."""
    return parse_section(kind, {own.name: data[own.name] for own in fields(kind) if own.name in data}, place)


def model_settings(config: Mapping[str, Any]) -> ModelSettings:
    """Return the architecture settings of a configuration."""
    settings: ModelSettings = some_of(ModelSettings, table_of({"model": {}, **config}, "model"), "config.model")
    return settings


def decode_settings(config: Mapping[str, Any], scheme: str | None = None) -> DecodeSettings:
    """Return the decoding settings of a configuration for an annotation scheme."""
    settings: DecodeSettings = parse_section(
        DecodeSettings, upgrade_settings(table_of(config, "decode")), "config.decode"
    )
    for own in settings.schemes:
        if own.name == scheme:
            overrides = {name: value for name, value in asdict(own).items() if name != "name" and value is not None}
            settings = replace(settings, **overrides)
    return settings


def upgrade_settings(decode: Mapping[str, Any]) -> dict[str, Any]:
    """Convert settings of older models."""
    how = decode.get("reduce")
    return {**decode, "reduce": OLDER[how]} if isinstance(how, bool) else dict(decode)


VERSION = 1
DESCRIPTION = "model.json"
UPGRADE = "install a newer version of coindex with: pip install --upgrade coindex"
COMMON_KEYS = ("config", "weights")
"""Required keys of every description."""
KEYS = ("config", "corpora", "tags", "weights")
"""Required keys of the description of a neural model."""
TOKENIZER = "tokenizer.json"
TRAINED_WEIGHTS = "model.safetensors"
"""The weights of a model that is not exported yet."""


class ModelFolderError(CoindexError):
    """Raised if a model folder cannot be used."""

    default_code = "invalid-model"


def is_exported(folder: Path) -> bool:
    """Return whether a model folder has graphs, or no weights to export."""
    return (folder / GRAPHS[0]).exists() or not (folder / TRAINED_WEIGHTS).exists()


def read_description(folder: Path, *, check_files: bool = True, keys: Sequence[str] = KEYS) -> dict[str, Any]:
    """Return the description of a model folder, after checking the `keys` and the checksums of its files."""
    try:
        data: Any = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelFolderError(
            f"cannot read {DESCRIPTION} of the model folder ({error}); check the path",
            code="invalid-model",
            path=folder,
        ) from error
    version = data.get("version") if isinstance(data, dict) else None
    if version != VERSION:
        is_newer = isinstance(version, int) and version > VERSION
        raise ModelFolderError(
            f"model version {version!r} is not supported; expected version {VERSION}",
            code="unknown-version",
            path=folder,
            remedy=UPGRADE if is_newer else "train or export the model again",
            details={"newer": is_newer},
        )
    lacking = [key for key in keys if key not in data]
    if lacking:
        raise ModelFolderError(
            f"{DESCRIPTION} lacks {' and '.join(lacking)}; expected {', '.join(keys)}; train or export the model again",
            code="invalid-model",
            path=folder,
        )
    _check_values(folder, data, keys)
    if tuple(keys) == KEYS:
        data["config"]["decode"] = upgrade_settings(data["config"]["decode"])
    if check_files:
        _check_files(folder, data["weights"])
    described: dict[str, Any] = data
    return described


def _check_values(folder: Path, data: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Raise an error for invalid values below the keys."""
    try:
        for name in ("config", "weights"):
            if name in keys:
                table_of(data, name)
        if tuple(keys) == KEYS:
            some_of(Named, data["config"], "config")
            some_of(Labels, data, "labels")
            read_detector(data)
            resolve_options(data["config"])
    except UnknownNameError as error:
        # The list of known names does not help, because descriptions are not written by hand.
        unknown = f"unknown {error.details['kind']} {quote(error.details['name'])}"
        raise ModelFolderError(
            f"{DESCRIPTION}: {unknown}, which this version of coindex does not support; install a newer version, or "
            "train the model again",
            path=folder,
            code="invalid-model",
        ) from error
    except CoindexError as error:
        raise ModelFolderError(
            f"{DESCRIPTION}: {error}, or train or export the model again", code="invalid-model", path=folder
        ) from error


def _check_files(folder: Path, hashes: Mapping[str, str]) -> None:
    for name, expected in hashes.items():
        if not (folder / name).exists():
            raise ModelFolderError(
                f"{name} is missing; copy the model folder again",
                code="missing-model-file",
                path=folder,
            )
        if file_hash(folder / name) != expected:
            raise ModelFolderError(
                f"checksum mismatch: {name} differs from the file that the model was saved with; copy the model again",
                code="model-checksum",
                path=folder,
            )


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents in a folder."""
    if not path.is_dir():
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    digest = hashlib.sha256()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        digest.update(file.relative_to(path).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def make_pieces(tokenizer: Any) -> Pieces:
    """Return the piece table of a tokenizer, for any common names of special tokens."""
    tokenizer.no_padding()  # otherwise all words would have the same length
    tokenizer.no_truncation()

    def special(*names: str) -> int:
        numbers = (tokenizer.token_to_id(name) for name in names)
        chosen = next((number for number in numbers if number is not None), None)
        if chosen is None:
            raise ModelFolderError(
                f"the tokenizer has none of the tokens {', '.join(names)}; use another tokenizer", code="invalid-model"
            )
        return int(chosen)

    return Pieces(
        tokenizer,
        begin=special("[CLS]", "<s>", "<pad>"),
        end=special("[SEP]", "</s>"),
        pad=special("[PAD]", "<pad>"),
        unknown=special("[UNK]", "<unk>"),
    )


def read_detector(data: Mapping[str, Any]) -> Detector:
    """Return the mention detector of a description."""
    if "width" in data:
        spans: SpanSet = some_of(SpanSet, data, "spans")
        return spans
    tags: TagSet = parse_section(TagSet, {"names": data["tags"], "depth": data.get("depth")}, "tags")
    return tags


def resolve_options(config: Mapping[str, Any], scheme: str | None = None) -> ResolveOptions:
    """Return the options for an annotation scheme, which are the same as in the evaluation of the model."""
    model, decode = model_settings(config), decode_settings(config, scheme)
    return ResolveOptions(
        window=decode.window,
        right=model.right if model.windows == "sentence" else None,
        candidates=decode.candidates,
        coarse=coarse_size(model.linking, model.query),
        antecedents=decode.antecedents,
        mention_bias=decode.mention_bias,
        min_mention=decode.min_mention,
        singletons=decode.singletons,
        min_singleton=decode.min_singleton,
        reduce=None if decode.reduce == "no" else decode.reduce,
        english=decode.english,
        constraints=frozenset(decode.constraints) if decode.english else frozenset(),
        link=LinkOptions(
            decoding=decode.decoding, new_bias=decode.new_bias, crowd=decode.crowd, calibration=decode.calibration
        ),
    )


def corpus_number(corpora: tuple[str, ...], name: str | None) -> int:
    """Return the number of an annotation scheme, from 1; 0 for none, or for a model without schemes."""
    if name is None or not corpora:
        return 0
    if name not in corpora:
        raise UnknownNameError("annotation scheme of this model", name, corpora)
    return corpora.index(name) + 1


def load_resolver(
    folder: Path, *, corpus: str | None, given: bool = False, options: ResolveOptions | None = None, threads: int = 0
) -> NeuralResolver:
    """Return the resolver of a folder with exported graphs."""
    data = read_description(folder)
    lacking = [name for name in (*GRAPHS, TOKENIZER) if name not in data["weights"]]
    if lacking:
        raise ModelFolderError(
            f"the model has no {lacking[0]}, so it cannot run without torch; export it with coindex export",
            code="invalid-model",
            path=folder,
        )
    config, detector = data["config"], read_detector(data)
    model = model_settings(config)
    path, weights = folder.resolve(), tuple(data["weights"].items())
    with _report_invalid_files(folder):
        scorer, pieces = _open_graphs(path, weights, threads), _open_pieces(path, weights)
    listed = {"features": len(model.features), "columns": len(model.columns), "tags": detector.outputs}
    sizes = scorer.sizes()
    for name, expected in listed.items():
        if (size := sizes.get(name, expected)) != expected:
            raise ModelFolderError(
                f"{DESCRIPTION} lists {expected} {name}, but the graphs have {size}; export the model again",
                code="invalid-model",
                path=folder,
            )
    return NeuralResolver(
        scorer,
        pieces,
        detector,
        name=config["name"],
        features=model.features,
        columns=model.columns,
        types=model.types,
        corpus=corpus_number(tuple(data["corpora"]), corpus),
        given=given,
        options=options or resolve_options(config, corpus),
    )


@share_loaded(keep=2)
def _open_graphs(folder: Path, weights: tuple[tuple[str, str], ...], threads: int) -> GraphScorer:
    """Open the graphs, which all resolvers with the same files share."""
    return GraphScorer(folder, threads=threads, syntax=SYNTAX in dict(weights))


@share_loaded(keep=2)
def _open_pieces(folder: Path, weights: tuple[tuple[str, str], ...]) -> Pieces:
    """Open the vocabulary, which all resolvers with the same files share."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingPackageError("tokenizers") from error
    return make_pieces(Tokenizer.from_file(str(folder / TOKENIZER)))


@contextmanager
def _report_invalid_files(folder: Path) -> Iterator[None]:
    try:
        yield
    except CoindexError:
        raise
    except Exception as error:  # onnxruntime and tokenizers raise their own exceptions for invalid files
        raise ModelFolderError(
            f"cannot load the model ({_first_line(error)}); install newer versions of onnxruntime and tokenizers, or "
            "export the model again",
            code="invalid-model",
            path=folder,
        ) from error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def folder_resolver(path: str, load: Callable[..., Step] | None = None) -> Resolver:
    """Return the resolver of a model folder; `load` loads it, by default depending on its files."""
    if load is None:
        load = load_resolver if is_exported(Path(path)) else load_trained
    description = read_description(Path(path), check_files=False)
    config = description["config"]
    return Resolver(
        name=path,
        kind="learned",
        summary=f"{config['name']}, a trained model from a folder",
        make=partial(make_model, Path(path), load=load),
        licence="see the model",
        options=model_options((NO_SCHEME, *description["corpora"]), singletons=resolve_options(config).singletons),
    )


def make_model(
    folder: Path,
    *,
    mentions: str,
    scheme: str = NO_SCHEME,
    singletons: str | None = None,
    min_link: str = "0",
    constraints: str = "all",
    load: Callable[..., Step] = load_resolver,
) -> Step:
    """Return the step of a model with these options."""
    corpus = None if scheme == NO_SCHEME else scheme
    options = resolve_options(read_description(folder, check_files=False)["config"], corpus)
    return load(
        folder,
        corpus=corpus,
        given=mentions == "given",
        options=replace(
            options,
            singletons=options.singletons if singletons is None else singletons == "yes",
            constraints=options.constraints & parse_rules(constraints),
            link=replace(options.link, min_link=probability(min_link)),
        ),
    )

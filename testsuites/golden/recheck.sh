#!/bin/sh
# Makes the vectors of every function, verifies them, and has a part of each, chosen by SEED (default 1: a test says the
# same each time), checked by recheck.py; the encodings' schema on a few.  As the test does: 250,000 vectors of level smoke
# and 11,500 of them checked, half a minute of computing.  For a sweep: other seeds, `standard 0.01` (1,600,000 vectors, three
# minutes), or `smoke 1`.
#
# usage: recheck.sh ASSAY PYTHON FOLDER [SEED [LEVEL PART]]
set -eu

assay=$1 python=$2 folder=$3 seed=${4:-1} level=${5:-smoke} part=${6:-0.05}
here=$(dirname -- "$0")
schemas=$here/../../docs/schemas
"$python" -c 'import mpmath, jsonschema' || exit 77 # ctest: skipped; ./dev setup installs both

rm -rf "$folder"
"$assay" golden make @all --level "$level" --out "$folder/all" | tail -1
"$assay" golden verify "$folder/all" | tail -1
"$python" "$here/recheck.py" --part "$part" --seed "$seed" "$folder"/all/*.json
"$assay" golden make sin remquo sincos ilogb dot nan half_sin native_exp convert_uchar_sat_rtz \
  --level smoke --rounding rtp --out "$folder/few" | tail -1
for file in "$folder"/few/*.json; do
  "$python" -W ignore -m jsonschema -i "$file" "$schemas/assay-golden-1.schema.json"
done
rm -rf "$folder"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compile-all.sh EXAMPLES FOLDER CPU PATTERN: compiles the examples that match in
# FOLDER, and checks the symbols of each library.
cd "$2"
for file in "$1"/$4.mlir; do
  name=$(basename "$file" .mlir)
  mixattn-compile "$file" --target="$3" -o "$name.so"
  llvm-nm -D --defined-only --format=just-symbols "$name.so" | LC_ALL=C sort > "$name.defined"
  printf '%s\n' "__tvm_ffi_$name" "mixattn_$name" "mixattn_manifest_of_$name" "mixattn_prepare_$name" \
    "mixattn_workspace_$name" | LC_ALL=C sort | cmp - "$name.defined" ||
    { echo "$name exports" $(cat "$name.defined"); exit 1; }
  rm "$name.defined"
  for symbol in $(llvm-nm -D --undefined-only --format=just-symbols "$name.so"); do
    case $symbol in
      TVMFFI*) ;; # weak
      free | malloc | memcpy | memset | snprintf) ;;
      __kmpc_* | omp_get_max_threads | omp_get_thread_num) ;;
      ceilf | floorf | fmaf | roundevenf) ;; # exact: without SSE4.1, FMA
      *) echo "$name asks for $symbol"; exit 1 ;;
    esac
  done
done

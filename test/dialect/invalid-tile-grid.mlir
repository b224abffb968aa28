// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --split-input-file --verify-diagnostics %s

func.func @counts(%n: index) {
  // expected-error @below {{'tile.grid' op expected 1 to 3 counts, but got 4}}
  tile.grid %n, %n, %n, %n {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
  }
  return
}

// -----

func.func @arguments(%n: index) {
  // expected-error @below {{'tile.grid' op expected a region whose arguments are an index for each count, and with scratch a 'memref<?xi8>'}}
  tile.grid %n scratch %n {
  ^bb0(%item: index):
  }
  return
}

// -----

func.func @threads(%n: index) {
  // expected-error @below {{'tile.grid' op expected one thread where there is scratch, but got 32}}
  tile.grid %n scratch %n threads 32 {
  ^bb0(%item: index, %scratch: memref<?xi8>):
  }
  return
}

// -----

func.func @teams(%n: index) {
  // expected-error @below {{'tile.grid' op expected teams of whole warps, but got 48 threads}}
  tile.grid %n threads 48 teams 2 {
  ^bb0(%item: index):
  }
  return
}

// RUN: xdsl-opt -t 'memplan-csv{function=main only=L1}' %s | filecheck %s
// RUN: xdsl-opt -p 'memplan-assign-offsets{planner=first-fit-by-size}' -t 'memplan-csv{function=main only=L1}' %s | filecheck %s --check-prefix=PLANNED
// RUN: xdsl-opt -t memplan-csv --verify-diagnostics %s | filecheck %s --check-prefix=SEVERAL

// CHECK: {{^}}id,lower,upper,size,alignment{{$}}
// CHECK-NEXT: {{^}}a.0,0,2,64,64{{$}}
// CHECK-NEXT: {{^}}b1,1,3,64,64{{$}}
// CHECK-NOT: {{.}}

// PLANNED: {{^}}id,lower,upper,size,alignment,offset{{$}}
// PLANNED-NEXT: {{^}}a.0,0,2,64,64,0{{$}}
// PLANNED-NEXT: {{^}}b1,1,3,64,64,64{{$}}

// SEVERAL: 3 problems match, one is wanted; choose from: function=main only=L1, function=main only=L2, function=other only=L1

memplan.arena @L1
memplan.arena @L2
func.func @main(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  %0 = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  %c = memplan.buffer @L2 size 64 alignment 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  linalg.exp ins(%0 : memref<16xf32>) outs(%c : memref<16xf32>)
  func.return
}
func.func @other(%x: memref<16xf32>) {
  %a = memplan.buffer @L1 size 64 alignment 64 : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  func.return
}

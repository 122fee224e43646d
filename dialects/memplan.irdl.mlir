// The dialect memplan for tools that do not know Python: `mlir-opt --irdl-file=memplan.irdl.mlir`.
//
// The Python dialect (xdsl_memplan/dialects/memplan.py) is the source of truth and
// tests/dialects/test_irdl.py holds the two together. IRDL cannot say that an attribute is optional:
// optional ones are named in comments, and mlir-opt lets them pass whatever their type. Every use
// of a constraint has a value of its own, because uses of one value would have to be equal.

irdl.dialect @memplan {
  // #memplan.lifetime<0 : i64, 3 : i64>: ticks, half-open.
  irdl.attribute @lifetime {
    %start = irdl.base "#builtin.integer"
    %end = irdl.base "#builtin.integer"
    irdl.parameters(start: %start, end: %end)
  }

  // #memplan.memory<"L2", 131072 : i64, 64 : i64, 0 : i64>: bytes; a capacity of -1 is none.
  irdl.attribute @memory {
    %memory_name = irdl.base "#builtin.string"
    %capacity = irdl.base "#builtin.integer"
    %alignment = irdl.base "#builtin.integer"
    %base = irdl.base "#builtin.integer"
    irdl.parameters(memory_name: %memory_name, capacity: %capacity, alignment: %alignment, base: %base)
  }

  // #memplan.plan<"first-fit", 300 : i64, 200 : i64, 250 : i64>: bytes.
  irdl.attribute @plan {
    %planner = irdl.base "#builtin.string"
    %peak = irdl.base "#builtin.integer"
    %load = irdl.base "#builtin.integer"
    %bound = irdl.base "#builtin.integer"
    irdl.parameters(planner: %planner, peak: %peak, load: %load, bound: %bound)
  }

  // #memplan.cut<"result", 0 : i64, 2 : i64, 16 : i64, 0 : i64, 1 : i64, 1 : i64, 1 : i64>: a loop cut into tiles of 16 iterations.
  irdl.attribute @cut {
    %kind = irdl.base "#builtin.string"
    %op = irdl.base "#builtin.integer"
    %index = irdl.base "#builtin.integer"
    %size = irdl.base "#builtin.integer"
    %lead = irdl.base "#builtin.integer"
    %halo = irdl.base "#builtin.integer"
    %head = irdl.base "#builtin.integer"
    %tail = irdl.base "#builtin.integer"
    irdl.parameters(kind: %kind, op: %op, index: %index, size: %size, lead: %lead, halo: %halo, head: %head, tail: %tail)
  }

  // #memplan.residency<"kept", 1 : i64>: how an operand of a group comes to the chip.
  irdl.attribute @residency {
    %kind = irdl.base "#builtin.string"
    %slices = irdl.base "#builtin.integer"
    irdl.parameters(kind: %kind, slices: %slices)
  }

  // #memplan.group_cost<1072 : i64, 1016 : i64, 2808 : i64, 6 : i64, 1 : i64>: bytes, bytes, multiply-adds, moves, tiles.
  irdl.attribute @group_cost {
    %traffic = irdl.base "#builtin.integer"
    %peak = irdl.base "#builtin.integer"
    %work = irdl.base "#builtin.integer"
    %transfers = irdl.base "#builtin.integer"
    %tiles = irdl.base "#builtin.integer"
    irdl.parameters(traffic: %traffic, peak: %peak, work: %work, transfers: %transfers, tiles: %tiles)
  }

  // Optional: space (any attribute), capacity, alignment, base, size (i64, bytes), banks (i64).
  irdl.operation @arena {
    %sym_name = irdl.base "#builtin.string"
    irdl.attributes {"sym_name" = %sym_name}
  }

  // Optional: lifetime (#memplan.lifetime), offset (i64, bytes).
  irdl.operation @buffer {
    %arena = irdl.base "#builtin.symbol_ref"
    %size = irdl.base "#builtin.integer"
    %alignment = irdl.base "#builtin.integer"
    irdl.attributes {"arena" = %arena, "size" = %size, "alignment" = %alignment}
    %memref = irdl.base "!builtin.memref"
    irdl.results(memref: %memref)
  }

  // The result has the type of the source.
  irdl.operation @spill {
    %arena = irdl.base "#builtin.symbol_ref"
    irdl.attributes {"arena" = %arena}
    %tensor = irdl.base "!builtin.tensor"
    irdl.operands(source: %tensor)
    irdl.results(result: %tensor)
  }

  irdl.operation @retrieve {
    %arena = irdl.base "#builtin.symbol_ref"
    irdl.attributes {"arena" = %arena}
    %tensor = irdl.base "!builtin.tensor"
    irdl.operands(source: %tensor)
    irdl.results(result: %tensor)
  }

  // A region of the source: the result has as many dimensions. Offsets that are values stand in
  // static_offsets as -9223372036854775808; sizes and strides are numbers.
  irdl.operation @load {
    %static_offsets = irdl.base "#builtin.dense_array"
    %static_sizes = irdl.base "#builtin.dense_array"
    %static_strides = irdl.base "#builtin.dense_array"
    irdl.attributes {"static_offsets" = %static_offsets, "static_sizes" = %static_sizes, "static_strides" = %static_strides}
    %source = irdl.base "!builtin.tensor"
    %index = irdl.is index
    %result = irdl.base "!builtin.tensor"
    irdl.operands(source: %source, offsets: variadic %index)
    irdl.results(result: %result)
  }

  irdl.operation @carry {
    %static_offsets = irdl.base "#builtin.dense_array"
    %static_sizes = irdl.base "#builtin.dense_array"
    %static_strides = irdl.base "#builtin.dense_array"
    irdl.attributes {"static_offsets" = %static_offsets, "static_sizes" = %static_sizes, "static_strides" = %static_strides}
    %source = irdl.base "!builtin.tensor"
    %index = irdl.is index
    %result = irdl.base "!builtin.tensor"
    irdl.operands(source: %source, offsets: variadic %index, over: optional %result)
    irdl.results(result: %result)
  }

  // The result is the destination with a region replaced by the source.
  irdl.operation @store {
    %arena = irdl.base "#builtin.symbol_ref"
    %static_offsets = irdl.base "#builtin.dense_array"
    %static_sizes = irdl.base "#builtin.dense_array"
    %static_strides = irdl.base "#builtin.dense_array"
    irdl.attributes {"arena" = %arena, "static_offsets" = %static_offsets, "static_sizes" = %static_sizes, "static_strides" = %static_strides}
    %source = irdl.base "!builtin.tensor"
    %destination = irdl.base "!builtin.tensor"
    %index = irdl.is index
    irdl.operands(source: %source, destination: %destination, offsets: variadic %index)
    irdl.results(result: %destination)
  }

  // Layers that are computed tile by tile; one residency per operand, one home per result.
  // Optional: sliced (unit).
  irdl.operation @group {
    %cuts = irdl.base "#builtin.array"
    %residencies = irdl.base "#builtin.array"
    %homes = irdl.base "#builtin.array"
    %cost = irdl.base @memplan::@group_cost
    irdl.attributes {"cuts" = %cuts, "residencies" = %residencies, "homes" = %homes, "cost" = %cost}
    %input = irdl.base "!builtin.tensor"
    %output = irdl.base "!builtin.tensor"
    irdl.operands(inputs: variadic %input)
    irdl.results(outputs: variadic %output)
    %body = irdl.region with size 1
    irdl.regions(body: %body)
  }

  irdl.operation @group_yield {
    %value = irdl.base "!builtin.tensor"
    irdl.operands(values: variadic %value)
  }
}

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

  // Optional: space (any attribute), capacity, alignment, base, size (i64, bytes).
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
    irdl.operands(source: %source, offsets: variadic %index)
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
}

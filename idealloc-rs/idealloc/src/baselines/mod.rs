//! The planners of production compilers, restated.
//!
//! One planner, or one family of planners that differ in a key only, per file. What they share:
//!
//! - `placed`: the gaps between conflicting buffers, over `timeline`, the index of what is taken when;
//! - `fit`: rules that choose among gaps, and the loop of every planner that places in a static order;
//! - `windows`: memory cut into objects or footprints;
//! - `free_list`, `online`: planners that go through time once;
//! - `shared_objects`: planners whose buffers take turns in objects;
//! - `adjacency`, `degrees`: conflicts as lists, for searches that walk over neighbours, and their number;
//! - `skyline`, `busy`, `pools`: heights and counts over time, and several memories;
//! - `rounding`, `settings`, `layout`: alignment, settings by name, the result.

mod adjacency;
mod busy;
mod degrees;
mod executorch;
pub(crate) mod fit;
mod free_list;
mod holes;
mod iree;
pub(crate) mod layout;
mod mersenne_twister;
mod mlir_best_fit;
mod naive;
mod online;
mod onnxruntime;
mod peak_tick;
mod placed;
mod pools;
mod rand_r;
mod rounding;
mod settings;
mod shared_objects;
pub(crate) mod skyline;
mod somas;
mod tflite_arena;
mod tflite_gpu_by_breadth;
mod tflite_gpu_by_size;
mod tflite_gpu_by_size_objects;
mod tflite_gpu_in_order;
mod tflite_gpu_min_cost_flow;
mod tflm;
mod timeline;
mod triton;
mod tvm_greedy;
mod tvm_hill_climb;
mod vela_greedy;
mod vela_hill_climb;
mod windows;
mod xla;

use crate::planner::Planner;

/// All planners of this module, in the order in which they are listed to people.
pub const PLANNERS: &[Planner] = &[
    naive::PLANNER,
    xla::SPATIAL,
    xla::TEMPORAL,
    xla::AREA,
    xla::START,
    xla::END,
    xla::BEST_OF,
    tflite_arena::PLANNER,
    tflite_gpu_by_size::PLANNER,
    tflite_gpu_by_size_objects::PLANNER,
    tflite_gpu_by_breadth::PLANNER,
    tflite_gpu_in_order::IN_ORDER,
    tflite_gpu_in_order::EQUALITY,
    tflite_gpu_min_cost_flow::PLANNER,
    tflm::PLANNER,
    tvm_greedy::BY_SIZE,
    tvm_greedy::BY_CONFLICTS,
    tvm_hill_climb::PLANNER,
    somas::PLANNER,
    triton::PLANNER,
    executorch::PLANNER,
    iree::PLANNER,
    mlir_best_fit::PLANNER,
    onnxruntime::PLANNER,
    vela_greedy::PLANNER,
    vela_hill_climb::PLANNER,
];

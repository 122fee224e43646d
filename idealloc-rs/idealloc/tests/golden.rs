//! The restated planners give the same offsets as the originals on minimalloc's A..K.
//!
//! `tests/data/golden.json` holds the peak and the first 16 hex digits of the SHA-256 of the comma-separated
//! offsets, with times mapped to event ranks. Most of it was made with the compiled or installed originals;
//! SOMAS, ORT, XLA's area, start and end keys and its lowest fit with a statement of their source text only.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use idealloc::{Control, Options, Problem, plan};
use sha2::{Digest, Sha256};

type Settings = &'static [(&'static str, &'static str)];

/// Name in the file, our planner, its settings.
const PLANNERS: &[(&str, &str, Settings)] = &[
    ("xla_spatial_best", "xla-spatial", &[]),
    ("xla_spatial_low", "xla-spatial", &[("fit", "lowest")]),
    ("xla_temporal_best", "xla-temporal", &[]),
    ("xla_temporal_low", "xla-temporal", &[("fit", "lowest")]),
    ("xla_area_best", "xla-area", &[]),
    ("xla_area_low", "xla-area", &[("fit", "lowest")]),
    ("xla_start_best", "xla-start", &[]),
    ("xla_start_low", "xla-start", &[("fit", "lowest")]),
    ("xla_end_best", "xla-end", &[]),
    ("xla_end_low", "xla-end", &[("fit", "lowest")]),
    ("somas_single_best", "somas", &[("algorithm", "single"), ("order", "size"), ("fit", "best")]),
    (
        "somas_single_smallest",
        "somas",
        &[("algorithm", "single"), ("order", "size"), ("fit", "smallest")],
    ),
    (
        "somas_single_largest",
        "somas",
        &[("algorithm", "single"), ("order", "size"), ("fit", "largest")],
    ),
    (
        "somas_single_worst",
        "somas",
        &[("algorithm", "single"), ("order", "size"), ("fit", "worst")],
    ),
    ("somas_shared_best", "somas", &[("algorithm", "shared"), ("order", "size"), ("fit", "best")]),
    (
        "somas_shared_smallest",
        "somas",
        &[("algorithm", "shared"), ("order", "size"), ("fit", "smallest")],
    ),
    (
        "somas_shared_largest",
        "somas",
        &[("algorithm", "shared"), ("order", "size"), ("fit", "largest")],
    ),
    (
        "somas_shared_worst",
        "somas",
        &[("algorithm", "shared"), ("order", "size"), ("fit", "worst")],
    ),
    ("tflite_arena", "tflite-arena", &[]),
    ("tflite_gpu_by_size", "tflite-gpu-by-size", &[]),
    ("tflite_gpu_by_size_obj", "tflite-gpu-by-size-objects", &[]),
    ("tflite_gpu_breadth", "tflite-gpu-by-breadth", &[]),
    ("tflm", "tflm", &[]),
    ("tvm_by_size", "tvm-by-size", &[]),
    ("tvm_by_conflicts", "tvm-by-conflicts", &[]),
    ("triton", "triton", &[]),
    ("mlir_best_fit", "mlir-best-fit", &[]),
    ("iree_csv_order", "iree", &[]),
    ("ort", "onnxruntime", &[]),
    ("executorch", "executorch", &[]),
    ("executorch_no_overlap", "executorch", &[("overlap", "false")]),
    ("vela_greedy", "vela-greedy", &[]),
    ("vela_hill_climb", "vela-hill-climb", &[]),
];

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data")
}

/// A problem of `tests/data/minimalloc` with times mapped to event ranks.
fn ranked(instance: &str) -> Result<Problem, Box<dyn Error>> {
    let text = std::fs::read_to_string(data().join(format!("minimalloc/{instance}.1048576.csv")))?;
    let mut rows: Vec<[i64; 3]> = Vec::new();
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let cells =
            line.split(',').map(str::trim).map(str::parse).collect::<Result<Vec<i64>, _>>()?;
        rows.push([cells[1], cells[2], cells[3]]);
    }
    let mut times: Vec<i64> = rows.iter().flat_map(|row| [row[0], row[1]]).collect();
    times.sort_unstable();
    times.dedup();
    let rank = |time: i64| times.partition_point(|&t| t < time) as i64;
    let mut builder = Problem::builder();
    for [lower, upper, size] in rows {
        builder.buffer(size.unsigned_abs(), rank(lower), rank(upper));
    }
    Ok(builder.build()?)
}

fn digest(offsets: &[u64]) -> String {
    let text = offsets.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Compares with a file of golden peaks and offsets; returns how many plans were compared.
fn compare(file: &str) -> Result<usize, Box<dyn Error>> {
    let golden: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(data().join(file))?)?;
    let planners = golden["planners"].as_object().ok_or("no planners")?;
    let ours: BTreeMap<&str, _> = PLANNERS.iter().map(|&(g, name, set)| (g, (name, set))).collect();
    let mut different: BTreeMap<&str, String> = BTreeMap::new();
    let mut compared = 0;
    for (golden_name, instances) in planners {
        let &(name, settings) = ours.get(golden_name.as_str()).ok_or("a planner is not tested")?;
        for (instance, expected) in instances.as_object().ok_or("no instances")? {
            let options = Options {
                parameters: settings.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect(),
                ..Options::default()
            };
            compared += 1;
            let wrong = match plan(&ranked(instance)?, name, &options, &Control::default()) {
                Ok(made) if expected["peak"] != made.peak => 'p',
                Ok(made) if expected["offsets_sha256"] != digest(&made.offsets) => 'o',
                Ok(_) => continue,
                Err(_) => 'e',
            };
            let list = different.entry(golden_name).or_default();
            list.push_str(instance);
            list.push(wrong);
        }
    }
    assert!(different.is_empty(), "p: peak, o: offsets, e: error: {different:#?}");
    Ok(compared)
}

#[test]
fn every_planner_gives_the_offsets_of_its_original() -> Result<(), Box<dyn Error>> {
    assert_eq!(compare("golden.json")?, 31 * 11);
    Ok(())
}

#[test]
fn vela_gives_the_same_offsets() -> Result<(), Box<dyn Error>> {
    assert_eq!(compare("golden_vela.json")?, 2 * 11);
    Ok(())
}

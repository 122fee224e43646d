#![allow(missing_docs, clippy::all, clippy::print_stdout, clippy::unwrap_used)]
use idealloc::split::{evaluate::Machine, graph::*, search::*};
use serde_json::Value;
fn ints(v: &Value) -> Vec<usize> { v.as_array().unwrap().iter().map(|x| x.as_u64().unwrap() as usize).collect() }
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let g: Value = serde_json::from_str(&std::fs::read_to_string(&a[1]).unwrap()).unwrap();
    let capacity: i64 = a[2].parse::<i64>().unwrap() * 1024;
    let staged = a[3] == "traffic";
    let tensors: Vec<Tensor> = g["tensors"].as_array().unwrap().iter().map(|t| Tensor {
        shape: t["shape"].as_array().unwrap().iter().map(|x| x.as_i64().unwrap()).collect(),
        element_bytes: t["element_bytes"].as_i64().unwrap(),
        is_argument: t["kind"] == "argument" || t["kind"] == "constant",
        is_constant: t["kind"] == "fill",
        is_returned: t["returned"].as_bool().unwrap() }).collect();
    let mut operators: Vec<Operator> = g["ops"].as_array().unwrap().iter().map(|o| {
        let results = ints(&o["results"]);
        let ra: Vec<Option<usize>> = o["result_access"].as_array().unwrap().iter().map(|x| x.as_u64().map(|x| x as usize)).collect();
        let splittable = o["splittable"].as_bool().unwrap();
        Operator {
            loops: o["loops"].as_array().unwrap().iter().map(|x| x.as_i64().unwrap()).collect(),
            is_reduction: o["iterators"].as_array().unwrap().iter().map(|x| x == "reduction").collect(),
            result_loops: results.iter().map(|&t| if splittable { ra.clone() } else { vec![None; tensors[t].shape.len()] }).collect(),
            cuttable: o.get("cuttable").map(|v| ints(v)).unwrap_or_else(|| o["iterators"].as_array().unwrap().iter().enumerate().filter(|(_, x)| *x == "reduction").map(|(i, _)| i).take(1).collect()), results,
            operands: o["operands"].as_array().unwrap().iter().map(|p| {
                let acc = &p["access"];
                let access = match acc["kind"].as_str().unwrap() {
                    "affine" => Access::Affine(acc["indices"].as_array().unwrap().iter().map(|i| Expression {
                        terms: i["terms"].as_array().unwrap().iter().map(|t| (t[0].as_u64().unwrap() as usize, t[1].as_i64().unwrap())).collect(),
                        constant: i["constant"].as_i64().unwrap(), divisor: i["divisor"].as_i64().unwrap() }).collect()),
                    "reshape" => Access::Reshape(acc["groups"].as_array().unwrap().iter().map(|x| (ints(&x[0]), ints(&x[1]))).collect()),
                    "whole" => Access::Whole, _ => Access::Indirect };
                (p["tensor"].as_u64().unwrap() as usize, access) }).collect(),
            in_place: ints(&o["in_place"]), parts: ints(&o["parts"]), is_view: o["view"].as_bool().unwrap(),
            work: o["work_per_point"].as_i64().unwrap(), layer: 0, is_splittable: splittable }
    }).collect();
    // layers
    let given = g["ops"][0]["layer"].as_i64().unwrap() >= 0;
    let n = operators.len();
    let mut param = vec![false; tensors.len()];
    for (i, t) in tensors.iter().enumerate() { if t.is_argument || t.is_constant { param[i] = i != 0 || t.is_constant; } }
    let mut lay: Vec<i64> = vec![-1; n];
    let mut tl: Vec<i64> = vec![-1; tensors.len()];
    let mut count = 0;
    for (i, op) in operators.iter().enumerate() {
        let is_param = op.operands.iter().all(|(t, _)| param[*t]);
        if is_param { for &r in &op.results { param[r] = true; } lay[i] = -1; continue; }
        let anchor = op.is_reduction.iter().any(|&r| r);
        if anchor { lay[i] = count; count += 1; }
        else if op.is_view || !op.parts.is_empty() && op.operands.len() == 1 { lay[i] = -1; }
        else { lay[i] = op.operands.iter().map(|(t, _)| tl[*t]).max().unwrap().max(count-1).max(0); if count == 0 { count = 1; } }
        for &r in &op.results { tl[r] = if lay[i] >= 0 { lay[i] } else { op.operands.iter().map(|(t, _)| tl[*t]).max().unwrap_or(-1) }; }
    }
    for i in (0..n).rev() { if lay[i] < 0 {
        let mut l = i64::MAX;
        for k in i+1..n { if operators[k].operands.iter().any(|(t, _)| operators[i].results.contains(t)) { l = l.min(lay[k]); } }
        lay[i] = if l == i64::MAX { count - 1 } else { l };
    } }
    for i in 0..n { operators[i].layer = if given { g["ops"][i]["layer"].as_u64().unwrap() as usize } else { lay[i] as usize }; }
    operators.sort_by_key(|o| o.layer);
    let graph = SplitGraph { tensors, operators };
    graph.validate().unwrap();
    let n0 = graph.operators.len();
    let graph = idealloc::split::compress::compress(&graph).graph;
    graph.validate().unwrap();
    println!("{} -> {} ops", n0, graph.operators.len());
    let machine = Machine { capacity: if capacity == 0 { i64::MAX / 4 } else { capacity }, alignment: 64, is_staged: staged, stages_arguments: staged, max_recompute: 1.1, transfer_bytes: 64 };
    let t0 = std::time::Instant::now();
    match search(&graph, machine, if staged { Objective::Traffic } else { Objective::Peak }, 2) {
        None => println!("{} {}K: nothing fits ({:?})", a[1], a[2], t0.elapsed()),
        Some(groups) => {
            let traffic: i64 = groups.iter().map(|g| g.cost.traffic).sum();
            let peak = groups.iter().map(|g| g.cost.peak).max().unwrap();
            let tr: i64 = groups.iter().map(|g| g.cost.transfers).sum();
            println!("{} {}K: {:.3} MB peak {} groups {} transfers {} layers {} ({:?})", a[1], a[2], traffic as f64 / 1e6, peak, groups.len(), tr, graph.operators.last().unwrap().layer + 1, t0.elapsed());
            if a.len() > 4 { for g in &groups {
                println!("  {}-{} {:?} on {} {} cost {:?} {:?}", g.first_layer, g.last_layer, g.grid.loops.iter().zip(&g.grid.cuts).map(|(l, c)| format!("{:?} {}x{} {:?}{}", l, c.tiles(), c.positions[c.positions.len()-2] , c.halo, if c.runs_ahead() {" ahead"} else {""})).collect::<Vec<_>>(), g.starts_on_chip, g.ends_on_chip, g.cost, g.residencies.iter().filter(|r| !matches!(r.1, idealloc::split::evaluate::Residency::Fetched)).count());
            } }
        }
    }
}

//! proto2
use idealloc::auto::blends::partition;
use idealloc::place::blend::Blend;
use idealloc::place::engine::{Engine, Outcome, Rule};
use idealloc::place::instance::Instance;
use idealloc::place::order::Orders;
use idealloc::random::Random;
use idealloc::{Control, generate, load};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let seed: u64 = a[2].parse().unwrap();
    let problem = generate::mixed_lifetimes(n, seed).unwrap();
    let whole = Instance::new(&problem);
    let (hard, _) = partition(&whole, load(&problem), 0);
    for x in [0u64, 1 << 15, 1 << 17, 1 << 18, 1 << 20, 1 << 22, 1 << 23] {
        let keep: Vec<u32> = hard.iter().copied().filter(|&i| whole.sizes()[i as usize] >= x).collect();
        let part = whole.subset(&keep);
        let target = part.section_loads().into_iter().max().unwrap_or(0);
        let mut engine = Engine::new(&part);
        let t = std::time::Instant::now();
        let mut random = Random::new(seed);
        let mut best = u64::MAX;
        let mut first = 0.0;
        for i in 0..8 {
            let blend = Blend::FIRST.get(i).copied().unwrap_or_else(|| Blend::draw(&mut random));
            let order = blend.sorted(&mut Orders::new(&part), &vec![0; part.len()]);
            if let Outcome::Placed(p) = engine.run(&order, Rule::FirstFit, best - 1, &Control::default()) { best = p; }
            if i == 0 { first = t.elapsed().as_secs_f64(); }
        }
        eprintln!("size >= {x}: {} buffers, load {:.5} of all, packed {:.5}, first pass {first:.2}s", part.len(), target as f64 / load(&problem) as f64, best as f64 / target as f64);
    }
}

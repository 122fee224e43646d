//! proto
use idealloc::auto::blends::partition;
use idealloc::auto::climb::Layout;
use idealloc::auto::ejection::{Ejection, Next, Run};
use idealloc::place::blend::Blend;
use idealloc::place::engine::Engine;
use idealloc::place::instance::Instance;
use idealloc::place::order::Orders;
use idealloc::random::Random;
use idealloc::{Control, generate, load};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let seed: u64 = a[2].parse().unwrap();
    let limit: f64 = a[3].parse().unwrap();
    let work: u64 = a[4].parse().unwrap();
    let passes: usize = a[5].parse().unwrap();
    let problem = generate::mixed_lifetimes(n, seed).unwrap();
    let instance = Instance::new(&problem);
    let (hard, _) = partition(&instance, load(&problem), 0);
    let part = instance.subset(&hard);
    let target = part.section_loads().into_iter().max().unwrap_or(0);
    let loads = part.section_loads();
    let mean = loads.iter().map(|&l| l as f64).sum::<f64>() / loads.len() as f64;
    eprintln!("n {} part {} sections {} mean load {:.4} of whole load {}", n, part.len(), part.sections(), mean / target as f64, target as f64 / load(&problem) as f64);
    for q in [0.999, 0.99, 0.98, 0.97, 0.95, 0.93, 0.9, 0.85] { eprint!("{q}: {:.4}  ", loads.iter().filter(|&&l| l as f64 > q * target as f64).count() as f64 / loads.len() as f64); } eprintln!();
    let low = a.len() > 7; let path = format!("/tmp/start_{n}_{seed}_{passes}_{low}.bin");
    let start: Vec<u64> = match std::fs::read(&path) {
        Ok(b) => b.chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect(),
        Err(_) => {
            let mut random = Random::new(seed);
            let mut best: Option<Layout> = None;
            let mut engine = Engine::new(&part);
            for i in 0..passes {
                let blend = Blend::FIRST.get(i).copied().unwrap_or_else(|| Blend::draw(&mut random));
                let blend = if i % 4 == 3 || low { blend } else { blend.peak_first(&mut random) };
                let order = blend.sorted(&mut Orders::new(&part), &vec![0; part.len()]);
                let most = if low { u128::MAX } else { best.as_ref().map_or(u128::MAX, |b| b.excess()) };
                let t = std::time::Instant::now();
                if let Some(l) = Layout::within(&mut engine, &part, order, target, most, &Control::default()) {
                    eprintln!("pass {i} {blend:?} excess {:.4e} peak {:.5} {:.2}s", l.excess() as f64, l.peak as f64 / target as f64, t.elapsed().as_secs_f64());
                    if !low || best.as_ref().is_none_or(|b| b.peak > l.peak) { best = Some(l); }
                } else { eprintln!("pass {i} cut {:.2}s", t.elapsed().as_secs_f64()); }
            }
            let b = best.unwrap();
            std::fs::write(&path, b.offsets.iter().flat_map(|o| o.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
            b.offsets
        }
    };
    for rule in a.get(6).map_or("012", |s| s.as_str()).chars() {
        let run = Run { limit: (target as f64 * limit) as u64, next: Next::ALL[rule.to_digit(10).unwrap() as usize], work, seed: 1 };
        let t = std::time::Instant::now();
        let e = Ejection::new(&part).run(&start, run, &Control::default());
        eprintln!("{rule} -> {:?} work {} {:.2}s", e.plan.map(|p| p.1 as f64 / target as f64), e.work, t.elapsed().as_secs_f64());
    }
}

//! `idealloc FILE.csv`: writes the file back with a column `offset`, and a summary to standard error.
//! The status is 1 if the plan is above the capacity.
//!
//! The file is minimalloc's: columns `id`, `lower`, `upper`, `size`, optionally `alignment`, `offset` (fixed), `gaps`.

use std::io::{BufWriter, ErrorKind, Write};
use std::process::ExitCode;
use std::time::Instant;

use idealloc::{Control, Effort, Options, Plan, Problem, csv, generate, plan, planners};

const USAGE: &str = "usage: idealloc FILE.csv [--planner NAME] [--effort low|medium|high|max] [--seed N]
       [--threads N] [--time-limit SECONDS] [--capacity BYTES [--minimize]] [--quiet] [--parameter NAME=VALUE]
       idealloc --generate BUFFERS [the same]    made-up buffers instead of a file
       idealloc --planners                       what planners there are";

struct Arguments {
    file: Option<String>,
    generate: Option<usize>,
    planner: String,
    capacity: Option<u64>,
    quiet: bool,
    list: bool,
    help: bool,
    options: Options,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut found = Arguments {
        file: None,
        generate: None,
        planner: "auto".to_owned(),
        capacity: None,
        quiet: false,
        list: false,
        help: false,
        options: Options::default(),
    };
    let mut minimize = false;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--planner" => found.planner = value()?,
            "--effort" => found.options.effort = effort(&value()?)?,
            "--seed" => found.options.seed = number(&value()?)?,
            "--threads" => found.options.threads = number(&value()?)?,
            "--time-limit" => {
                let limit = std::time::Duration::try_from_secs_f64(number(&value()?)?);
                found.options.time_limit = Some(limit.map_err(|error| error.to_string())?);
            }
            "--capacity" => found.capacity = Some(number(&value()?)?),
            "--minimize" => minimize = true,
            "--generate" => found.generate = Some(number(&value()?)?),
            "--parameter" => {
                let pair = value()?;
                let (name, value) = pair.split_once('=').ok_or("a parameter is NAME=VALUE")?;
                found.options.parameters.push((name.to_owned(), value.to_owned()));
            }
            "--quiet" => found.quiet = true,
            "--planners" => found.list = true,
            "-h" | "--help" => found.help = true,
            _ if word.starts_with('-') || found.file.is_some() => {
                return Err(format!("unknown argument '{word}'\n{USAGE}"));
            }
            _ => found.file = Some(word),
        }
    }
    // With a capacity the question is whether it fits.
    found.options.minimize = minimize || found.capacity.is_none();
    Ok(found)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is not a number in range"))
}

fn effort(name: &str) -> Result<Effort, String> {
    match name {
        "low" => Ok(Effort::Low),
        "medium" => Ok(Effort::Medium),
        "high" => Ok(Effort::High),
        "max" => Ok(Effort::Max),
        _ => Err(format!("unknown effort '{name}'; known: low, medium, high, max")),
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    if arguments.help {
        println!("{USAGE}");
        return Ok(());
    }
    if arguments.list {
        for planner in planners() {
            println!("{:28} {} ({})", planner.name, planner.summary, planner.origin);
        }
        return Ok(());
    }
    let mut table = None;
    let (text, problem) = match (&arguments.file, arguments.generate) {
        (Some(file), None) => {
            let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
            let mut read = csv::read(&text).map_err(|error| format!("{file}: {error}"))?;
            read.builder.memory(arguments.capacity, 0);
            let problem = std::mem::take(&mut read.builder).build();
            let problem = problem
                .map_err(|error| format!("{file}: {}", error.describe(|i| read.describe(i))))?;
            table = Some(read);
            (text, problem)
        }
        (None, Some(buffers)) => {
            let problem = generate::mixed_lifetimes(buffers, arguments.options.seed)
                .map_err(|error| error.to_string())?;
            (String::new(), problem)
        }
        _ => return Err(USAGE.to_owned()),
    };
    let name_of = |i: usize| table.as_ref().map_or_else(|| i.to_string(), |t| t.describe(i));
    let started = Instant::now();
    let plan = plan(&problem, &arguments.planner, &arguments.options, &Control::default())
        .map_err(|error| error.describe(name_of))?;
    summarise(&problem, &plan, started.elapsed().as_secs_f64());
    if !arguments.quiet {
        match write(&text, &plan) {
            // Whoever read our output has seen enough, as in `idealloc FILE | head`.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                return Err(format!("standard output: {error}"));
            }
            _ => {}
        }
    }
    match arguments.capacity {
        Some(capacity) if plan.peak > capacity => {
            Err(format!("the plan takes {} bytes, the capacity is {capacity}", plan.peak))
        }
        _ => Ok(()),
    }
}

fn summarise(problem: &Problem, plan: &Plan, seconds: f64) {
    eprintln!(
        "buffers={} peak={} load={} bound={} ratio={:.6} stop={} seconds={seconds:.4} {}",
        problem.len(),
        plan.peak,
        plan.load,
        plan.bound,
        plan.peak as f64 / plan.bound.max(1) as f64,
        plan.stop.name(),
        plan.statistics.iter().map(|(name, n)| format!("{name}={n}")).collect::<Vec<_>>().join(" "),
    );
}

/// The lines of the file, each with the offset of its buffer; a column of offsets that were fixed is replaced.
fn write(text: &str, plan: &Plan) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut lines = csv::lines_of(text).filter(|line| !line.trim().is_empty());
    let Some(header) = lines.next() else { return Ok(()) };
    let titles = csv::cells_of(header, 1).unwrap_or_default();
    let old = titles.iter().position(|title| title.trim() == "offset");
    let without = |line: &str| match (old, csv::cells_of(line, 0)) {
        (Some(old), Ok(mut cells)) => {
            cells.remove(old);
            cells.iter().map(|cell| csv::quoted(cell)).collect::<Vec<_>>().join(",")
        }
        _ => line.to_owned(),
    };
    writeln!(out, "{},offset", without(header))?;
    for (line, offset) in lines.zip(&plan.offsets) {
        writeln!(out, "{},{offset}", without(line))?;
    }
    out.flush()
}

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

//! Any bytes at all: the reader and the builder accept or refuse, and never panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(table) = idealloc::csv::read(text) {
        if let Ok(problem) = table.builder.build() {
            let _ = idealloc::load(&problem);
        }
    }
});

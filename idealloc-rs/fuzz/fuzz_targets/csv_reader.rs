//! Any bytes at all: the reader and the builder accept or refuse, and never panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(builder) = idealloc::csv::read(text) {
        if let Ok(problem) = builder.build() {
            let _ = idealloc::load(&problem);
        }
    }
});

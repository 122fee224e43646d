//! The command as a shell sees it: what it writes, and its status.

use std::process::{Command, Output};

fn run(text: &str, name: &str, options: &[&str]) -> Output {
    let file = std::env::temp_dir().join(format!("idealloc-{}-{name}.csv", std::process::id()));
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_idealloc")).arg(&file).args(options).output();
    std::fs::remove_file(&file).expect("a file");
    output.expect("a run")
}

const TWO: &str = "id,lower,upper,size\na,0,2,4\nb,0,3,4\n";

#[test]
fn the_status_says_whether_the_plan_fits() {
    assert!(run(TWO, "fits", &["--capacity", "8"]).status.success());
    let above = run(TWO, "above", &["--capacity", "7"]);
    assert_eq!(above.status.code(), Some(1));
    let said = String::from_utf8_lossy(&above.stderr).into_owned();
    assert!(said.ends_with("the plan takes 8 bytes, the capacity is 7\n"), "{said}");
}

#[test]
fn help_is_no_mistake() {
    let help = run(TWO, "help", &["--help"]);
    assert!(help.status.success());
    assert!(String::from_utf8_lossy(&help.stdout).starts_with("usage: idealloc"));
}

#[test]
fn a_column_of_offsets_in_quotes_is_replaced_too() {
    let output = run("id,lower,upper,size,\"offset\"\na,0,2,4,8\n", "quotes", &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "id,lower,upper,size,offset\na,0,2,4,8\n");
}

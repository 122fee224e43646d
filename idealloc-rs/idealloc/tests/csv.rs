//! The reader of the binary says the same of a file as the one in Python (`tests/formats/test_minimalloc_csv.py`).

use idealloc::{Lifetime, Problem, csv};

fn read(text: &str) -> Problem {
    csv::read(text).expect("a table").builder.build().expect("a problem")
}

fn refused(text: &str) -> String {
    csv::read(text).expect_err("a mistake").to_string()
}

#[test]
fn upper_is_exclusive_and_end_inclusive() {
    assert_eq!(read("id,lower,upper,size\na,0,4,1\n").lifetimes(), [Lifetime::new(0, 4)]);
    let old = read("buffer_id,begin,end,size,gaps\na,0,9,4,3-5\n");
    assert_eq!(old.lifetimes(), [Lifetime::new(0, 10)]);
    assert_eq!(old.gaps()[0].1, Lifetime::new(3, 6));
}

#[test]
fn negative_ticks_quotes_and_lines() {
    let text = "id,lower,upper,size,gaps\n\n\"a,\"\"b\"\"\",-5,2,4,-4--2 0-1\n";
    let table = csv::read(text).expect("a table");
    assert_eq!(table.describe(0), "a,\"b\" (line 3)");
    assert_eq!(csv::quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    let gaps: Vec<Lifetime> = read(text).gaps().iter().map(|&(_, gap)| gap).collect();
    assert_eq!(gaps, [Lifetime::new(-4, -2), Lifetime::new(0, 1)]);
}

#[test]
fn lines_end_as_on_any_system_and_minus_zero_is_zero() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["id,lower,upper,size", "a,-0,4,-0", "b,1,5,8", ""].join(end);
        let table = csv::read(&text).expect("a table");
        assert_eq!(table.describe(1), "b (line 3)");
        assert_eq!(read(&text).lifetimes(), [Lifetime::new(0, 4), Lifetime::new(1, 5)]);
        assert_eq!(read(&text).sizes(), [0, 8]);
    }
    assert_eq!(
        refused("id,lower,upper,size\na,0,4,-01\n"),
        "line 2, column 7: '-01' is not a number in range"
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let last = i64::MAX;
    assert_eq!(
        refused(&format!("id,start,end,size\na,0,{last},4\n")),
        format!("line 2, column 5: '{last}' is not a number in range")
    );
    assert_eq!(
        refused("id,lower,upper,size,gaps\na,0,9,1,3-99999999999999999999\n"),
        "line 2, column 9: '99999999999999999999' is not a number in range"
    );
    assert_eq!(
        refused("id,lower,upper,size\na,0,1,1\na,0,1,1\n"),
        "line 3, column 1: buffer id 'a' is also in line 2"
    );
    assert_eq!(
        refused("id,lower,upper,size,gaps\na,0,9,1,3-+5\n"),
        "line 2, column 9: '3-+5' is not a gap like 3-7"
    );
    assert_eq!(refused("lower,upper,size\n"), "line 1, column 1: no column 'id'");
    assert_eq!(
        refused("id,start,begin,upper,size\n"),
        "line 1, column 10: column 'lower' comes twice"
    );
    assert_eq!(
        refused("id,lower,upper,size\n\"a,0,1,4\n"),
        "line 2, column 1: a quote is not closed in its line"
    );
}

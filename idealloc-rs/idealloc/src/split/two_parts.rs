//! Work in two parts, at once if there are threads.

/// Does both parts. There are always two, so that the number of threads changes nothing but the time.
pub(super) fn both(threads: usize, one: impl FnOnce(), other: impl FnOnce() + Send) {
    if threads > 1 {
        std::thread::scope(|scope| {
            scope.spawn(other);
            one();
        });
    } else {
        one();
        other();
    }
}

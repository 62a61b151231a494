// SPDX-License-Identifier: Apache-2.0
//! Times the original's library on the files of the tree benchmark.
//!
//! `tree-reference KEYS HITS MISSES OUTPUT`: KEYS are sorted keys, HITS the same in random order, MISSES absent
//! ones, all as repeated 4 bytes little-endian length and key. Builds OUTPUT out of KEYS and prints, a line each,
//! a word and the nanoseconds of the fastest of some rounds: `build`, `hit`, `miss`, `iterate` for all keys, `open`
//! for one time.
use pathmap::arena_compact::{ACTOutputStream, ArenaCompactTree};
use pathmap::zipper::{ZipperIteration, ZipperMoving};
use std::fs;
use std::hint::black_box;
use std::time::Instant;

fn keys(path: &str) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap();
    let mut keys = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let size = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        keys.push(bytes[at + 4..at + 4 + size].to_vec());
        at += 4 + size;
    }
    keys
}

fn best(rounds: usize, mut work: impl FnMut()) -> u64 {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_nanos() as u64
        })
        .min()
        .unwrap()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let sorted = keys(&arguments[1]);
    let hits = keys(&arguments[2]);
    let misses = keys(&arguments[3]);
    let output = &arguments[4];
    let build = best(3, || {
        let mut stream = ACTOutputStream::new(output).unwrap();
        for key in &sorted {
            stream.push(key).unwrap();
        }
        black_box(stream.finish().unwrap());
    });
    let open = best(20, || {
        black_box(ArenaCompactTree::open_mmap(output).unwrap());
    });
    let tree = ArenaCompactTree::open_mmap(output).unwrap();
    let lookups = |keys: &Vec<Vec<u8>>| {
        best(3, || {
            for key in keys {
                black_box(tree.get_val_at(key));
            }
        })
    };
    let hit = lookups(&hits);
    let miss = lookups(&misses);
    let iterate = best(3, || {
        let mut zipper = tree.read_zipper_u64();
        let mut count = 0;
        while zipper.to_next_val() {
            count += black_box(zipper.path().len());
        }
        black_box(count);
    });
    println!("build {build}\nhit {hit}\nmiss {miss}\niterate {iterate}\nopen {open}");
}

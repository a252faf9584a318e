//! Rows on the cache.

use std::sync::Arc;

use serde_json::json;

use crate::SchemaCache;
use crate::schema::{Dialect, SchemaOptions};

#[test]
fn a_schema_is_compiled_once_however_it_is_spelled() {
    let cache = SchemaCache::default();
    let options = SchemaOptions::default();
    let first = cache.get(&json!({"type": "object", "title": "T"}), &options).unwrap();
    let second = cache.get(&json!({"title": "T", "type": "object"}), &options).unwrap();
    assert!(Arc::ptr_eq(&first, &second));
    assert_eq!((cache.compilations(), cache.len()), (1, 1));
}

#[test]
fn options_make_a_difference() {
    let cache = SchemaCache::default();
    let schema = json!({"format": "date"});
    let default = SchemaOptions::default();
    let asserting = SchemaOptions { assert_formats: true, ..SchemaOptions::default() };
    let draft7 = SchemaOptions { default_dialect: Dialect::Draft7, ..SchemaOptions::default() };
    for options in [&default, &asserting, &draft7, &default] {
        cache.get(&schema, options).unwrap();
    }
    assert_eq!(cache.compilations(), 3);
}

#[test]
fn a_failure_is_remembered_and_poisons_nothing() {
    let cache = SchemaCache::default();
    let options = SchemaOptions::default();
    let bad = json!({"type": "strin"});
    assert_eq!(cache.get(&bad, &options).unwrap_err(), cache.get(&bad, &options).unwrap_err());
    assert_eq!(cache.compilations(), 1);
    assert!(cache.get(&json!({"type": "string"}), &options).is_ok());
}

#[test]
fn the_least_recently_used_goes_first() {
    let cache = SchemaCache::new(2);
    let options = SchemaOptions::default();
    let schema = |n: u32| json!({ "minimum": n });
    for n in [1, 2, 1, 3] {
        cache.get(&schema(n), &options).unwrap();
    }
    assert_eq!((cache.compilations(), cache.len()), (3, 2));
    cache.get(&schema(1), &options).unwrap();
    assert_eq!(cache.compilations(), 3);
    cache.get(&schema(2), &options).unwrap();
    assert_eq!((cache.compilations(), cache.len()), (4, 2));
    assert_eq!(SchemaCache::new(0).len(), 0);
}

#[test]
fn many_threads_share_it() {
    let cache = SchemaCache::new(3);
    let options = SchemaOptions::default();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (cache, options) = (&cache, &options);
            scope.spawn(move || {
                for n in 0..20 {
                    let schema = json!({"minimum": (thread + n) % 5});
                    assert!(cache.get(&schema, options).is_ok());
                }
            });
        }
    });
    assert!(cache.len() <= 3);
}

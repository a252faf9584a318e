use super::*;

fn seconds(next: Next) -> (bool, Duration) {
    match next {
        Next::Retry(delay) => (false, delay),
        Next::Pause(delay) => (true, delay),
    }
}

#[tokio::test(start_paused = true)]
async fn delays_double_up_to_a_minute() {
    let mut backoff = Backoff::default();
    for expected in [1, 2, 4, 8, 16, 32, 60, 60] {
        let (paused, delay) = seconds(backoff.failed(Duration::ZERO));
        let longest = Duration::from_secs(expected);
        assert!(!paused && delay <= longest && delay >= longest.mul_f64(0.75), "{delay:?} for {expected}");
        tokio::time::advance(Duration::from_secs(61)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_sixth_failure_in_a_minute_opens_the_circuit() {
    let mut backoff = Backoff::default();
    for _ in 0..5 {
        assert!(matches!(backoff.failed(Duration::ZERO), Next::Retry(_)));
    }
    assert_eq!(backoff.failed(Duration::ZERO), Next::Pause(Duration::from_secs(30)));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_lived_for_a_minute_starts_afresh() {
    let mut backoff = Backoff::default();
    for _ in 0..4 {
        backoff.failed(Duration::ZERO);
    }
    tokio::time::advance(Duration::from_secs(90)).await;
    let (_, delay) = seconds(backoff.failed(Duration::from_secs(90)));
    assert!(delay <= Duration::from_secs(1));
}

#[test]
fn a_list_is_read_again_ever_later_up_to_a_minute() {
    let mut backoff = ListBackoff::default();
    for expected in [2, 4, 8, 16, 32, 60, 60] {
        assert_eq!(backoff.failed(), Duration::from_secs(expected));
    }
}

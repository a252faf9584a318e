//! As many sessions as the limit allows, without the HTTP around them.

use super::*;
use crate::limits;

#[tokio::test]
async fn of_two_clients_that_want_the_last_place_one_gets_it() {
    let sessions = Sessions::new(1, limits::HTTP_IDLE, CancellationToken::new());
    for _ in 0..2 {
        assert_eq!(sessions.make_room(), Ok(()));
    }
    let (first, _transport) = sessions.create_session().await.unwrap();
    assert!(sessions.create_session().await.is_err());
    let kept: Vec<SessionId> = sessions.open.0.lock().keys().cloned().collect();
    assert_eq!(kept, [first]);
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_sessions_fit_and_one_more_takes_the_place_of_an_idle_one() {
    let sessions = Sessions::new(limits::HTTP_SESSIONS, limits::HTTP_IDLE, CancellationToken::new());
    let mut open = Vec::new();
    for number in 0..10_000 {
        assert_eq!(sessions.make_room(), Ok(()), "session {number}");
        open.push(sessions.create_session().await.unwrap());
        if number == 0 {
            tokio::time::advance(Duration::from_millis(1)).await;
        }
    }
    assert_eq!(sessions.make_room(), Err(()));

    tokio::time::advance(EVICTABLE).await;
    assert_eq!(sessions.make_room(), Ok(()));
    let ended = sessions.has_session(&open[0].0).await;
    assert!(!ended.unwrap(), "the one that is idle longest goes first");
    assert_eq!(sessions.open.0.lock().len(), 9_999);

    tokio::time::advance(limits::HTTP_IDLE).await;
    sessions.reap();
    assert_eq!(sessions.open.0.lock().len(), 0);
}

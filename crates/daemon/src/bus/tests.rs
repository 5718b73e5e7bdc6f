use super::*;
use futures_util::FutureExt as _;
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

fn frame(seq: u64) -> Arc<Frame> {
    let event = Event {
        schema: 1,
        cursor: seq.to_string(),
        at: UnixMs(0),
        agent_id: AgentId::new("a").unwrap(),
        spooled: false,
        reported_at: None,
        body: EventBody::TurnStarted { turn_seq: seq },
    };
    Arc::new(Frame::new(seq, &event).unwrap())
}

/// What a listener takes without waiting.
fn all(listener: &mut Listener) -> Vec<u64> {
    std::iter::from_fn(|| listener.try_recv().ok()).map(|frame| frame.seq).collect()
}

#[test]
fn a_few_are_some_and_not_many() {
    let bus = Bus::new(8);
    assert!(!bus.is_heard_by_few());
    let mut listeners = vec![bus.subscribe()];
    assert!(bus.is_heard_by_few());
    listeners.resize_with(FEW + 1, || bus.subscribe());
    assert!(!bus.is_heard_by_few());
    assert!(!bus.is_heard_by_a_crowd());
    listeners.resize_with(CROWD, || bus.subscribe());
    assert!(bus.is_heard_by_a_crowd());
    bus.close();
    assert!(!bus.is_heard_by_few() && !bus.is_heard_by_a_crowd());
}

#[tokio::test]
async fn each_hears_what_is_published_behind_its_making_up_to_the_end() {
    let bus = Bus::new(8);
    bus.publish([frame(1)]);
    let mut early = bus.subscribe().unwrap();
    bus.publish([frame(2), frame(3)]);
    let mut late = bus.subscribe().unwrap();
    assert_eq!(late.try_recv().unwrap_err(), TryRecvError::Empty);
    assert!(late.recv().now_or_never().is_none());
    bus.publish([frame(4)]);
    assert_eq!(early.recv().await.unwrap().seq, 2);
    bus.close();
    assert!(bus.subscribe().is_none());
    assert_eq!(all(&mut early), [3, 4]);
    assert_eq!(late.recv().await.unwrap().seq, 4);
    for listener in [&mut early, &mut late] {
        assert_eq!(listener.try_recv().unwrap_err(), TryRecvError::Closed);
        assert_eq!(listener.recv().await.unwrap_err(), RecvError::Closed);
    }
}

#[tokio::test]
async fn whoever_waits_is_woken() {
    let bus = Arc::new(Bus::new(8));
    let mut listener = bus.subscribe().unwrap();
    let waits = tokio::spawn(async move { listener.recv().await.unwrap().seq });
    tokio::task::yield_now().await;
    bus.publish([]);
    bus.publish([frame(1)]);
    assert_eq!(waits.await.unwrap(), 1);
}

#[tokio::test]
async fn whoever_falls_behind_hears_how_far_and_goes_on_with_the_oldest_kept() {
    let bus = Bus::new(4);
    let (mut one, mut other) = (bus.subscribe().unwrap(), bus.subscribe().unwrap());
    bus.publish((1..=7).map(frame));
    assert_eq!(one.recv().await.unwrap_err(), RecvError::Lagged(3));
    assert_eq!(all(&mut one), [4, 5, 6, 7]);
    assert_eq!(other.piece(1 << 20).unwrap_err(), TryRecvError::Lagged(3));
    assert_eq!(other.piece(1 << 20).unwrap().unwrap().seq, 7);
}

#[test]
fn where_nobody_listens_nothing_is_kept() {
    let bus = Bus::new(4);
    let mut listener = bus.subscribe().unwrap();
    bus.publish([frame(1), frame(2)]);
    assert!(listener.piece(1 << 20).unwrap().is_some());
    drop(listener);
    bus.publish([frame(3)]);
    assert_eq!(bus.kept.latest.read().unwrap().frames.len(), 0);
    assert!(bus.kept.piece.lock().unwrap().is_none());
    // Whoever comes then has missed nothing.
    let mut listener = bus.subscribe().unwrap();
    bus.publish([frame(4)]);
    assert_eq!(all(&mut listener), [4]);
}

#[test]
fn who_stands_at_the_same_place_takes_the_same_bytes() {
    let bus = Bus::new(8);
    let (mut one, mut other) = (bus.subscribe().unwrap(), bus.subscribe().unwrap());
    assert!(one.piece(1 << 20).unwrap().is_none());
    bus.publish((1..=3).map(frame));
    let whole = |seqs: &[u64]| -> Vec<u8> {
        seqs.iter().flat_map(|seq| frame(*seq).whole().to_vec()).collect()
    };
    let piece = one.piece(1 << 20).unwrap().unwrap();
    assert_eq!((&piece.bytes[..], piece.seq, piece.is_cut), (&whole(&[1, 2, 3])[..], 3, false));
    bus.publish([frame(4)]);
    let same = other.piece(1 << 20).unwrap().unwrap();
    assert_eq!(same.bytes.as_ptr(), piece.bytes.as_ptr());
    // What came meanwhile comes next, to each once.
    for listener in [&mut one, &mut other] {
        let next = listener.piece(1 << 20).unwrap().unwrap();
        assert_eq!((&next.bytes[..], next.seq), (&whole(&[4])[..], 4));
        assert!(listener.piece(1 << 20).unwrap().is_none());
    }
}

#[test]
fn a_long_piece_is_cut_and_nothing_of_it_is_lost() {
    let bus = Bus::new(8);
    let mut listener = bus.subscribe().unwrap();
    bus.publish((1..=3).map(frame));
    let most = frame(1).whole().len() * 2 + 1;
    let piece = listener.piece(most).unwrap().unwrap();
    assert_eq!((piece.seq, piece.is_cut), (2, true));
    let piece = listener.piece(1).unwrap().unwrap();
    assert_eq!((piece.seq, piece.is_cut), (3, false));
}

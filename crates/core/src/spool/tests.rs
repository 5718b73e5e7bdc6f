use super::*;
use proptest::prelude::*;

fn report(name: &str, is_transition: bool) -> Record {
    Record::Report(Report {
        kind: "custom".into(),
        event: Some(name.into()),
        id: format!("id-{name}"),
        reported_at: UnixMs(1_795_296_597_200),
        is_transition,
        body: vec![b'x'; 1000],
        ..Report::default()
    })
}

fn file(records: &[Record]) -> Vec<u8> {
    records.iter().flat_map(encode).collect()
}

/// Event names of the readable reports, counts of the markers, damage.
fn read(spool: &[u8]) -> (Vec<String>, Vec<Damage>) {
    let (mut names, mut damage) = (Vec::new(), Vec::new());
    for item in Decoder::new(spool) {
        match item {
            Ok(Record::Report(report)) => names.push(report.event.unwrap()),
            Ok(Record::Dropped { count }) => names.push(format!("dropped {count}")),
            Err(corrupt) => damage.push(corrupt.damage),
        }
    }
    (names, damage)
}

#[test]
fn a_torn_tail_loses_only_the_record_it_tore() {
    let whole = file(&[report("a", true), report("b", true)]);
    let first = encode(&report("a", true)).len();
    for end in first + 1..whole.len() {
        assert_eq!(read(&whole[..end]), (vec!["a".into()], vec![Damage::Torn]), "cut at {end}");
    }
}

#[test]
fn a_record_torn_in_the_middle_of_the_file_hides_no_later_one() {
    let mut spool = file(&[report("a", true)]);
    let torn = encode(&report("b", true));
    spool.extend_from_slice(&torn[..torn.len() / 2]);
    spool.extend_from_slice(&file(&[report("c", true)]));
    assert_eq!(read(&spool).0, ["a", "c"]);
}

#[test]
fn any_flipped_bit_loses_at_most_its_own_record() {
    let whole = file(&[report("a", true), report("b", true), report("c", true)]);
    let len = whole.len() / 3;
    for at in len..2 * len {
        let mut spool = whole.clone();
        spool[at] ^= 1 << (at % 8);
        let (names, damage) = read(&spool);
        assert_eq!(names, ["a", "c"], "flipped at {at}");
        assert_eq!(damage.len(), 1);
    }
}

#[test]
fn garbage_between_records_is_skipped_and_counted() {
    let mut spool = b"hello".to_vec();
    spool.extend_from_slice(&file(&[report("a", true)]));
    spool.extend_from_slice(&[0xFF; 100]);
    spool.extend_from_slice(&file(&[report("b", false), Record::Dropped { count: 7 }]));
    let mut decoder = Decoder::new(&spool);
    assert_eq!(decoder.by_ref().flatten().count(), 3);
    assert_eq!(decoder.skipped(), Skipped { stretches: 2, bytes: 105 });
    assert_eq!(read(&spool).0, ["a", "b", "dropped 7"]);
}

#[test]
fn a_record_inside_a_torn_body_is_never_read() {
    let mut carrier = Report { kind: "custom".into(), ..Report::default() };
    carrier.body = file(&[report("forged", true)]);
    carrier.body.extend_from_slice(&[b'x'; 100]);
    let carrier = encode(&Record::Report(carrier));
    let mut spool = carrier[..carrier.len() - 50].to_vec();
    spool.extend_from_slice(&file(&[report("real", true)]));
    assert_eq!(read(&spool), (vec!["real".into()], vec![Damage::Checksum]));
}

#[test]
fn a_field_of_a_later_version_is_passed_over() {
    let mut payload = vec![REPORT, 0];
    payload.extend_from_slice(&0_i64.to_le_bytes());
    payload.extend_from_slice(&[200, 2, 0, 0, 0, b'?', b'?']);
    payload.extend_from_slice(&[tag::EVENT, 1, 0, 0, 0, b'e']);
    assert_eq!(read(&frame(&payload)), (vec!["e".into()], vec![]));
    assert_eq!(read(&frame(&[99, 1, 2])), (vec![], vec![Damage::Malformed]));
}

/// What version 0.1.0 wrote must be readable for ever.
#[test]
fn the_first_format_stays_readable() {
    let bytes = b"\xFFheadsup\x1F\x00\x00\x00\x00\x00\x00\x00\
        \x01\x01\x10\x54\xFE\x00\xFE\x01\xA2\x01\x00\x00\
        \x01\x01\x00\x00\x00k\x03\x01\x00\x00\x00i\x06\x02\x00\x00\x00{}";
    let mut bytes = bytes.to_vec();
    let crc = crc32fast::hash(&bytes[16..]).to_le_bytes();
    bytes[12..16].copy_from_slice(&crc);
    let report = Report {
        kind: "k".into(),
        id: "i".into(),
        reported_at: UnixMs(i64::from_le_bytes([0x10, 0x54, 0xFE, 0xFF, 0xA2, 1, 0, 0])),
        is_transition: true,
        body: b"{}".to_vec(),
        ..Report::default()
    };
    assert_eq!(Decoder::new(&bytes).next(), Some(Ok(Record::Report(report.clone()))));
    assert_eq!(encode(&Record::Report(report)), bytes);
}

#[test]
fn a_drop_marker_has_one_length() {
    for count in [0, 1, 0xFEFF, u64::MAX] {
        assert_eq!(encode(&Record::Dropped { count }).len(), DROPPED_LEN);
    }
}

#[test]
fn compaction_drops_the_oldest_of_the_unimportant_first() {
    let spool = file(&[
        report("t1", true),
        report("o1", false),
        Record::Dropped { count: 5 },
        report("t2", true),
        report("o2", false),
        report("o3", false),
    ]);
    let each = encode(&report("t1", true)).len();
    let roomy = compact(&spool, 100 * each);
    assert_eq!(read(&roomy.bytes).0, ["dropped 5", "t1", "o1", "t2", "o2", "o3"]);

    let limit = (each * 7 / 2 + DROPPED_LEN) / 3 * 4 + 4;
    let tight = compact(&spool, limit);
    assert_eq!(read(&tight.bytes).0, ["dropped 7", "t1", "t2", "o3"]);
    assert_eq!((tight.others, tight.transitions), (2, 0));
    assert!(tight.bytes.len() < limit / 4 * 3);

    let tighter = compact(&spool, (each * 3 / 2 + DROPPED_LEN) / 3 * 4 + 4);
    assert_eq!(read(&tighter.bytes).0, ["dropped 9", "t2"]);
    assert_eq!((tighter.others, tighter.transitions), (3, 1));
    assert_eq!(read(&compact(&spool, 0).bytes).0, ["dropped 10"]);
}

#[test]
fn compaction_counts_what_damage_took() {
    let mut spool = file(&[report("a", true), report("b", true)]);
    let middle = spool.len() / 4;
    spool[middle] ^= 1;
    assert_eq!(read(&compact(&spool, 1 << 20).bytes).0, ["dropped 1", "b"]);
}

prop_compose! {
    fn any_report()(
        (kind, id, event) in (any::<String>(), any::<String>(), any::<Option<String>>()),
        (agent, agent_token) in (any::<Option<String>>(), any::<Option<String>>()),
        context in any::<Option<String>>(),
        at in any::<i64>(),
        is_transition in any::<bool>(),
        body in any::<Vec<u8>>(),
    ) -> Record {
        let reported_at = UnixMs(at);
        Record::Report(Report {
            kind, event, id, reported_at, agent, agent_token, context, is_transition, body,
        })
    }
}

fn any_record() -> impl Strategy<Value = Record> {
    prop_oneof![any_report(), any::<u64>().prop_map(|count| Record::Dropped { count })]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(records in prop::collection::vec(any_record(), 0..6)) {
        let spool = file(&records);
        let read: Result<Vec<_>, _> = Decoder::new(&spool).collect();
        prop_assert_eq!(read, Ok(records));
    }

    #[test]
    fn no_bytes_make_it_panic_or_lose_its_place(
        pieces in prop::collection::vec(
            prop_oneof![any::<Vec<u8>>(), any_record().prop_map(|record| encode(&record))], 0..6),
        cut in any::<prop::sample::Index>(),
        limit in 0_usize..4096,
    ) {
        let mut spool = pieces.concat();
        if !spool.is_empty() {
            let at = cut.index(spool.len());
            spool[at] ^= 0x10;
        }
        let mut seen = 0;
        for item in Decoder::new(&spool) {
            if let Err(corrupt) = item {
                prop_assert!(corrupt.offset >= seen && corrupt.bytes > 0);
                seen = corrupt.offset + corrupt.bytes;
            }
        }
        let compacted = compact(&spool, limit);
        prop_assert!(Decoder::new(&compacted.bytes).all(|item| item.is_ok()));
    }
}

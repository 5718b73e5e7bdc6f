//! A release is linked at a fixed place: every run of a hook would else correct ten thousand
//! addresses before its first line. (Measured: a third of a hook's instructions.)

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // The system's own compiler decides by the last of these options. Whoever wants a fully
    // static program says so in RUSTFLAGS, and gets one.
    let is_static = std::env::var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|features| features.split(',').any(|feature| feature == "crt-static"));
    if is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && !is_static
    {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}

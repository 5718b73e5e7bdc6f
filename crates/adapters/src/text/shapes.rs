//! The shapes of known credentials: a prefix of the provider's own, then so many characters.

use Set::{Alnum, Dotted, Hex, Upper, Word};

/// What may follow a prefix.
#[derive(Clone, Copy)]
pub(super) enum Set {
    Alnum,
    /// Upper case letters and digits.
    Upper,
    Hex,
    /// Letters, digits, `_` and `-`.
    Word,
    /// The same and `.`, `/`, `+`, `=`.
    Dotted,
}

impl Set {
    pub(super) fn has(self, b: u8) -> bool {
        match self {
            Alnum => b.is_ascii_alphanumeric(),
            Upper => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Hex => b.is_ascii_hexdigit(),
            Word => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'),
            Dotted => Word.has(b) || matches!(b, b'.' | b'/' | b'+' | b'='),
        }
    }
}

pub(super) struct Shape {
    pub(super) prefix: &'static str,
    /// How many characters follow at least.
    pub(super) least: usize,
    pub(super) set: Set,
}

/// Prefixes on which other words end, or with which pieces of other words begin.
const SHARED: &[&str] = &["key-", "sess-", "pul-", "1//0", "csk-", "ABSK", "LTAI", "AKID", "AKCp"];

impl Shape {
    /// Whether no other word has it in its middle, behind this character.
    pub(super) fn is_own(&self, before: Option<u8>) -> bool {
        let is_long = self.prefix.len() >= 4 && !SHARED.contains(&self.prefix);
        let is_part = self.prefix.len() == 3 && self.prefix.ends_with('_') && before == Some(b'_');
        // Capitals may go on.
        let goes_on = matches!(self.set, Upper) && before.is_some_and(|b| b.is_ascii_uppercase());
        (is_long || is_part) && !goes_on
    }
}

const fn shape(prefix: &'static str, least: usize, set: Set) -> Shape {
    Shape { prefix, least, set }
}

/// The first that fits counts, so a longer prefix stands before a shorter one. A digit is asked
/// for in the first characters, which a word in kebab or snake case seldom has.
static SHAPES: &[Shape] = &[
    // Model providers.
    shape("sk-ant-", 10, Word),
    shape("sk-proj-", 16, Word),
    shape("sk-or-", 16, Word),
    shape("sk-svcacct-", 16, Word),
    shape("sk-admin-", 16, Word),
    shape("sk-lf-", 20, Word),
    shape("sk-", 20, Word),
    shape("sess-", 30, Alnum),
    shape("gsk_", 30, Alnum),
    shape("xai-", 30, Alnum),
    shape("pplx-", 30, Alnum),
    shape("fw_", 20, Alnum),
    shape("r8_", 30, Alnum),
    shape("hf_", 30, Alnum),
    shape("nvapi-", 30, Word),
    shape("tvly-", 20, Word),
    shape("lsv2_", 30, Word),
    shape("pcsk_", 30, Word),
    shape("jina_", 30, Word),
    shape("e2b_", 30, Hex),
    shape("key_", 60, Hex),
    shape("sgamp_user_", 30, Word),
    shape("csk-", 30, Alnum),
    shape("tgp_v1_", 30, Word),
    shape("fc-", 32, Hex),
    shape("crsr_", 40, Alnum),
    shape("rpa_", 30, Alnum),
    shape("wandb_v1_", 30, Word),
    shape("ABSK", 60, Dotted),
    shape("bedrock-api-key-", 30, Dotted),
    shape("AQ.", 40, Word),
    // Forges and registries.
    shape("github_pat_", 22, Word),
    shape("ghp_", 20, Alnum),
    shape("gho_", 20, Alnum),
    shape("ghu_", 20, Alnum),
    shape("ghs_", 20, Alnum),
    shape("ghr_", 20, Alnum),
    shape("glpat-", 18, Word),
    shape("gldt-", 18, Word),
    shape("glrt-", 18, Word),
    shape("glptt-", 18, Word),
    shape("glcbt-", 18, Word),
    shape("gloas-", 18, Word),
    shape("glsoat-", 18, Word),
    shape("glagent-", 18, Word),
    shape("glimt-", 18, Word),
    shape("glft-", 18, Word),
    shape("glffct-", 18, Word),
    shape("GR1348941", 18, Word),
    shape("CLOJARS_", 50, Alnum),
    shape("ATATT3", 30, Dotted),
    shape("ATCTT3", 30, Dotted),
    shape("ATBB", 28, Alnum),
    shape("npm_", 30, Alnum),
    shape("pypi-", 50, Word),
    shape("rubygems_", 30, Hex),
    shape("cio", 30, Alnum),
    shape("dckr_pat_", 20, Word),
    shape("dckr_oat_", 20, Word),
    shape("CCIPAT_", 20, Word),
    shape("sgp_", 30, Word),
    shape("bkua_", 30, Hex),
    shape("oy2", 43, Alnum),
    shape("AKCp", 60, Alnum),
    // Clouds.
    shape("AKIA", 16, Upper),
    shape("ASIA", 16, Upper),
    shape("ABIA", 16, Upper),
    shape("ACCA", 16, Upper),
    shape("AIza", 30, Word),
    shape("ya29.", 20, Dotted),
    shape("1//0", 30, Word),
    shape("GOCSPX-", 20, Word),
    shape("dop_v1_", 30, Hex),
    shape("doo_v1_", 30, Hex),
    shape("dor_v1_", 30, Hex),
    shape("FlyV1 fm", 20, Dotted),
    shape("fo1_", 30, Word),
    shape("HRKU-", 30, Word),
    shape("nfp_", 30, Alnum),
    shape("rnd_", 24, Alnum),
    shape("napi_", 40, Alnum),
    shape("vercel_blob_rw_", 20, Word),
    shape("dapi", 32, Hex),
    shape("tskey-", 20, Word),
    shape("hvs.", 20, Word),
    shape("hvb.", 20, Word),
    shape("hvr.", 20, Word),
    shape("pul-", 30, Hex),
    shape("sbp_", 30, Hex),
    shape("sb_secret_", 20, Word),
    shape("pscale_tkn_", 20, Word),
    shape("pscale_pw_", 20, Word),
    shape("dp.pt.", 30, Alnum),
    shape("dp.st.", 30, Dotted),
    shape("dp.ct.", 30, Alnum),
    shape("dp.sa.", 30, Alnum),
    shape("dp.scim.", 30, Alnum),
    shape("LTAI", 16, Alnum),
    shape("AKID", 30, Alnum),
    shape("AGE-SECRET-KEY-1", 30, Upper),
    shape("ops_eyJ", 30, Dotted),
    shape("sha256~", 40, Word),
    shape("sl.u.", 60, Word),
    // Money.
    shape("sk_live_", 16, Alnum),
    shape("sk_test_", 16, Alnum),
    shape("rk_live_", 16, Alnum),
    shape("rk_test_", 16, Alnum),
    shape("sk_", 40, Hex),
    shape("whsec_", 20, Dotted),
    shape("sq0atp-", 20, Word),
    shape("sq0csp-", 30, Word),
    shape("shpat_", 30, Hex),
    shape("shpca_", 30, Hex),
    shape("shppa_", 30, Hex),
    shape("shpss_", 30, Hex),
    // Chat, mail, trackers, telemetry.
    shape("xoxb-", 10, Word),
    shape("xoxp-", 10, Word),
    shape("xoxa-", 10, Word),
    shape("xoxr-", 10, Word),
    shape("xoxs-", 10, Word),
    shape("xoxo-", 30, Word),
    shape("xoxc-", 10, Word),
    shape("xoxd-", 10, Dotted),
    shape("xoxe-", 10, Word),
    shape("xoxe.", 10, Dotted),
    shape("xapp-", 10, Word),
    shape("SG.", 50, Dotted),
    shape("key-", 32, Hex),
    shape("lin_api_", 30, Alnum),
    shape("lin_oauth_", 30, Alnum),
    shape("ntn_", 30, Alnum),
    shape("secret_", 30, Alnum),
    shape("figd_", 30, Word),
    shape("PMAK-", 30, Word),
    shape("NRAK-", 20, Upper),
    shape("glsa_", 30, Word),
    shape("glc_", 30, Dotted),
    shape("mfa.", 50, Word),
    shape("sntrys_", 30, Dotted),
    shape("sntryu_", 30, Hex),
    shape("phx_", 30, Alnum),
    shape("dt0c01.", 30, Dotted),
    shape("pat-na1-", 30, Word),
    shape("pat-eu1-", 30, Word),
    shape("CFPAT-", 40, Word),
    shape("SK", 32, Hex),
];

/// For each shape the next one with the same first character, and for each character its first
/// shape: a text is full of places where a key might begin.
struct Chains {
    heads: [usize; 256],
    next: [usize; SHAPES.len()],
}

static CHAINS: Chains = {
    let mut heads = [usize::MAX; 256];
    let mut next = [usize::MAX; SHAPES.len()];
    let mut at = SHAPES.len();
    while at > 0 {
        at -= 1;
        let first = SHAPES[at].prefix.as_bytes()[0] as usize;
        next[at] = heads[first];
        heads[first] = at;
    }
    Chains { heads, next }
};

/// Where a beginning of three characters stands among the [`BEGINNINGS`].
const fn place(first: u8, second: u8, third: u8) -> usize {
    (first as usize & 31) << 10 | (second as usize & 31) << 5 | (third as usize & 31)
}

/// The first three characters of all prefixes, a bit for those that share their last five bits each.
static BEGINNINGS: [u64; 512] = {
    let mut all = [0_u64; 512];
    let mut at = 0;
    while at < SHAPES.len() {
        let prefix = SHAPES[at].prefix.as_bytes();
        // Anything may be the third character behind a prefix of two.
        let mut third = 0;
        while third < 32 {
            if prefix.len() == 2 || prefix[2] & 31 == third {
                let place = place(prefix[0], prefix[1], third);
                all[place / 64] |= 1_u64 << (place % 64);
            }
            third += 1;
        }
        at += 1;
    }
    // A JSON web token.
    let place = place(b'e', b'y', b'J');
    all[place / 64] |= 1_u64 << (place % 64);
    all
};

/// Whether a prefix, or a JSON web token, may begin with these.
pub(super) fn may_begin(first: u8, second: u8, third: u8) -> bool {
    let place = place(first, second, third);
    BEGINNINGS[place / 64] & (1_u64 << (place % 64)) != 0
}

/// The shapes whose prefix begins with `first`, in their order.
pub(super) fn beginning_with(first: u8) -> impl Iterator<Item = &'static Shape> {
    let link = |at: usize| (at != usize::MAX).then_some(at);
    let all = std::iter::successors(link(CHAINS.heads[usize::from(first)]), move |at| {
        link(CHAINS.next[*at])
    });
    all.map(|at| &SHAPES[at])
}

/// Addresses of which the rest is the secret.
pub(super) const ADDRESSES: &[&str] = &[
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
    "hooks.zapier.com/hooks/catch/",
    "webhook.office.com/webhookb2/",
    "outlook.office.com/webhook/",
    "open.feishu.cn/open-apis/bot/v2/hook/",
    "open.larksuite.com/open-apis/bot/v2/hook/",
    "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "discord.com/api/v6/webhooks/",
    "discord.com/api/v7/webhooks/",
    "discord.com/api/v8/webhooks/",
    "discord.com/api/v9/webhooks/",
    "discord.com/api/v10/webhooks/",
    "api.telegram.org/bot",
];

/// Whether one of the [`ADDRESSES`] may begin with this: every word of a text is asked.
pub(super) fn may_be_address(first: u8) -> bool {
    matches!(first | 0x20, b'a' | b'd' | b'h' | b'o' | b'q' | b'w')
}

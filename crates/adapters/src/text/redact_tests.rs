//! Keys are put together at run time: no file here holds one, not even a made-up one.

use super::*;

/// Characters to fill a key with.
fn fill(alphabet: &str, len: usize) -> String {
    alphabet.chars().cycle().take(len).collect()
}

const MIXED: &str = "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ";
const HEX: &str = "0a1b2c3d4e5f6789";
const UPPER: &str = "A1B2C3D4E5F6G7H8";

/// Every prefix, the alphabet of what follows, and the length that the provider uses.
const KEYS: &[(&str, &str, usize)] = &[
    ("sk-ant-api03-", MIXED, 95),
    ("sk-ant-oat01-", MIXED, 95),
    ("sk-proj-", MIXED, 120),
    ("sk-or-v1-", HEX, 64),
    ("sk-svcacct-", MIXED, 60),
    ("sk-", MIXED, 48),
    ("gsk_", MIXED, 52),
    ("xai-", MIXED, 80),
    ("pplx-", MIXED, 48),
    ("r8_", MIXED, 37),
    ("hf_", MIXED, 34),
    ("nvapi-", MIXED, 64),
    ("tvly-", MIXED, 32),
    ("lsv2_pt_", MIXED, 42),
    ("github_pat_", MIXED, 82),
    ("ghp_", MIXED, 36),
    ("gho_", MIXED, 36),
    ("ghu_", MIXED, 36),
    ("ghs_", MIXED, 36),
    ("ghr_", MIXED, 36),
    ("glpat-", MIXED, 20),
    ("glrt-", MIXED, 20),
    ("ATATT3x", MIXED, 180),
    ("npm_", MIXED, 36),
    ("pypi-AgEIcHlwaS5vcmc", MIXED, 150),
    ("rubygems_", HEX, 48),
    ("dckr_pat_", MIXED, 27),
    ("AKIA", UPPER, 16),
    ("ASIA", UPPER, 16),
    ("AIza", MIXED, 35),
    ("ya29.", MIXED, 60),
    ("GOCSPX-", MIXED, 28),
    ("dop_v1_", HEX, 64),
    ("dapi", HEX, 32),
    ("tskey-auth-", MIXED, 40),
    ("hvs.", MIXED, 90),
    ("pul-", HEX, 40),
    ("sbp_", HEX, 40),
    ("pscale_tkn_", MIXED, 43),
    ("dp.pt.", MIXED, 43),
    ("AGE-SECRET-KEY-1", UPPER, 58),
    ("sk_live_", MIXED, 24),
    ("rk_live_", MIXED, 24),
    ("whsec_", MIXED, 32),
    ("sq0atp-", MIXED, 22),
    ("shpat_", HEX, 32),
    ("xoxb-", MIXED, 50),
    ("xoxp-", MIXED, 70),
    ("xapp-1-", MIXED, 60),
    ("SG.", MIXED, 66),
    ("key-", HEX, 32),
    ("lin_api_", MIXED, 40),
    ("ntn_", MIXED, 46),
    ("figd_", MIXED, 40),
    ("PMAK-", MIXED, 59),
    ("NRAK-", UPPER, 27),
    ("glsa_", MIXED, 41),
    ("mfa.", MIXED, 84),
    ("sntrys_", MIXED, 60),
    ("SK", HEX, 32),
    ("AKCp", MIXED, 69),
    ("sha256~", MIXED, 43),
    ("sl.u.", MIXED, 130),
];

#[test]
fn every_known_shape_is_redacted_wherever_it_stands() {
    for (prefix, alphabet, len) in KEYS {
        let key = format!("{prefix}{}", fill(alphabet, *len));
        let places = [
            key.clone(),
            format!("curl -H {key} x"),
            format!("use '{key}', please"),
            format!("export X={key}\necho"),
            format!(r#"{{"content":"a\n{key}\nb"}}"#),
            format!("https://x.example/?q={key}&r=1"),
            format!("({key})"),
            format!("é{key}é"),
        ];
        for place in &places {
            let clean = redact(place);
            assert!(clean.contains(REDACTED), "{place} -> {clean}");
            assert!(!clean.contains(&key[prefix.len()..]), "{place} -> {clean}");
            let (before, after) = place.split_once(&key).unwrap();
            assert!(clean.starts_with(before) && clean.ends_with(after), "{place} -> {clean}");
        }
    }
}

/// Keys that are known by where they stand, `@` for the secret.
const PLACES: &[&str] = &[
    "API_KEY=@",
    "export OPENAI_API_KEY=@",
    "AWS_SECRET_ACCESS_KEY=@ aws s3 ls",
    "aws_secret_access_key = @",
    "DB_PASSWORD=@",
    "DB_PASS='@'",
    "PGPASSWORD=@ psql",
    "password: @",
    "\"password\": \"@\"",
    "{\\\"password\\\":\\\"@\\\"}",
    "client_secret=@&grant_type=x",
    "\"clientSecret\":\"@\"",
    "--password @",
    "--token=@",
    "--api-key \"@\"",
    "?access_token=@&x=1",
    "//registry.example/:_authToken=@",
    "X-Api-Key: @",
    "SECRET_KEY_BASE=@",
    "secretKey = '@'",
    "AccountKey=@;EndpointSuffix=x",
    "jwt_signing_key: '@'",
    "-H 'Authorization: Bearer @'",
    "-H \"Authorization: Basic @\"",
    "Authorization: token @",
    "Authorization: @",
    "authorization: Bearer @",
    "bearer @",
    "Cookie: session=@; theme=dark",
    "postgres://app:@@db.example/app",
    "https://user:@@host.example/",
    "redis://:@@cache:6379",
    "https://hooks.slack.com/services/@",
    "https://discord.com/api/webhooks/@",
    "?sig=@&se=2026",
    "password => '@'",
    "token := \"@\"",
    "GITHUB_TOKEN=@",
    "a\\nMY_TOKEN=@",
    "MY_PAT=@",
    "curl -u ada:@ https://host.example",
    "curl -sSLu ada:@ https://host.example",
    "curl -uada:@ https://host.example",
    "curl --user 'ada:@' https://host.example",
    "curl --user=ada:@ https://host.example",
    "curl -u ada:'@' https://host.example",
    "curl -H 'Accept: text/html; q=1' \\\n  -d \"{\\\"a\\\": 1}\" -u ada:@",
    "mysql -uroot -p@ shop",
    "mysqldump -h db -p'@' shop | gzip",
    "docker exec db mariadb -p@ -e 'show tables'",
    "sshpass -p @ ssh ada@host.example",
    "sshpass -v -p'@' ssh ada@host.example",
    "machine host.example login ada password @",
    "machine host.example\n  login ada\n  password @\n",
    "ALTER ROLE ada WITH PASSWORD '@'",
    "create user ada identified by '@'",
    "CREATE USER ada IDENTIFIED WITH caching_sha2_password BY '@'",
    "https://discord.com/api/v10/webhooks/@",
    "--password $'@'",
    "--password=$'@'",
    "sshpass -p $'@' ssh h",
    "PASSWORD=N'@'",
    "mysql -p\\\\\\\"@\\\\\\\"",
    "[\"curl\",\"-u\",\"a:@\"]",
    "[\"mysql\", \"-p@\"]",
    "[\\\"tool\\\",\\\"--api-key\\\",\\\"@\\\"]",
    "machine h\\nlogin a\\npassword @",
    "machine h password @ login me",
    "machine h login a account x password @",
    "bash -c 'tool --password '\\''@'\\'''",
    "bash -c 'curl -u '\\''a:@'\\'''",
    "bash -c 'mysql -p'\\''@'\\'''",
    "{\\\\\\\"password\\\\\\\":\\\\\\\"@\\\\\\\"}",
    "tool --password '$@'",
    "tool --password '(@'",
    "https://u:%21@@h/",
    "SET PASSWORD FOR b = '@'",
    "SET PASSWORD = PASSWORD('@')",
    "ALTER ROLE b PASSWORD $$@$$",
    "sshpass -P prompt -p @ ssh h",
    "SSHPASS=@ sshpass -e ssh h",
    "mysql \"-p@\" shop",
    "mysqlimport -p@ shop",
    "curl --user \"a\":\"@\" x",
    "curl --pass @ x",
    "curl x 2>&1 -u a:@",
    "https:\\/\\/Discord.com\\/api\\/webhooks\\/1\\/@",
    "docker login -u a -p @ host",
    "redis-cli -a @ ping",
    "openssl rsa -passin pass:@ -in x",
    "ldapsearch -w @ x",
    "zip -P @ a.zip a",
    "7z a -p@ a.7z",
    "tool --password \\\n  @",
    "ALTER ROLE b PASSWORD $x$@$x$",
    "ALTER ROLE b PASSWORD $a_1$x$y$@$a_1$",
    "ALTER ROLE b PASSWORD $$a$@$$",
    "psql -c \"ALTER ROLE b PASSWORD \\$\\$@\\$\\$\"",
    "{\"c\":\"psql -c \\\"ALTER ROLE b PASSWORD \\\\$x\\\\$@\\\\$x\\\\$\\\"\"}",
    "python3 -c 'run(['\\''tool'\\'', '\\''--password'\\'', '\\''@'\\''])'",
    "python3 -c 'run(['\\''mysql'\\'', '\\''-p@'\\''])'",
    "python3 -c 'd = {'\\''password'\\'': '\\''@'\\''}'",
    "bash -c 'exec '\\''curl'\\'' '\\''-u'\\'' '\\''a:@'\\'' x'",
    "tool '--password' '@'",
    "tool \"--password\" \"@\"",
    "tool --password 'a'\\''!@'",
    "{\"c\":\"tool --password 'a'\\\\''!@'\"}",
    "Bash: redis-cli -a @ ping",
    "Bash: mysql -p@ shop",
    "run_shell: sudo /usr/bin/mysql -p@ shop",
    "{\"auths\":{\"r.example\":{\"auth\":\"@\"}}}",
    "{\\\"auths\\\":{\\\"r.example\\\":{\\\"auth\\\":\\\"@\\\"}}}",
    "//registry.example/:_auth=@",
    "api-key: >-\n  @",
    "api-key: >- @",
    "password: |\n  @\nuser: ada",
    "{\"y\":\"password: |2-\\n  @\"}",
    "my passphrase is \"@\", keep it",
    "the password is '@'",
    "Passwort: @",
];

#[test]
fn a_secret_is_redacted_by_its_name_or_place() {
    let secret = fill(MIXED, 32);
    for place in PLACES {
        let text = place.replacen('@', &secret, 1);
        let clean = redact(&text);
        assert!(!clean.contains(&secret), "{text} -> {clean}");
        assert!(clean.contains(REDACTED), "{text} -> {clean}");
        let (before, _) = text.split_once(&secret).unwrap();
        let name: String = before.chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(clean.starts_with(&name), "{text} -> {clean}");
        assert_eq!(redact(&clean), clean, "{text}");
    }
}

#[test]
fn the_word_behind_a_long_option_is_a_secret_whatever_it_is() {
    for option in [
        "--api-key",
        "--apiKey",
        "--gemini-key",
        "--auth-token",
        "--client-secret",
        "--db-password",
        "--passwd",
        "--passphrase",
        "--credential",
    ] {
        for (before, after) in [("", ""), ("'", "'"), ("\"", "\"")] {
            let text = format!("tool {option} {before}swordfish{after} -v");
            let clean = format!("tool {option} {before}{REDACTED}{after} -v");
            assert_eq!(redact(&text), clean);
            assert_eq!(redact(&clean), clean);
        }
    }
    assert_eq!(redact("tool --password abc"), format!("tool --password {REDACTED}"));
}

#[test]
fn only_the_password_behind_a_command_is_cut() {
    for (text, clean) in [
        ("curl -u ada:pw x", "curl -u ada:@ x"),
        ("curl 'a|b' --user ada:pw", "curl 'a|b' --user ada:@"),
        ("mysql -u root -ppw shop", "mysql -u root -p@ shop"),
        ("sshpass -p pw ssh -p 22 host", "sshpass -p @ ssh -p 22 host"),
        ("machine h login l password pw", "machine h login l password @"),
        ("ALTER USER a PASSWORD 'pw';", "ALTER USER a PASSWORD '@';"),
        ("a IDENTIFIED BY \"pw\" b", "a IDENTIFIED BY \"@\" b"),
        ("--password \"a\\\"pw\" b", "--password \"@\" b"),
        ("--password 'a\\'pw' b", "--password '@' b"),
        ("PASSWORD='a'pw b", "PASSWORD=@ b"),
        ("PASSWORD=a\\ pw b", "PASSWORD=@ b"),
        ("PASSWORD $$a$b$$ c", "PASSWORD $$@$$ c"),
        ("PASSWORD $t$pw$t$;", "PASSWORD $t$@$t$;"),
        ("--password 'it'\\'' s' b", "--password @ b"),
        ("tool '--password' 'pw' b", "tool '--password' '@' b"),
    ] {
        assert_eq!(redact(text), clean.replace('@', REDACTED));
    }
    // A name may be the key.
    let text = format!("curl -u {}{}:x-oauth-basic x", "ghp_", "a1B2".repeat(9));
    assert_eq!(redact(&text), format!("curl -u {REDACTED} x"));
}

#[test]
fn short_passwords_are_secrets_too() {
    for text in [
        "PASSWORD=x1",
        "DB_PASS=1234",
        "password=swordfish",
        "password: swordfish",
        "password = 'open sesame'",
        "mysql --password hunter2",
        "secret: \"abc\"",
        "postgres://app:pw@db",
    ] {
        assert!(redact(text).contains(REDACTED), "{text}");
    }
}

#[test]
fn private_keys_go_whole_and_certificates_stay() {
    let body = fill(MIXED, 400);
    for kind in ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""] {
        let (begin, end) = ("-----BEGIN", "-----END");
        let pem = format!("{begin} {kind}PRIVATE KEY-----\n{body}\n{end} {kind}PRIVATE KEY-----");
        assert_eq!(redact(&format!("a {pem} b")), format!("a {REDACTED} b"));
        assert_eq!(redact(&format!("a {}", &pem[..200])), format!("a {REDACTED}"));
        let quoted = pem.replace('\n', "\\n");
        assert_eq!(redact(&format!("{{\"k\":\"{quoted}\"}}")), format!("{{\"k\":\"{REDACTED}\"}}"));
        let public = pem.replace("PRIVATE", "PUBLIC");
        assert_eq!(redact(&public), public);
    }
}

#[test]
fn web_tokens_and_bot_tokens_are_redacted() {
    let part = fill(MIXED, 40);
    let token = format!("eyJ{part}.eyJ{part}.{part}");
    assert_eq!(redact(&format!("a {token} b")), format!("a {REDACTED} b"));
    for before in ["", "bot"] {
        let bot = format!("{before}123456789:AA{}", fill(MIXED, 33));
        assert_eq!(redact(&format!("a {bot} b")), format!("a {REDACTED} b"));
        let address = format!("https://proxy.example/{bot}/getMe");
        assert_eq!(redact(&address), format!("https://proxy.example/{REDACTED}/getMe"));
    }
    for (number, signature) in [(24, 27), (26, 38), (28, 38)] {
        let bot = format!("{}.GabCdE.{}", fill(MIXED, number), fill(MIXED, signature));
        assert_eq!(redact(&format!("a {bot} b")), format!("a {REDACTED} b"));
    }
}

#[test]
fn look_alikes_stay() {
    for text in [
        "task-management-system-for-developers-2026",
        "pip install sk-learn",
        "sk-toggleable-content-wrapper-style",
        "from huggingface_hub import hf_hub_download",
        "npm_config_registry npm_lifecycle_event",
        "git show 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432",
        "86c3ffa8-aff0-4b4f-a8d1-2dd82a5928ab",
        "sha256:0a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d4e5f6789",
        "ghp_ is the prefix of a token",
        "AKIA is a prefix, AIzaSy too",
        "xoxo-hugs and kisses",
        "max_tokens=4096",
        "max_tokens: 4096, token_count: 1200",
        "token: string",
        "password: null",
        "password: String,",
        "const token = getToken();",
        "token = self.token",
        "let password = config.database.password;",
        "API_KEY=$API_KEY",
        "API_KEY=\"${API_KEY}\"",
        "password=\"$(pass show db)\"",
        "Authorization: Bearer $TOKEN",
        "api_key=<your key>",
        "password=********",
        "if token == expected",
        "The token is expired. The secret is out.",
        "bearer authentication is used",
        "a basic understanding of it",
        "primary_key: id",
        "cache_key=users-12",
        "sort_key = 'created_at'",
        "public_key=abc123def456",
        "keyboard: qwerty1234",
        "tokenizer: bpe-50k",
        "compass: north1234",
        "PWD=/home/dev/api OLDPWD=/home/dev",
        "fix the cookie: the banner shows twice",
        "https://example.com/a:b/c@d",
        "ssh://git@github.com/x/y.git",
        "http://localhost:3000/@scope/pkg",
        "postgres://app:$DB_PASSWORD@db/app",
        "docker run -u 1000:1000 image",
        "signature: verified by 2 people",
        "SKIP all SKILLS",
        "key-value store, key-by-key",
        "SG.module.name",
        "eyJust a word",
        "passed: 12, failed: 3",
        "cargo test --token-bucket rate-limiter",
        "git commit -m 'Rotate the API key: see runbook'",
        "C:\\new\\token\\readme.txt",
        "the password is wrong",
        "PASSWORD is a keyword, password 'required'",
        "your login is password protected",
        "the user is identified by the id",
        "the --token option is required, --api-key is not",
        "sort --key 2 --sort-key created_at --primary-key id",
        "ssh-add --private-key ~/.ssh/work",
        "curl --key client.pem --user ada x",
        "curl -u $NAME:$PASSWORD x",
        "curl -u \"ada:${PASSWORD}\" x",
        "curl x | docker run -u 1000:1000 image",
        "curl x; chown -u ada:staff y",
        "ssh -p 22 host",
        "docker run -p 8080:80 image",
        "docker run --name mysql -p3306:3306 image",
        "mkdir -p /a/b",
        "mysql db; mkdir -p/a/b",
        "mysql -p shop",
        "mysql -p$PASSWORD shop",
        "sshpass -p \"$PASSWORD\" ssh -p22 host",
        "tar -u x:y",
        "find ./mysql -print0",
        "grep -r mysql -prn",
        "cargo add mysql -pmycrate",
        "npm i mysql -prod",
        "docker build -t mysql -progress",
        "docker build --secret id=npm,src=.npmrc",
        "tool --client-key certs/client.key",
        "tool --issue-key PROJ-123 --eos-token end-of-text",
        "use --token instead of --api-key with care",
        "use --password to set it, --password when asked, --api-key without a file",
        "PASSWORD $$ and $PATH, PASSWORD $1 $2",
        "psql -c \"ALTER ROLE b PASSWORD \\$\\$${PW}\\$\\$\"",
        "tool --token `cat f`",
        "input(\"Password: \")",
        "to do: use redis-cli -a twice",
        "note: cargo add mysql -pmycrate",
        "\"auth\": \"basic\"",
        "auth = 'SomeAuthProvider'",
        "auth: OAuth2Provider1",
        "{\"auth\":\"https://id.example/a\"}",
        "the password is \"weak\", the token is \"expired\"",
        "the secret is 'tis nobler",
        "password: > see below",
        "| token: | text |",
        "bot12345:AAA and bots",
        "tests.some_long_module_name_here.models.another_long_name_of_a_test",
        "日本語のテキスト: パスワード",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn the_work_grows_with_the_text_and_no_faster() {
    let pieces = [
        "token=$",
        "token=a(",
        "sk-",
        "sk-1",
        "eyJ-",
        "://",
        "a:b@",
        "-----BEGIN ",
        "bearer ",
        "bearer a1",
        "\\n",
        "password: \"",
        "x.token.",
        "123456789:AA",
        "token=",
        "'",
        "A_",
        "-----BEGIN PRIVATE KEY-----",
        "hooks.slack.com/services/",
        "authorization: a",
        "é",
        "curl -u a:b",
        " -u a:b",
        "mysql -pa ",
        " -pa",
        "sshpass ",
        "machine a login b password ",
        "identified by '",
        "--key ",
        " -p\\\"",
        "mysql -p'\\''",
        "PASSWORD='a'b",
        "\",\"-u\",\"",
        "PASSWORD $x$",
        "password $",
        "'\\''--password'\\'' ",
        "PASSWORD='a'\\''",
        "Bash: mysql -pa ",
        "bot123456789:AA",
        "\"auth\":\"",
        "password: >-\n",
        "password is '",
    ];
    for piece in pieces {
        let text = piece.repeat(100_000 / piece.len());
        let clean = redact(&text);
        assert!(clean.len() <= text.len() * 4, "{piece}");
    }
}

//! Credentials behind escapes, in the middle of words, and as bare words of commands.

use super::*;

const WORD: &str = "Kq83hdkWm29sLq77";

fn key(prefix: &str, len: usize) -> String {
    let tail: String = "a1B2c3D4e5F6g7H8i9J0".chars().cycle().take(len).collect();
    format!("{prefix}{tail}")
}

#[test]
fn a_key_is_found_behind_escapes_and_in_words() {
    for key in [key("ghp_", 36), key("sk-ant-api03-", 95), key("github_pat_", 82), key("npm_", 36)]
    {
        for before in [
            "curl https://x/cb?t%3D",
            "curl https://x/cb?t%253D",
            "{\"u\":\"x?t\\u003d",
            "x?t\\x3d",
            "a&#61;",
            "a&quot;",
            "\u{1b}[32m",
            "\\u001b[1;32m",
            "\\033[m",
            "my_",
            "1",
            "KEY_",
            "x",
        ] {
            let clean = redact(&format!("{before}{key} b")).into_owned();
            assert_eq!(clean, format!("{before}{REDACTED} b"));
        }
    }
    for key in [key("AKIA", 0) + "A1B2C3D4E5F6G7H8", key("SG.", 66), key("hf_", 34)] {
        for before in ["t%3D", "t\\u003d", "&#61;", "\u{1b}[0m"] {
            assert_eq!(redact(&format!("{before}{key} b")), format!("{before}{REDACTED} b"));
        }
    }
    let token = format!("{}.{}.{}", key("eyJ", 40), key("eyJ", 40), key("", 40));
    assert_eq!(redact(&format!("x{token} b")), format!("x{REDACTED} b"));
}

#[test]
fn a_name_tells_a_secret_behind_escapes_too() {
    for place in [
        "GET /cb?a=1%26access_token%3D@",
        "GET /cb%3Faccess_token%3D@%26b",
        "GET /cb?a=1\\u0026access_token\\u003d@\\u0026b",
        "{\\u0022password\\u0022:\\u0022@\\u0022}",
        "&quot;api_key&quot;: &quot;@&quot;",
        "&amp;quot;api_key&amp;quot;: &amp;quot;@&amp;quot;",
        "&#34;password&#34;:&#x22;@&#x22;",
        "https://bob%3A@%40host/x",
        "https%3A%2F%2Fbob%3A@%40host%2Fx",
        "\u{1b}[33mpassword\u{1b}[0m=\u{1b}[32m@\u{1b}[0m",
    ] {
        let text = place.replace('@', WORD);
        let clean = redact(&text).into_owned();
        assert_eq!(clean, place.replace('@', REDACTED), "{text}");
        assert_eq!(redact(&clean), clean);
    }
}

#[test]
fn bare_words_of_known_commands_are_secrets() {
    for place in [
        "aws configure set aws_secret_access_key @",
        "npm config set //r.example/:_authToken @",
        "vault login @",
        "gh secret set X --body @",
        "gh secret set X -b '@'",
        "az login -u b -p @",
        "kubectl create secret generic db --from-literal=pw=@ -n x",
        "kubectl create secret generic db \"--from-literal\" \"pw=@\"",
        "[\"kubectl\",\"create\",\"secret\",\"generic\",\"db\",\"--from-literal=pw=@\"]",
        "{\"command\":\"oc create secret generic db \\\\\\n --from-literal=pw=@\"}",
        "sudo k3s kubectl create secret generic db --from-literal a=@",
        "OPENAI_KEY=@ tool",
        "openssl enc -aes-256-cbc -pass pass:@ -in a",
        "openssl enc -aes-256-cbc -k @ -in a",
        "mongosh -u bob -p '@'",
        "twine upload -u __token__ -p @ dist/a",
        "ssh-keygen -t ed25519 -N '@' -f k",
        "keytool -list -storepass @",
        "docker login -u bob -p'@'",
        "az keyvault secret set --vault-name v -n x --value @",
        "aws secretsmanager put-secret-value --secret-id x --secret-string '@'",
        "cargo login @",
        "Vault login @",
        "docker login -u helm -p @ host",
        "podman login -u docker -p @ quay.io",
        "docker login r.example/oc -u ci -p @",
        "tailscale up --authkey @",
        "$password = ConvertTo-SecureString \"@\" -AsPlainText -Force",
        "ConvertTo-SecureString -String '@' -AsPlainText",
        "https://hooks.slack.com/triggers/@",
        "https://x.webhook.office.com/webhookb2/@",
        "PASS=@ tool",
        "aws secretsmanager create-secret --secret-string '@'",
        "aws secretsmanager update-secret --secret-id x --secret-string @",
        "aws secretsmanager update-secret --secret-id x --secret-string=@",
        "aws ssm put-parameter --name x --type SecureString --value=@",
        "ConvertTo-SecureString -AsPlainText \"@\" -Force",
        "ConvertTo-SecureString -AsPlainText -Force -String \"@\"",
        "openssl aes-256-cbc -k @ -in a",
        "podman login -u bob -p@ host",
        "skopeo login -u bob -p'@' host",
        "mongosh -u bob -p@",
        "cqlsh -u bob -p@ host",
        "unzip -P@ a.zip",
        "keytool -importkeystore -srcstorepass @ -deststorepass x",
        "jarsigner -keypass @ a.jar",
    ] {
        let text = place.replace('@', WORD);
        assert_eq!(redact(&text), place.replace('@', REDACTED));
    }
    let clean = redact("kubectl create secret generic db --from-literal='pw=two words'");
    assert_eq!(clean, format!("kubectl create secret generic db --from-literal='pw={REDACTED}'"));
}

#[test]
fn a_password_beside_an_accounts_name_is_a_secret() {
    for place in [
        "htpasswd -b .htpasswd bob @",
        "htpasswd -bnBC 10 \"\" @ | tr -d ':'",
        "sudo htpasswd -B -b -c f bob '@'; ls",
        "[\"htpasswd\",\"-nb\",\"bob\",\"@\"]",
        "echo \"bob:@\" | chpasswd",
        "echo root:@|sudo chpasswd",
        "{\"command\":\"echo \\\"bob:@\\\" | chpasswd -e\"}",
        "chpasswd <<< 'bob:@'",
        "chpasswd -e <<EOF\nbob:@\nEOF",
        "{\"command\":\"chpasswd <<'EOF'\\nbob:@\\nEOF\"}",
        "localhost:5432:db:bob:@",
        "*:*:*:postgres:@",
        "echo \"db.example:6432:*:bob:@\" > ~/.pgpass",
        "{\"content\":\"a\\ndb-1:5432:db:bob:@\\nb\"}",
    ] {
        let text = place.replace('@', WORD);
        assert_eq!(redact(&text), place.replace('@', REDACTED), "{text}");
    }
}

#[test]
fn a_short_password_of_an_archive_is_no_port() {
    assert_eq!(redact("7z a -p4711 a.7z"), "7z a -p[redacted] a.7z");
    assert_eq!(redact("unrar x -p12345 a.rar"), "unrar x -p[redacted] a.rar");
    let comma = redact("{\"password\": \",Kq83hdkWm29\"}").into_owned();
    assert_eq!(comma, "{\"password\": \"[redacted]\"}");
}

#[test]
fn a_key_in_the_place_of_a_name_is_one() {
    let key = WORD.repeat(2);
    let clean = redact(&format!("https://{key}:x-oauth-basic@host/a")).into_owned();
    assert_eq!(clean, format!("https://{REDACTED}@host/a"));
    for password in ["", "$X"] {
        let clean = redact(&format!("https://{key}:{password}@host/a")).into_owned();
        assert_eq!(clean, format!("https://{REDACTED}:{password}@host/a"));
        assert_eq!(redact(&clean), clean);
    }
    let cookies = ["Cookie: a=b; sid=Kq83hdkW", "Cookie: lang; sid=Kq83hdkW"];
    for header in [cookies[0], cookies[1], "Authorization: SSWS Kq83hdkW"] {
        let name = header.split(' ').next().unwrap();
        assert_eq!(redact(header), format!("{name} {REDACTED}"));
    }
}

#[test]
fn a_token_is_known_by_what_stands_in_its_middle() {
    let hex = "0a1b2c3d4e5f6789".repeat(4);
    for token in
        [format!("{}.atlasv1.{}", key("", 14), key("", 67)), format!("{}.{hex}", key("pat", 14))]
    {
        let text = format!("use '{token}', please");
        assert_eq!(redact(&text), format!("use '{REDACTED}', please"));
    }
}

#[test]
fn what_only_looks_so_stays() {
    for text in [
        "task-proj-plan-of-the-year-2026",
        "risk-admin-guide-for-teams-2026",
        "task_test_20261127143000",
        "monkey-0a1b2c3d4e5f67890a1b2c3d4e5f6789",
        "cache_key-0a1b2c3d4e5f67890a1b2c3d4e5f6789",
        "https://x/a%20b%3Fq%3Da%26c",
        "{\\u0022name\\u0022:\\u0022ada\\u0022}",
        "a &amp; b &lt;c&gt; &quot;d&quot;",
        "\u{1b}[32mok\u{1b}[0m 12 passed",
        "PASS=12 FAIL=3",
        "PASS: 12 of 15",
        "CACHE_KEY=users-12",
        "SSH_KEY=~/.ssh/id_ed25519",
        "git config set user.name ada",
        "the config set a token in 2026",
        "vault login page",
        "vault login -method=userpass1",
        "kubectl create configmap x --from-literal=a=b1",
        "kubectl create secret generic x --from-literal=a=$PW",
        "kubectl --from-literal is read there",
        "htpasswd -c .htpasswd bob",
        "htpasswd -b f bob \"$PW\"",
        "echo bob:$PW | chpasswd",
        "echo 12:30 && chpasswd",
        "echo a:b | cat",
        "src/main.rs:1204:5:error:E0308",
        "x.rs:12:a:b:c1",
        "app:8080:a:b:c:d1",
        "log:2026:11:28:06",
        "pattern.0a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d4e5f6789",
        "az group list -p 1",
        "mongosh -u bob -p --port 1",
        "mongodump --db x1",
        "openssl enc -aes-256-cbc -kfile f1",
        "cookie: set SameSite=Lax",
        "fc-list fonts, sk_buff of 2026, csk-1",
        "disk_0a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d",
        "pfc-0a1b2c3d4e5f67890a1b2c3d4e5f6789",
        "docker run -d --name mongo -h db -p 27017 mongo:7",
        "mongosh -h db -u ada -p 27017",
        "mongosh -p27017",
        "unrar x -p- a.rar",
        "aws secretsmanager create-secret --secret-string file://creds1.json",
        "aws ssm put-parameter --type SecureString --value file://p.txt",
        "cookie: lang; SameSite=Lax",
        "https://ada:@host/a",
        "password: wrong, token: rejected",
        "C:\\users\\x64\\token",
        "100% of it, 5%",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn escapes_cost_no_more_than_their_length() {
    for piece in
        ["%25", "%", "%3D", "\\", "\\u003d", "&amp;", "&#", "\u{1b}[", "eyJ.", "ghp_", "xghp_a1"]
    {
        let text = piece.repeat(100_000 / piece.len());
        assert!(redact(&text).len() <= text.len() * 4, "{piece}");
    }
}

#[test]
fn keys_of_agents_and_hosts_are_known_by_their_prefix() {
    let hex: String = "0a1b2c3d4e5f6789".chars().cycle().take(64).collect();
    for key in [
        format!("key_{hex}"),
        format!("sgamp_user_{}_{hex}", key("", 26)),
        format!("bkua_{}", &hex[..40]),
        format!("oy2{}", key("", 43).to_ascii_lowercase()),
        key("rnd_", 28),
        key("napi_", 64),
        key("vercel_blob_rw_", 40),
        key("phx_", 43),
        key("csk-", 48),
        key("tgp_v1_", 43),
        key("ABSK", 100),
        key("bedrock-api-key-", 60),
        key("AQ.", 48),
        key("glagent-", 50),
        key("dp.ct.", 40),
        key("LTAI", 20),
        format!("fc-{}", &hex[..32]),
        format!("sk_{}", &hex[..48]),
        format!("crsr_{hex}"),
    ] {
        assert_eq!(redact(&format!("use {key} now")), format!("use {REDACTED} now"));
    }
    for text in ["key_0", "key_events_of_2026", "rnd_seed_42", "phx_new", "napi_module_1"] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn an_element_whose_name_is_a_secret_is_emptied() {
    for (before, after) in [
        ("<user>ada</user><password>", "</password>"),
        ("{\"content\":\"<server>\\n  <db.password>", "</db.password>\\n\"}"),
        ("<apiKey>", "</apiKey><port>1</port>"),
    ] {
        for word in [WORD, "Kq83&amp;hd km29"] {
            let word = if before.contains("apiKey") { WORD } else { word };
            let clean = redact(&format!("{before}{word}{after}")).into_owned();
            assert_eq!(clean, format!("{before}{REDACTED}{after}"));
        }
    }
    for text in [
        "tool --password <password> <file>",
        "<password></password>",
        "<password>${env.PW}</password>",
        "<token> or <token>",
        "a password>b",
        "<password>",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_password_that_is_joined_to_a_name_is_cut_and_a_name_alone_stays() {
    for place in [
        "smbclient -U ada%@ //host/share",
        "smbclient -L host -Uada%@",
        "smbclient --user=ada%@ //host/share",
        "rpcclient -U 'shop/ada%@' host",
        "Bash: sudo winexe -U \"ada%@\" //host cmd",
        "smbclient --user ada%@ //host/share",
        "smbclient -U CORP\\\\ada%@ //host/share",
        "smbclient -U CORP\\nora%@ //host/share",
        "lftp -u ada,@ ftp.example",
        "lftp --user ada,@ ftp.example",
    ] {
        let clean = redact(&place.replace('@', WORD)).into_owned();
        assert_eq!(clean, place.replace('@', REDACTED));
    }
    let two_words = redact("smbclient '-Uada%Kq83hd kWm29sLq' //host/share").into_owned();
    assert_eq!(two_words, format!("smbclient '-Uada%{REDACTED}' //host/share"));
    for text in [
        "smbclient -U ada //host/share",
        "smbclient -U ada%$PW //host/share",
        "lftp -u ada ftp.example",
        "cp -u a,b c",
        "tool -U 50%Kq83hdkWm29sLq77",
    ] {
        assert_eq!(redact(text), text);
    }
}

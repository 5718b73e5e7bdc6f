//! Credentials that no sign assigns to a name.

use super::super::{REDACTED, looks, redact};
use super::LOOK;

const WORD: &str = "Kq83hdkWm29sLq77";

fn hides(word: &str, places: &[&str]) {
    for place in places {
        let text = place.replace('@', word);
        let clean = redact(&text).into_owned();
        assert_eq!(clean, place.replace('@', REDACTED), "{text}");
        assert_eq!(redact(&clean), clean, "{text}");
    }
}

#[test]
fn a_password_that_is_said_is_a_secret() {
    let places = [
        "my password is @",
        "The password is @.",
        "the admin password is: @, keep it",
        "API key is @",
        "password is **@**",
    ];
    hides("hunter2x9", &places);
    hides(WORD, &["API key: @", "my api key: @", "**Password:** @", "**API Key**: @"]);
    hides("Tr0ub4dor&3x", &["my password is @", "my password is @; it works", "密码: @"]);
    hides("Tr0ub;adour3", &["my password is @", "{\"x\":\"my password is @&\"}"]);
    hides("9f8e7d6c5b4a39281706f5e4d3c2b1a0", &["my api key is @", "API key: @"]);
    hides("swordfish", &["Password: **@**", "Password: **@** and more"]);
    hides("swordfish", &["**Password:** @", "**Password**: `@`", "Password: **`@`**"]);
}

#[test]
fn a_pair_of_a_name_and_a_value_holds_a_secret() {
    let places = [
        "- name: DB_PASSWORD\n  value: @",
        "- name: DB_PASSWORD\n  value: \"@\"\n- name: X",
        "{\"name\":\"API_TOKEN\",\"value\":\"@\"}",
        "{\"Name\": \"DB_PASSWORD\", \"Value\": \"@\"}",
        "{\\\"name\\\":\\\"API_KEY\\\",\\\"value\\\":\\\"@\\\"}",
        "{\"y\":\"- name: DB_PASSWORD\\n  value: @\\n\"}",
        "<add key=\"ApiKey\" value=\"@\" />",
        "os.environ[\"API_KEY\"] = \"@\"",
        "config['password'] = '@'",
        "os.Setenv(\"API_KEY\", \"@\")",
        "define('DB_PASSWORD', '@');",
        "setenv DB_PASSWORD @",
        "set -gx OPENAI_API_KEY @",
        "setx API_KEY \"@\"",
        "ENV STRIPE_KEY @",
        "password = \"\"\"@\"\"\"",
        "PASSWORD='''@'''",
        "builder.password(\"@\")",
        "psk=\"@\"",
        "PresharedKey = @",
        "- {name: DB_PASSWORD, value: @}",
        "[{\"name\":\"DB_PASSWORD\",\"value\":\"@\"},{\"name\":\"Y\",\"value\":\"1\"}]",
        "- name: \"DB_PASSWORD\"\n  value: @",
        "<input name=\"password\" value=\"@\">",
        "define( 'DB_PASSWORD', '@' );",
        "os.Setenv( \"API_KEY\", \"@\")",
        "setx /M API_KEY \"@\"",
        "setx \"API_KEY\" \"@\"",
        "set -xg API_KEY @",
        "set -lx API_KEY @",
        "set --export API_KEY @",
        "SetEnv DB_PASSWORD @",
        "AWS Secret Access Key: @",
    ];
    hides(WORD, &places);
    let places = [
        "- {name: DB_PASSWORD, value: @}",
        "{\"name\":\"DB_PASSWORD\",\"value\":\"@\"}",
        "define('DB_PASSWORD', '@');",
        "config['password'] = '@'",
        "setenv DB_PASSWORD @ && ls",
        "ENV DB_PASSWORD @",
    ];
    hides("swordfish", &places);
    let long = WORD.repeat(40);
    let places = ["config['password'] = '@'", "my password is @.", "密码：@，", "ENV PASSWORD @"];
    hides(&long, &places);
}

#[test]
fn a_password_has_other_names_and_signs_too() {
    let places = [
        "密码：@",
        "密码: @，请保留",
        "密码=@",
        "password：@",
        "пароль: @",
        "contraseña: @",
        "mot de passe : @",
        "パスワード：@",
        "Server=h;Uid=bob;Pwd=@;",
        "user: bob pass: @",
        "password ：@",
        "\"password\"：\"@\"",
        "**密码**：@",
        "**密码：** @",
        "密码：**@**",
        "\"密码\": \"@\"",
        "**Пароль:** @",
        "ПАРОЛЬ: @",
        "CONTRASEÑA: @",
        "SENHA: @",
        "Mot De Passe : @",
    ];
    hides(WORD, &places);
}

#[test]
fn what_is_only_said_of_a_password_stays() {
    for text in [
        "my password is wrong",
        "the password is hashed with argon2id",
        "the token is 32-byte long",
        "the password is base64url encoded",
        "the token is sha256-hashed",
        "the secret is app-secrets-v2",
        "the token is PROJ-1234",
        "the password is config/db2.yml",
        "API key: see runbook",
        "the API key is missing",
        "password: **",
        "token: *const u8",
        "password: *db_password",
        "{\"name\":\"password\",\"type\":\"string\"}",
        "{\"name\":\"DB_PASSWORD\",\"value\":\"$PW\"}",
        "- name: DB_PASSWORD\n  valueFrom: x1234567",
        "<input name=\"password\" value=\"\"/>",
        "if os.environ[\"API_KEY\"] == \"\": stop1",
        "t(\"password\", \"Enter it\")",
        "ENV NODE_ENV production1",
        "set -x PATH /usr/bin1",
        "密码: 错误",
        "пароль: строка",
        "contraseña: incorrecta",
        "PWD=/home/dev/api2 pwd: api",
        "pass: 12, fail: 3",
        "pass: 3-of-12",
        "pass: e5db7ce",
        "let pw = width2px;",
        "pass = renderPass2",
        "pw = page2Width",
        "{\"name\":\"password\",\"value\":null}",
        "{\"name\":\"password\",\"value\":true}",
        "{\"name\":\"password\",\"value\":5,\"type\":\"x\"}",
        "{name: 'password', value: formData.password}",
        "{name: 'password', value: e.target.value}",
        "{name: 'password', value: user.getPassword()}",
        "{name: 'password', value: newValue}",
        "The password value: must be at least 8",
        "Secret value: stored in vault",
        "set(password, value: newValue)",
        "vault.put(secret, value=payload)",
        "def set_secret(secret, value=\"default1\")",
        "kubectl get secret\nValue: abc",
        "{ path: 'password', value: 'min 8 characters' }",
        "{\"param\":\"password\",\"value\":\"too short\"}",
        "<input type=\"password\" value=\"password123\">",
        "\"密码\": \"请输入密码\"",
        "\"密码\": \"Password\"",
        "\"пароль\": \"Введите пароль\"",
        "senha: \"Senha inválida\"",
        "\"mot de passe\": \"Entrez votre mot de passe\"",
        "Kennwort: \"Bitte eingeben\"",
        "Kennwort: \"Kennwort\"",
        "\"암호\": \"암호를 입력하세요\"",
        "print(\"密码:\", pw)",
        "print(\"密码：\", pw)",
        "print(\"password:\", pw)",
        "print(\"password：\", pw)",
        "use ENV DB_PASSWORD to set it",
        "ENV PASSWORD and ENV TOKEN",
        "NODE_ENV TOKEN abcd1234",
        "ENV PASSWORD = $PW",
        "license key: Apache-2.0",
        "Access Key: Alt+Shift+1",
        "storage key: \"user-settings-v2\"",
        "session key: user_id2",
        "function key: \"F12key\"",
        "private key: \"~/.ssh/id_rsa\"",
        "labels[\"password\"] = \"Password\"",
        "errors[\"password\"] = \"Password is too short\"",
        "t(\"password\", \"At least 8 characters\")",
        "t(\"LOGIN_PASSWORD\", \"Enter your password\")",
        "Password: **",
    ] {
        assert_eq!(redact(text), text);
    }
}

/// How much of values is looked at, for these many bytes of a text. One place may be looked at a few
/// times, and holds a few bytes at least: more than this is work that grows faster than the text.
const WORK: usize = 2 * LOOK;

#[test]
fn the_work_grows_with_the_text_and_no_faster() {
    for piece in [
        "password is ",
        "password is a1",
        "密码：",
        "密码:",
        "senha:",
        "senha=",
        "password：",
        "token,value:",
        "password,value:{",
        "name=password,value:{",
        "\"name\":\"password\",\"value\":\\\"",
        "name:token,value:\"",
        "\"password\"] = \"",
        "password\nvalue: ",
        "(\"password\", \"",
        "ENV PASSWORD ",
        "ENV PASSWORD -",
        "password = \"\"\"",
        "api key ",
        "**password**: **",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let work = looks::during(|| assert!(redact(&text).len() <= text.len() * 4, "{piece}"));
        assert!(work <= text.len() * WORK, "{piece}: {work}");
    }
}

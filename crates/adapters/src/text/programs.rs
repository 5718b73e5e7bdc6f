//! Programs that are handed a credential, and how.

pub(super) const CURL: &[&str] = &["curl"];
pub(super) const MYSQL: &[&str] = &[
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mysqlimport",
    "mysqlshow",
    "mysqlcheck",
    "mysqlsh",
    "mariadb",
    "mariadb-dump",
    "mariadb-admin",
];
pub(super) const SSHPASS: &[&str] = &["sshpass"];

/// Programs that take a password joined to a name: their options for that, and the sign between the two.
pub(super) const JOINED_TO_NAMES: &[(&[&str], &[&str], u8)] = &[
    (&["smbclient", "rpcclient", "smbget", "smbcacls", "winexe"], &["-U", "--user"], b'%'),
    (&["lftp"], &["-u", "--user"], b','),
];

/// Words that run the program behind them.
pub(super) const WRAPPERS: &[&str] = &[
    "sudo",
    "env",
    "exec",
    "time",
    "nice",
    "nohup",
    "command",
    "timeout",
    "xargs",
    "watch",
    "then",
    "do",
    "else",
    "if",
    "while",
    "!",
    "$",
    "#",
    "%",
    ">",
    "ssh",
    "sh",
    "bash",
    "caffeinate",
];

/// An option by which programs are handed a credential. What is alike is one row: behind such an
/// option the command is looked for once a row.
pub(super) struct Tool {
    pub(super) programs: &'static [&'static str],
    /// Words of which one must stand behind the program, if there are any.
    pub(super) needs: &'static [&'static str],
    /// Of the options of a row none begins with another one of it.
    pub(super) options: &'static [&'static str],
    /// The credential is joined to the option.
    pub(super) is_joined: bool,
}

const fn apart(
    programs: &'static [&'static str],
    needs: &'static [&'static str],
    options: &'static [&'static str],
) -> Tool {
    Tool { programs, needs, options, is_joined: false }
}

const fn joined(
    programs: &'static [&'static str],
    needs: &'static [&'static str],
    options: &'static [&'static str],
) -> Tool {
    Tool { programs, needs, options, is_joined: true }
}

const REGISTRIES: &[&str] = &[
    "docker", "podman", "helm", "az", "nerdctl", "buildah", "skopeo", "crane", "oras", "oc",
    "twine", "poetry",
];
const MONGO: &[&str] =
    &["mongo", "mongosh", "mongodump", "mongorestore", "cqlsh", "useradd", "usermod"];

pub(super) const TOOLS: &[Tool] = &[
    apart(REGISTRIES, &["login", "upload", "publish"], &["-p"]),
    joined(&["docker", "podman", "nerdctl", "buildah", "skopeo"], &["login"], &["-p"]),
    apart(MONGO, &[], &["-p"]),
    joined(&["7z", "7za", "rar", "unrar"], &[], &["-p"]),
    joined(&["mongosh", "cqlsh"], &[], &["-p"]),
    apart(
        &["zip", "unzip", "sqlcmd", "ssh-keygen", "ipmitool", "mosquitto_pub", "mosquitto_sub"],
        &[],
        &["-P"],
    ),
    joined(&["zip", "unzip", "sqlcmd"], &[], &["-P"]),
    apart(&["ldapsearch"], &[], &["-w"]),
    joined(&["ldapsearch"], &[], &["-w"]),
    apart(&["redis-cli", "http", "https", "xh"], &[], &["-a"]),
    apart(&["http", "https", "xh"], &[], &["--auth"]),
    apart(&["gh"], &["secret set"], &["--body", "-b"]),
    joined(&["gh"], &["secret set"], &["--body="]),
    apart(&["openssl"], &[], &["-k"]),
    apart(&["uv", "doctl"], &["publish", "auth init"], &["-t"]),
    apart(&["aws"], &["secretsmanager"], &["--secret-string"]),
    joined(&["aws"], &["secretsmanager"], &["--secret-string="]),
    apart(&["aws", "az"], &["SecureString", "keyvault secret set"], &["--value"]),
    joined(&["aws", "az"], &["SecureString", "keyvault secret set"], &["--value="]),
    apart(
        &["keytool", "jarsigner"],
        &[],
        &[
            "-storepass",
            "-keypass",
            "-srcstorepass",
            "-deststorepass",
            "-srckeypass",
            "-destkeypass",
        ],
    ),
    apart(&["ssh-keygen"], &[], &["-N"]),
    apart(&["plink", "pscp"], &[], &["-pw"]),
];

/// Two words behind which a credential stands by itself.
pub(super) const LOGINS: &[(&str, &str)] = &[
    ("vault", "login"),
    ("cargo", "login"),
    ("wandb", "login"),
    ("bw", "unlock"),
    ("ngrok", "authtoken"),
    ("snyk", "auth"),
    ("rclone", "obscure"),
];

// SPDX-License-Identifier: Apache-2.0

/// Files in which secrets are told, and stay: what would have to take their place is in another file, or is chosen by
/// a person.
extension PlainSecrets {
    /// Reads git's configuration: URLs with a password or a token, as in `url.<base>.insteadOf`, and headers.
    package init(gitConfiguration bytes: [UInt8]) {
        let text = TextLines(bytes)
        for line in text.lines {
            let setting = text.text(text.trimmed(line.range))
            guard let first = setting.first, first != "#", first != ";" else { continue }
            if Self.hasCredential(setting) {
                leave(
                    line.number,
                    "a URL with a password or token; take it out of the URL, store it with 'keychainctl set --class internet "
                        + "--protocol https HOST/USER', and 'keychainctl helper install git' has git ask for it"
                )
            } else if setting.lowercased().contains(/extraheader\s*=.*authorization/) {
                leave(
                    line.number,
                    "a header with credentials (http.extraHeader), for which git has no helper; remove it, and use one of "
                        + "'keychainctl helper install git' instead"
                )
            }
        }
    }

    /// Reads `~/.aws/config`: keys that belong into the other file.
    package init(awsConfiguration bytes: [UInt8]) {
        let lines = SettingLines(bytes)
        for setting in lines.settings where ["aws_secret_access_key", "aws_session_token"].contains(setting.key) {
            guard !setting.value.isEmpty else { continue }
            leave(
                setting.line.number,
                "a key of a profile; move the lines that begin with aws_ to the credentials file beside it, and run this again"
            )
        }
    }

    /// Reads the configuration of pip or uv: URLs of indexes with a password or a token.
    package init(indexes bytes: [UInt8]) {
        let text = TextLines(bytes)
        for line in text.lines {
            let setting = text.text(text.trimmed(line.range))
            guard let first = setting.first, first != "#", first != ";", Self.hasCredential(setting) else { continue }
            leave(
                line.number,
                "a URL with a password or token; leave USER@ in the URL, store the password with 'keychain-keyring set URL "
                    + "USER' (the URL without USER@), and 'keychainctl helper install pip' has pip and uv ask for it"
            )
        }
    }

    /// Whether a line has a URL with a password, or with a user that is a token itself: one of GitHub or GitLab, or
    /// longer than names are.
    private static func hasCredential(_ line: String) -> Bool {
        line.matches(of: /:\/\/([^\/\s"'@:]*)(:[^\/\s"'@]*)?@/).contains { match in
            let user = match.output.1
            if let password = match.output.2, password.count > 1 {
                // A variable is given by its program.
                return !password.hasPrefix(":$")
            }
            return ["ghp_", "gho_", "ghs_", "github_pat_", "glpat-"].contains { user.hasPrefix($0) } || user.count >= 32
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The settings of a file in sections: `[SECTION]`, then lines `KEY = VALUE`; lines of other kinds are passed over.
struct SettingLines {
    struct Setting {
        let section: String
        let key: String
        let line: TextLines.Line
        let value: Range<Int>

        /// Whether the next line goes on with the value, so that it is not understood here.
        var goesOn = false
    }

    let text: TextLines
    private(set) var settings: [Setting] = []

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - separators: the characters between key and value.
    init(_ bytes: [UInt8], separators: [UInt8] = [UInt8(ascii: "=")]) {
        text = TextLines(bytes)
        var section = ""
        for line in text.lines {
            let range = text.trimmed(line.range)
            guard let first = range.first.map({ bytes[$0] }) else { continue }
            if first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { continue }
            if first == UInt8(ascii: "["), let end = bytes[range].lastIndex(of: UInt8(ascii: "]")) {
                section = text.text(text.trimmed((range.lowerBound + 1)..<end))
                continue
            }
            let isIndented = range.lowerBound > line.range.lowerBound
            if isIndented, !settings.isEmpty { settings[settings.count - 1].goesOn = true }
            guard let mark = bytes[range].firstIndex(where: separators.contains) else { continue }
            settings.append(
                Setting(
                    section: section,
                    key: text.text(text.trimmed(range.lowerBound..<mark)),
                    line: line,
                    value: text.trimmed((mark + 1)..<range.upperBound),
                    goesOn: isIndented
                )
            )
        }
    }

    /// The value of a key, which is one line of UTF-8 that is not empty.
    func value(_ setting: Setting) -> String? {
        let value = String(validating: text.bytes[setting.value], as: UTF8.self)
        return setting.goesOn || value?.isEmpty != false ? nil : value
    }
}

extension PlainSecrets {
    /// Reads `~/.aws/credentials`: the keys of profiles.
    package init(aws bytes: [UInt8]) {
        let lines = SettingLines(bytes)
        var profiles: [String] = []
        for setting in lines.settings where !profiles.contains(setting.section) { profiles.append(setting.section) }
        for profile in profiles {
            let settings = lines.settings.filter { $0.section == profile && $0.key.hasPrefix("aws_") }
            func value(_ key: String) -> String? { settings.last { $0.key == key }.flatMap(lines.value) }
            let keys = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"]
            let taken = settings.filter { keys.contains($0.key) }
            guard let secret = taken.first(where: { $0.key != keys[0] }) else { continue }
            let line = secret.line.number
            let isPlain = profile.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x5F
            }
            guard !profile.isEmpty, isPlain, !profile.hasPrefix("-") else {
                leave(
                    line,
                    "the profile '\(profile.printable)', whose name has other characters than letters, digits, - and _"
                )
                continue
            }
            guard let identifier = value(keys[0]), let key = value(keys[1]),
                taken.count == Set(taken.map(\.key)).count, taken.allSatisfy({ lines.value($0) != nil })
            else {
                leave(line, "the keys of the profile '\(profile)' are not complete, or are not understood")
                continue
            }
            var members: [(String, JSONValue)] = [
                ("AccessKeyId", .string(identifier)), ("SecretAccessKey", .string(key)),
            ]
            if let token = value(keys[2]) { members.append(("SessionToken", .string(token))) }
            var found = PlainSecret(
                line: line,
                what: "the keys of the profile '\(profile)'",
                place: .generic(service: AWSHelper.service, account: profile),
                secret: SecretBytes(text: JSONValue.object(members)),
                edits: taken.map { TextEdit($0.line.range) }
            )
            found.profile = profile
            secrets.append(found)
        }
    }

    /// Reads `.pypirc`: the passwords for indexes, which twine takes from Python's keyring.
    package init(pypi bytes: [UInt8]) {
        let lines = SettingLines(bytes, separators: [UInt8(ascii: "="), UInt8(ascii: ":")])
        for setting in lines.settings where setting.key == "password" {
            let known = ["pypi": "https://upload.pypi.org/legacy/", "testpypi": "https://test.pypi.org/legacy/"]
            func value(_ key: String) -> String? {
                lines.settings.last { $0.section == setting.section && $0.key == key }.flatMap(lines.value)
            }
            let shown = setting.section.printable
            guard let password = lines.value(setting) else {
                leave(setting.line.number, "the password of '\(shown)' is not understood")
                continue
            }
            guard let url = value("repository") ?? known[setting.section], let user = value("username") else {
                leave(setting.line.number, "'\(shown)' has no repository or username")
                continue
            }
            guard !url.contains("@"), url.hasPrefix("https://") || url.hasPrefix("http://") else {
                leave(setting.line.number, "the repository of '\(shown)' is no URL, or has a user in it")
                continue
            }
            var found = PlainSecret(
                line: setting.line.number,
                what: "the password of \(user.printable) at \(url.printable)",
                place: .generic(service: url, account: user),
                secret: SecretBytes(text: password),
                edits: [TextEdit(setting.line.range)]
            )
            found.variable = "TWINE_PASSWORD"
            secrets.append(found)
        }
    }

    /// Reads `.npmrc`: tokens and passwords of registries, in the place of which npm takes a variable.
    package init(npm bytes: [UInt8]) {
        let lines = SettingLines(bytes)
        let whole = lines.text.text(0..<bytes.count)
        var count = 0
        for setting in lines.settings {
            let parts = setting.key.split(separator: ":", omittingEmptySubsequences: false)
            guard let name = parts.last.map(String.init), ["_authToken", "_password", "_auth"].contains(name) else {
                continue
            }
            let registry = parts.dropLast().joined(separator: ":")
            guard let value = lines.value(setting), !registry.isEmpty || parts.count == 1,
                !registry.contains("@")
            else {
                leave(setting.line.number, "'\(name)' is not understood")
                continue
            }
            guard !value.contains("${") else { continue }
            guard !value.contains(where: { "\"'".contains($0) }) else {
                leave(setting.line.number, "'\(name)' is in quotes, or has some")
                continue
            }
            var variable: String
            repeat {
                count += 1
                variable = count == 1 ? "NPM_TOKEN" : "NPM_TOKEN_\(count)"
            } while whole.contains("${\(variable)}")
            var found = PlainSecret(
                line: setting.line.number,
                what: "\(name) of \(registry.isEmpty ? "all registries" : registry.printable)",
                place: .generic(service: "npm:\(registry)", account: name),
                secret: SecretBytes(text: value),
                edits: [TextEdit(setting.value, "${\(variable)}")]
            )
            found.variable = variable
            secrets.append(found)
        }
    }

    /// Reads cargo's `credentials.toml`: the tokens of registries.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - configuration: `config.toml`, which says where the registries are.
    /// - Throws: ``HelperFailure`` for what cargo would not read.
    package init(cargo bytes: [UInt8], configuration: [UInt8]) throws(HelperFailure) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw HelperFailure("it is not UTF-8") }
        try ConfigurationForm.toml.check(text)
        let (lines, indexes) = (SettingLines(bytes), SettingLines(configuration))
        for setting in lines.settings where setting.key == "token" || setting.key == "secret-key" {
            let name = setting.section.split(separator: ".").map { $0.filter { $0 != "\"" } }
            let number = setting.line.number
            guard setting.key == "token", let (token, range) = Self.tomlText(lines, setting) else {
                leave(number, "'\(setting.key)' of [\(setting.section.printable)] is not understood")
                continue
            }
            let index: String?
            if name == ["registry"] || name == ["registries", "crates-io"] {
                // So cargo names crates.io to its providers, whichever index it reads.
                index = "https://github.com/rust-lang/crates.io-index"
            } else {
                index =
                    name.count == 2 && name[0] == "registries"
                    ? indexes.settings.last {
                        $0.key == "index" && $0.section.filter { $0 != "\"" } == "registries.\(name[1])"
                    }.flatMap { Self.tomlText(indexes, $0)?.text } : nil
            }
            guard let index else {
                leave(number, "config.toml does not say where the registry of [\(setting.section.printable)] is")
                continue
            }
            guard !index.contains("@") else {
                leave(number, "the index of [\(setting.section.printable)] has a user in its URL")
                continue
            }
            secrets.append(
                PlainSecret(
                    line: number,
                    what: "the token of \(name.last?.printable ?? "")",
                    place: .generic(service: CargoHelper.service(index), account: ""),
                    secret: SecretBytes(text: token),
                    edits: [TextEdit(setting.line.range.lowerBound..<range.upperBound)]
                )
            )
        }
    }

    /// A text in quotes without escapes, and its place with the quotes.
    private static func tomlText(
        _ lines: SettingLines,
        _ setting: SettingLines.Setting
    ) -> (text: String, range: Range<Int>)? {
        let bytes = lines.text.bytes
        guard let quote = setting.value.first.map({ bytes[$0] }), [0x22, 0x27].contains(quote),
            let end = bytes[setting.value].dropFirst().firstIndex(of: quote)
        else { return nil }
        let rest = lines.text.trimmed((end + 1)..<setting.value.upperBound)
        guard rest.isEmpty || bytes[rest.lowerBound] == UInt8(ascii: "#") else { return nil }
        let text = String(validating: bytes[(setting.value.lowerBound + 1)..<end], as: UTF8.self)
        guard let text, !text.isEmpty, quote == 0x27 || !text.contains("\\") else { return nil }
        return (text, setting.value.lowerBound..<(end + 1))
    }
}

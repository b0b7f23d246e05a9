// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The settings of a file of YAML that is written in lines, as gh, glab and kubectl write theirs.
struct YAMLLines {
    struct Setting {
        /// The names of the mappings around it, and its own; an element of a list is `#` and its number.
        let path: [String]
        let line: TextLines.Line
        /// Where the name begins.
        let key: Int
        let value: Range<Int>

        /// The value; `nil` for one that is not understood here.
        var text: String?
    }

    let text: TextLines
    private(set) var settings: [Setting] = []

    init(_ bytes: [UInt8]) {
        text = TextLines(bytes)
        // What is open: the column of its names, and the name.
        var stack: [(column: Int, name: String)] = []
        var elements: [String: Int] = [:]
        for line in text.lines {
            var range = text.trimmed(line.range)
            guard let first = range.first.map({ bytes[$0] }), first != UInt8(ascii: "#") else { continue }
            var column = range.lowerBound - line.range.lowerBound
            if bytes[range].starts(with: Array("- ".utf8)) {
                while let last = stack.last, last.column > column || last.column == column && last.name.hasPrefix("#") {
                    stack.removeLast()
                }
                let parent = stack.map(\.name).joined(separator: "\0")
                let number = elements[parent, default: 0]
                elements[parent] = number + 1
                stack.append((column, "#\(number)"))
                let inner = text.trimmed((range.lowerBound + 2)..<range.upperBound)
                column = inner.lowerBound - line.range.lowerBound
                range = inner
            } else {
                while let last = stack.last, last.column >= column { stack.removeLast() }
            }
            guard let (name, value) = Self.parts(text, range) else { continue }
            settings.append(
                Setting(
                    path: stack.map(\.name) + [name],
                    line: line,
                    key: range.lowerBound,
                    value: value,
                    text: Self.scalar(text, value)
                )
            )
            stack.append((column, name))
        }
    }

    private static func parts(_ text: TextLines, _ range: Range<Int>) -> (name: String, value: Range<Int>)? {
        let bytes = text.bytes
        for place in range where bytes[place] == UInt8(ascii: ":") {
            guard place + 1 == range.upperBound || TextLines.isBlank(bytes[place + 1]) else { continue }
            let name = scalar(text, text.trimmed(range.lowerBound..<place))
            return name.map { ($0, text.trimmed((place + 1)..<range.upperBound)) }
        }
        return nil
    }

    /// A plain scalar, or one in quotes without escapes.
    private static func scalar(_ text: TextLines, _ range: Range<Int>) -> String? {
        guard let value = String(validating: text.bytes[range], as: UTF8.self), let first = value.utf8.first else {
            return nil
        }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            let inner = value.dropFirst().dropLast()
            guard value.utf8.count > 2, value.utf8.last == first, !inner.contains("\\"),
                !inner.utf8.contains(first)
            else { return nil }
            return String(inner)
        }
        guard !"|>&*!{[%@`#?,".utf8.contains(first), !value.contains(" #"), !value.contains(": ") else { return nil }
        return value
    }
}

extension PlainSecrets {
    /// Reads gh's `hosts.yml`, or glab's `config.yml`: the tokens of hosts, which both take from a variable as well.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - isGitLab: whether it is glab's.
    package init(hosts bytes: [UInt8], isGitLab: Bool) {
        let lines = YAMLLines(bytes)
        let names = isGitLab ? ["token", "job_token", "oauth2_refresh_token"] : ["oauth_token"]
        for setting in lines.settings {
            guard let name = setting.path.last, names.contains(name), !setting.value.isEmpty else { continue }
            let path = isGitLab ? Array(setting.path.dropFirst()) : setting.path
            guard let host = path.first, path.count > 1, !isGitLab || setting.path.first == "hosts" else { continue }
            guard let token = setting.text, name == names[0] else {
                leave(setting.line.number, "'\(name)' of \(host.printable) is not understood")
                continue
            }
            let base = Array(setting.path.dropLast(path.count > 2 ? 3 : 1))
            let user = path.count > 2 ? path[path.count - 2] : lines.settings.first { $0.path == base + ["user"] }?.text
            var found = PlainSecret(
                line: setting.line.number,
                what: "the token of \(user.map { "\($0.printable) at " } ?? "")\(host.printable)",
                place: .generic(service: "\(isGitLab ? "glab" : "gh"):\(host)", account: user ?? ""),
                secret: SecretBytes(text: token),
                edits: [TextEdit(setting.line.range)]
            )
            found.variable =
                isGitLab ? "GITLAB_TOKEN" : host == "github.com" ? "GH_TOKEN" : "GH_ENTERPRISE_TOKEN"
            secrets.append(found)
        }
    }

    /// Reads a configuration of kubectl: the tokens and keys of its users.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - helper: the path of the helper.
    package init(kube bytes: [UInt8], helper: String) {
        let lines = YAMLLines(bytes)
        let users = lines.settings.filter { $0.path.first == "users" && $0.path.count >= 3 }
        for name in users where name.path.count == 3 && name.path[2] == "name" {
            let settings = users.filter { Array($0.path.prefix(3)) == [name.path[0], name.path[1], "user"] }
            func setting(_ key: String) -> YAMLLines.Setting? { settings.first { $0.path.dropFirst(3) == [key] } }
            let keys = ["token", "client-certificate-data", "client-key-data"]
            let taken = keys.compactMap(setting)
            guard let first = taken.first(where: { $0.path.last != keys[1] }) ?? setting("password") else { continue }
            let line = first.line.number
            let user = name.text ?? ""
            let isPlain =
                !user.isEmpty && !user.hasPrefix("-")
                && user.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
                        || [0x2D, 0x5F, 0x40, 0x2E].contains($0)
                }
            let others = ["password", "exec", "auth-provider", "tokenFile", "client-certificate", "client-key"]
            guard isPlain, !others.contains(where: { setting($0) != nil }), taken.allSatisfy({ $0.text != nil }),
                let secret = Self.kubeSecret(keys.map { setting($0)?.text })
            else {
                leave(line, "the user '\(user.printable)' has what the helper of kubectl does not take")
                continue
            }
            let indent = String(repeating: " ", count: first.key - first.line.range.lowerBound)
            let end = lines.text.bytes[first.line.range.upperBound...].first == 0x0D ? "\r\n" : "\n"
            let exec = [
                "exec:", "  apiVersion: client.authentication.k8s.io/v1", "  args:", "  - \"\(user)\"",
                "  command: \(helper)", "  interactiveMode: Never",
            ]
            let replacement = exec.enumerated().map { ($0.offset == 0 ? "" : indent) + $0.element }
            var found = PlainSecret(
                line: line,
                what: "the credential of the user '\(user)'",
                place: .generic(service: KubectlHelper.service, account: user),
                secret: secret,
                edits: taken.map { setting in
                    setting.line.number == line
                        ? TextEdit(setting.key..<setting.line.range.upperBound, replacement.joined(separator: end))
                        : TextEdit(setting.line.range)
                }
            )
            found.profile = user
            secrets.append(found)
        }
    }

    /// The secret of an item: the token, or an object that has it with the certificate and its key.
    private static func kubeSecret(_ values: [String?]) -> SecretBytes? {
        let (token, certificate, key) = (values[0], values[1], values[2])
        guard certificate != nil || key != nil else { return token.map(SecretBytes.init(text:)) }
        guard let certificate = certificate.flatMap(decoded), let key = key.flatMap(decoded) else { return nil }
        var members: [String: JSONValue] = [
            "clientCertificateData": .string(certificate), "clientKeyData": .string(key),
        ]
        members["token"] = token.map { .string($0) }
        return SecretBytes(text: JSONValue.object(members).text)
    }
}

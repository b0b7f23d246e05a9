// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension PlainSecrets {
    /// Reads a file of `git credential-store`: lines that are URLs with user and password.
    package init(gitCredentials bytes: [UInt8]) {
        let text = TextLines(bytes)
        for line in text.lines where !text.trimmed(line.range).isEmpty {
            guard bytes[line.range.lowerBound] != UInt8(ascii: "#") else { continue }
            guard let credential = try? GitCredential(SecretBytes(Array("url=".utf8) + bytes[line.range])),
                let address = try? credential.address, let user = credential.username,
                let password = credential.password, !address.host.isEmpty
            else {
                leave(line.number, "the line is not the URL of a server with user and password")
                continue
            }
            // The name of a user is shown in lists.
            guard !password.isEmpty, password.text != "x-oauth-basic" else {
                leave(line.number, "the user of the URL is the token itself; write it as USER:TOKEN")
                continue
            }
            secrets.append(
                PlainSecret(
                    line: line.number,
                    what: "the password of \(user.printable) at \(Self.shown(address))",
                    place: .server(address, user: user),
                    secret: password,
                    edits: [TextEdit(line.range)]
                )
            )
        }
    }

    private static func shown(_ address: ServerAddress) -> String {
        let port = address.port.map { ":\($0)" } ?? ""
        let path = address.path.map { "/\($0)" } ?? ""
        return "\(address.scheme)://\(address.host)\(port)\(path)".printable
    }
}

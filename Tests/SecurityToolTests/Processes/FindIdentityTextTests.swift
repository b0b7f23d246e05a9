// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// What `find-identity` writes of a certificate that others have made.
struct FindIdentityTextTests {
    private let user: ToolUser

    init() throws {
        user = try ToolUser()
        let workshop = try Workshop()
        try workshop.run(
            """
            name="$(printf 'a\\033[31mb\\342\\200\\256c')"
            openssl ecparam -name prime256v1 -genkey -noout -out k.key
            openssl req -x509 -utf8 -new -key k.key -subj "/CN=$name" -days 3650 -out k.pem
            openssl pkcs12 -export -inkey k.key -in k.pem -passout pass:secret -out k.p12
            """
        )
        let file = user.current.path(of: "k.p12")
        try Data(workshop.bytes("k.p12")).write(to: URL(fileURLWithPath: file))
        try #require(try user.run(["import", file, "-P", "secret"]).status == 0)
    }

    @Test("a name is shown without characters that a terminal would obey")
    func hostileName() throws {
        let text = try user.run(["find-identity"]).outputText
        #expect(text.contains("\"a?[31mb?c\""))
        #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }

    @Test("identities that cannot be evaluated are not called invalid", arguments: [false, true])
    func notEvaluated(showsValidOnly: Bool) throws {
        let settings = "\(user.keychainPath)/trust-settings.plist"
        try Data("no settings".utf8).write(to: URL(fileURLWithPath: settings))
        try #require(chmod(settings, 0o600) == 0)
        let result = try user.run(["find-identity"] + (showsValidOnly ? ["-v"] : []))
        #expect(result.status == (showsValidOnly ? 1 : 0))
        #expect(result.errorText.contains("identities could not be evaluated: "))
        #expect(!result.outputText.contains("valid identities found"))
        #expect(!result.outputText.contains("CSSMERR"))
        #expect(result.outputText.contains("1 identities found") != showsValidOnly)
    }
}

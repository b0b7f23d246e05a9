// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// What `find-identity` writes of a certificate that others have made.
struct FindIdentityTextTests {
    @Test("a name is shown without characters that a terminal would obey")
    func hostileName() throws {
        let user = try ToolUser()
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
        #expect(try user.run(["import", file, "-P", "secret"]).status == 0)
        let text = try user.run(["find-identity"]).outputText
        #expect(text.contains("\"a?[31mb?c\""))
        #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
}

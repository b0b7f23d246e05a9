// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport

/// A key, a chain of certificates, and a folder to write files in with `openssl`: made once for all suites.
struct Files: Sendable {
    let workshop: Workshop
    /// The `PrivateKeyInfo` of the key, plain.
    let privateKeyInfo: [UInt8]
    /// The leaf, the issuer in the middle, the root.
    let certificates: [[UInt8]]

    static let shared = Result { try Files() }

    private init() throws {
        let workshop = try Workshop()
        try workshop.run(
            """
            openssl ecparam -name prime256v1 -genkey -noout -out key.pem
            openssl ecparam -name prime256v1 -genkey -noout -out ca.key
            openssl pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out key.p8
            openssl req -x509 -new -key ca.key -subj /CN=Root -days 3650 -out root.pem
            openssl req -new -key ca.key -subj /CN=Middle | openssl x509 -req -CA root.pem -CAkey ca.key -set_serial 2 \
                -days 3650 -out middle.pem
            openssl req -new -key key.pem -subj /CN=Leaf | openssl x509 -req -CA middle.pem -CAkey ca.key -set_serial 3 \
                -days 3650 -out leaf.pem
            cat root.pem middle.pem > chain.pem
            for name in leaf middle root; do openssl x509 -in $name.pem -outform DER -out $name.der; done
            """
        )
        self.workshop = workshop
        privateKeyInfo = try workshop.bytes("key.p8")
        certificates = try ["leaf", "middle", "root"].map { try workshop.bytes("\($0).der") }
    }

    /// Writes a PKCS #12 file of the key and the chain.
    func pkcs12(_ name: String, _ options: String, password: String = "secret") throws -> [UInt8] {
        try workshop.run(
            "openssl pkcs12 -export -inkey key.pem -in leaf.pem -certfile chain.pem -passout \"pass:$2\" -out $1 \(options)",
            name,
            password
        )
        return try workshop.bytes(name)
    }
}

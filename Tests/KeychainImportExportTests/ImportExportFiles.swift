// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport

@testable import KeychainImportExport

/// A key with its certificate and its issuer's, in files that `openssl` writes: made once for all suites.
struct ImportExportFiles: Sendable {
    let workshop: Workshop

    static let shared = Result { try ImportExportFiles() }

    private init() throws {
        workshop = try Workshop()
        try workshop.run(
            """
            openssl genrsa -out key.pem 2048
            openssl ecparam -name prime256v1 -genkey -noout -out ca.key
            openssl req -x509 -new -key ca.key -subj /CN=Root -days 3650 -out root.pem
            openssl req -new -key key.pem -subj /CN=Leaf | openssl x509 -req -CA root.pem -CAkey ca.key -set_serial 2 \
                -days 3650 -out leaf.pem
            cat key.pem leaf.pem root.pem > all.pem
            openssl pkcs12 -export -inkey key.pem -in leaf.pem -certfile root.pem -name Friend -passout pass:secret -out id.p12
            openssl pkcs12 -export -inkey key.pem -in leaf.pem -certfile root.pem -passout pass:secret -out unnamed.p12
            openssl crl2pkcs7 -nocrl -certfile leaf.pem -certfile root.pem -outform DER -out all.p7b
            """
        )
    }

    /// What a file holds.
    func load(_ name: String, _ passphrase: String? = nil) throws -> ImportedFile {
        try ImportedFile(SecretBytes(workshop.bytes(name)), passphrase: passphrase)
    }
}

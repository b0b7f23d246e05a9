// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport

@testable import KeychainContainers

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
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -subj /CN=Root -days 3650 \
                -out other-root.pem
            cat other-root.pem root.pem > roots.pem
            openssl pkcs12 -export -inkey key.pem -in leaf.pem -certfile roots.pem -passout pass:secret -out two-roots.p12
            openssl crl2pkcs7 -nocrl -certfile leaf.pem -certfile root.pem -outform DER -out all.p7b
            openssl x509 -in leaf.pem -outform DER -out leaf.der
            sed 's/^/    /' leaf.pem > indented.yaml
            { printf 'ca: '; cat leaf.pem; } > prefixed.yaml
            sed 's/\\(-----END.*-----\\)/\\1 # end/' leaf.pem > after.pem
            sed '$d' leaf.pem > noend.pem
            grep -v -- ----- leaf.pem > bare.txt
            tr -d '\\n' < bare.txt > one-line.txt
            openssl x509 -in leaf.pem -trustout -addtrust serverAuth -setalias Alias -out trusted.pem
            sed 's/BEGIN CERT/BEGIN TRUSTED CERT/;s/END CERT/END TRUSTED CERT/' leaf.pem > relabelled.pem
            sed 's/$/\\r/' leaf.pem > crlf.pem
            tr '\\n' '\\r' < leaf.pem > cr.pem
            openssl x509 -in leaf.pem -text -out text.pem
            cat leaf.der root.pem > more.der
            { cat leaf.der; echo; } > newline.der
            { printf '\\357\\273\\277'; cat leaf.pem; } > bom.pem
            { printf '\\303\\244\\n'; cat leaf.pem; } > umlaut.pem
            iconv -t UTF-16 leaf.pem > utf16.pem
            tr -d '\\n' < leaf.pem > line.pem
            openssl pkcs8 -topk8 -v2 aes256 -iter 1000 -passout pass:secret -in key.pem -out encrypted.pem
            cat encrypted.pem encrypted.pem encrypted.pem > three-keys.pem
            openssl pkcs12 -export -inkey key.pem -in leaf.pem -iter 1000 -passout pass:secret -out work.p12
            { cat encrypted.pem; echo '-----BEGIN PKCS12-----'; openssl base64 -in work.p12
              echo '-----END PKCS12-----'; } > key-and-identity.pem
            printf 'text' > text.txt
            printf '\\001\\002\\377' > binary
            """
        )
    }

    /// What a file holds.
    func load(_ name: String, _ passphrase: String? = nil) throws -> ImportedFile {
        try ImportedFile(SecretBytes(workshop.bytes(name)), passphrase: passphrase)
    }
}

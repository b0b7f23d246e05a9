// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport

/// Files that `openssl` writes, made once: a key, its certificate, and the chain above it.
struct ImportFiles: Sendable {
    static let shared = Result { try ImportFiles() }

    private let workshop: Workshop

    private init() throws {
        workshop = try Workshop()
        try workshop.run(
            """
            openssl ecparam -name prime256v1 -genkey -noout -out key.pem
            openssl ecparam -name prime256v1 -genkey -noout -out ca.key
            openssl genrsa -out rsa.pem 2048
            openssl req -x509 -new -key ca.key -subj /CN=Root -days 3650 -out root.pem
            openssl req -new -key ca.key -subj /CN=Middle | openssl x509 -req -CA root.pem -CAkey ca.key -set_serial 2 \
                -days 3650 -out middle.pem
            openssl req -new -key key.pem -subj /CN=Leaf | openssl x509 -req -CA middle.pem -CAkey ca.key -set_serial 3 \
                -days 3650 -out leaf.pem
            openssl req -x509 -new -key rsa.pem -subj /CN=Rsa -days 3650 -out rsacert.pem
            cat root.pem middle.pem > chain.pem
            cat leaf.pem middle.pem root.pem > all.pem
            for name in leaf middle root rsacert; do openssl x509 -in $name.pem -outform DER -out $name.der; done
            openssl pkcs8 -topk8 -nocrypt -in key.pem -out key.p8.pem
            openssl pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out key.p8
            openssl pkcs8 -topk8 -in key.pem -passout pass:secret -out wrapped.pem
            openssl pkcs8 -topk8 -in key.pem -passout pass:secret -outform DER -out wrapped.p8
            openssl ec -in key.pem -outform DER -out key.sec1
            openssl pkey -in key.pem -pubout -out public.pem
            openssl pkey -in key.pem -pubout -outform DER -out public.der
            openssl rsa -in rsa.pem -traditional -out rsa1.pem
            openssl rsa -in rsa.pem -traditional -outform DER -out rsa1.der
            openssl rsa -in rsa.pem -RSAPublicKey_out -out rsapublic.pem
            openssl rsa -in rsa.pem -traditional -aes128 -passout pass:secret -out proctype.pem
            openssl pkcs12 -export -inkey key.pem -in leaf.pem -certfile chain.pem -name Friend -passout pass:secret -out id.p12
            openssl pkcs12 -export -inkey key.pem -in leaf.pem -passout pass: -out empty.p12
            openssl pkcs12 -export -inkey rsa.pem -in rsacert.pem -legacy -passout pass:secret -out legacy.p12
            openssl pkcs12 -export -nokeys -in chain.pem -passout pass:secret -out nokeys.p12
            openssl pkcs12 -export -nocerts -inkey key.pem -passout pass:secret -out nocerts.p12
            openssl pkcs12 -export -inkey key.pem -in leaf.pem -nomac -passout pass:secret -out nomac.p12
            openssl pkcs12 -export -inkey key.pem -in leaf.pem -keypbe NONE -passout pass:secret -out plainkey.p12
            openssl ecparam -name prime256v1 -genkey -out parameters.pem
            openssl ecparam -name prime256v1 -genkey -noout -out renewed.key
            openssl req -x509 -new -key renewed.key -subj /CN=Root -days 3650 -set_serial 99 -out renewed.pem
            openssl req -new -key key.pem -subj /CN=Leaf | openssl x509 -req -CA renewed.pem -CAkey renewed.key -set_serial 4 \
                -days 3650 -out young.pem
            cat root.pem renewed.pem > roots.pem
            openssl pkcs12 -export -inkey key.pem -in young.pem -certfile roots.pem -passout pass:secret -out renewed.p12
            openssl genpkey -algorithm ed25519 -out edwards.key
            openssl req -x509 -new -key edwards.key -subj /CN=Edwards -days 3650 -out edwards.pem
            openssl pkcs12 -export -inkey edwards.key -in edwards.pem -passout pass:secret -out edwards.p12
            openssl crl2pkcs7 -nocrl -certfile leaf.pem -out pkcs7.pem
            openssl crl2pkcs7 -nocrl -certfile all.pem -outform DER -out all.p7b
            openssl ecparam -name prime256v1 -out parameters.only
            """
        )
    }

    /// The bytes of a file.
    func data(_ name: String) throws -> Data { Data(try workshop.bytes(name)) }

    /// Runs a script among the files.
    func run(_ script: String) throws { try workshop.run(script) }

    /// Writes a file among them.
    func write(_ data: Data, to name: String) throws { try workshop.write(Array(data), to: name) }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
import KeychainTestSupport
import Security
import Testing

/// Keys and certificates that `openssl` makes once, among which it reads and writes messages.
struct MessageFiles: Sendable {
    static let shared = Result { try MessageFiles() }

    private let workshop: Workshop

    private init() throws {
        workshop = try Workshop()
        try workshop.run(
            """
            cat > leaf.ext <<'END'
            subjectKeyIdentifier=hash
            keyUsage=critical,digitalSignature,keyEncipherment,keyAgreement
            extendedKeyUsage=emailProtection
            subjectAltName=email:signer@example.com
            END
            cat > middle.ext <<'END'
            basicConstraints=critical,CA:TRUE
            keyUsage=critical,keyCertSign
            subjectKeyIdentifier=hash
            END
            cat > clock.ext <<'END'
            keyUsage=critical,digitalSignature
            extendedKeyUsage=critical,timeStamping
            END
            openssl ecparam -name prime256v1 -genkey -noout -out root.key
            openssl ecparam -name prime256v1 -genkey -noout -out middle.key
            openssl ecparam -name prime256v1 -genkey -noout -out ec.key
            openssl ecparam -name secp384r1 -genkey -noout -out p384.key
            openssl ecparam -name secp521r1 -genkey -noout -out p521.key
            openssl ecparam -name prime256v1 -genkey -noout -out clock.key
            openssl genrsa -out rsa.key 2048
            openssl req -x509 -new -key root.key -subj '/O=Messages/CN=Root' -days 3650 -out root.pem
            openssl req -new -key middle.key -subj '/O=Messages/CN=Middle' | openssl x509 -req -CA root.pem -CAkey root.key \
                -set_serial 2 -days 3650 -extfile middle.ext -out middle.pem
            number=10
            for name in rsa ec p384 p521; do
                number=$((number + 1))
                openssl req -new -key $name.key -subj "/O=Messages/CN=$name" | openssl x509 -req -CA middle.pem \
                    -CAkey middle.key -set_serial $number -days 3650 -extfile leaf.ext -out $name.pem
            done
            openssl req -new -key clock.key -subj '/O=Messages/CN=Clock' | openssl x509 -req -CA root.pem -CAkey root.key \
                -set_serial 3 -days 3650 -extfile clock.ext -out clock.pem
            for name in root middle rsa ec p384 p521 clock; do openssl x509 -in $name.pem -outform DER -out $name.der; done
            head -c 70000 /dev/urandom > contents
            """
        )
    }

    /// The bytes of a file.
    func data(_ name: String) throws -> Data { Data(try workshop.bytes(name)) }

    /// Writes a file.
    func write(_ data: Data, to name: String) throws { try workshop.write(Array(data), to: name) }

    /// Runs a script among the files, which finds the words in `$1` and so on.
    func run(_ script: String, with word: String = "", and second: String = "") throws {
        try workshop.run(script, word, second)
    }

    /// A certificate by its name.
    func certificate(_ name: String) throws -> SecCertificate {
        try #require(SecCertificateCreateWithData(nil, data("\(name).der") as CFData))
    }

    /// A private key by its name.
    func key(_ name: String) throws -> SecKey {
        var items: CFArray?
        let status = SecItemImport(try data("\(name).key") as CFData, nil, nil, nil, [], nil, nil, &items)
        #expect(status == errSecSuccess)
        return try #require((items as? [SecKey])?.first)
    }

    /// A certificate with its key.
    func identity(_ name: String) throws -> SecIdentity {
        try #require(SecIdentityCreate(nil, certificate(name), key(name)))
    }

    /// Runs `body` with a keychain of its own, whose user trusts the root.
    func trusting<Result>(_ body: () throws -> Result) throws -> Result {
        let context = KeychainContext(backend: try TemporaryKeychain(), client: .init(accessGroups: ["group"]))
        return try KeychainContext.$current.withValue(context) { () throws -> Result in
            #expect(try SecTrustSettingsSetTrustSettings(certificate("root"), .user, nil) == errSecSuccess)
            return try body()
        }
    }
}

/// Calls of the functions on messages.
enum MessageCalls {
    /// Reads a message that has to be readable.
    static func decoder(_ message: Data, detached: Data? = nil) throws -> CMSDecoder {
        let (decoder, status) = try read(message)
        #expect(status == errSecSuccess)
        if let detached { #expect(CMSDecoderSetDetachedContent(decoder, detached as CFData) == errSecSuccess) }
        return decoder
    }

    /// Reads a message in parts of so many bytes, and gives the first status that is no success.
    static func read(_ message: Data, by count: Int = .max) throws -> (CMSDecoder, OSStatus) {
        var made: CMSDecoder?
        #expect(CMSDecoderCreate(&made) == errSecSuccess)
        let decoder = try #require(made)
        var rest = message[...]
        while !rest.isEmpty {
            let status = update(decoder, Data(rest.prefix(count)))
            guard status == errSecSuccess else { return (decoder, status) }
            rest = rest.dropFirst(count)
        }
        return (decoder, CMSDecoderFinalizeMessage(decoder))
    }

    /// Hands a part of a message over.
    static func update(_ decoder: CMSDecoder, _ part: Data, count: Int? = nil) -> OSStatus {
        part.withUnsafeBytes { bytes in
            bytes.baseAddress.map { CMSDecoderUpdateMessage(decoder, $0, count ?? bytes.count) } ?? errSecSuccess
        }
    }

    /// The standing of a signer, its certificate judged by the policy for any purpose.
    static func standing(
        in decoder: CMSDecoder,
        at index: Int = 0,
        under policy: CFTypeRef = SecPolicyCreateBasicX509(),
        evaluates: Bool = true
    ) -> CMSSignerStatus? {
        var status = CMSSignerStatus.unsigned
        let result = CMSDecoderCopySignerStatus(decoder, index, policy, evaluates, &status, nil, nil)
        #expect(result == errSecSuccess)
        return result == errSecSuccess ? status : nil
    }

    /// The contents of a message.
    static func contents(_ decoder: CMSDecoder) -> Data? {
        var contents: CFData?
        #expect(CMSDecoderCopyContent(decoder, &contents) == errSecSuccess)
        return contents as Data?
    }

    /// What a function puts out.
    static func value<Value>(
        _ initial: Value,
        expecting status: OSStatus = errSecSuccess,
        _ body: (UnsafeMutablePointer<Value>) -> OSStatus
    ) -> Value {
        var value = initial
        #expect(body(&value) == status)
        return value
    }

    /// An object that writes a message.
    static func encoder() throws -> CMSEncoder {
        var encoder: CMSEncoder?
        #expect(CMSEncoderCreate(&encoder) == errSecSuccess)
        return try #require(encoder)
    }

    /// Writes contents, and gives the message, or why there is none.
    static func finish(_ encoder: CMSEncoder, _ contents: Data?) -> (message: Data?, status: OSStatus) {
        if let contents {
            let status = contents.withUnsafeBytes { bytes in
                withUnsafePointer(to: 0 as UInt8) { nothing in
                    CMSEncoderUpdateContent(encoder, bytes.baseAddress ?? UnsafeRawPointer(nothing), bytes.count)
                }
            }
            #expect(status == errSecSuccess)
        }
        var message: CFData?
        let status = CMSEncoderCopyEncodedContent(encoder, &message)
        return (message as Data?, status)
    }
}

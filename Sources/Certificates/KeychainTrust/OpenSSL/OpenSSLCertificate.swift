// SPDX-License-Identifier: Apache-2.0

/// A certificate as OpenSSL has read it (`X509`).
///
/// Thread-safe, because OpenSSL counts references to certificates atomically and locks what it caches later.
final class OpenSSLCertificate: @unchecked Sendable {
    let pointer: OpaquePointer
    private let openssl: OpenSSL

    /// Parses a certificate; `nil` for bytes that OpenSSL does not accept as one, and for trailing bytes.
    convenience init?(der: [UInt8], _ openssl: OpenSSL) {
        let pointer = der.withUnsafeBufferPointer { COpenSSL.parse(openssl.functions, $0.baseAddress, $0.count) }
        guard let pointer else { return nil }
        self.init(pointer, openssl)
    }

    /// Takes ownership of an `X509`.
    private init(_ pointer: OpaquePointer, _ openssl: OpenSSL) {
        self.pointer = pointer
        self.openssl = openssl
    }

    deinit { COpenSSL.free(openssl.functions, pointer) }

    /// The DER encoding.
    var der: [UInt8] { Self.der(of: pointer, openssl) }

    /// The DER encoding of an `X509`.
    static func der(of pointer: OpaquePointer, _ openssl: OpenSSL) -> [UInt8] {
        let count = COpenSSL.der(openssl.functions, pointer, nil, 0)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = min(count, COpenSSL.der(openssl.functions, pointer, buffer.baseAddress, count))
        }
    }

    /// The certificates of a file of PEM documents (RFC 7468), up to the first one that is damaged.
    static func list(pem: [UInt8], _ openssl: OpenSSL) -> [OpenSSLCertificate] {
        let list = PEMList(openssl)
        pem.withUnsafeBufferPointer { bytes in
            COpenSSL.eachPEM(
                openssl.functions,
                bytes.baseAddress,
                bytes.count,
                PEMList.take,
                Unmanaged.passUnretained(list).toOpaque()
            )
        }
        return withExtendedLifetime(list) { list.certificates }
    }

    /// The file that is read; it lives as long as the call.
    private final class PEMList {
        private let openssl: OpenSSL
        private(set) var certificates: [OpenSSLCertificate] = []

        init(_ openssl: OpenSSL) { self.openssl = openssl }

        static let take: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void = { context, pointer in
            guard let context, let pointer else { return }
            let list = Unmanaged<PEMList>.fromOpaque(context).takeUnretainedValue()
            list.certificates.append(OpenSSLCertificate(pointer, list.openssl))
        }
    }

    /// Whether an e-mail address is one of the certificate's (X509_check_email(3)).
    func hasEmailAddress(_ address: String) -> Bool {
        guard !address.isEmpty, !address.utf8.contains(0) else { return false }
        return COpenSSL.hasEmail(openssl.functions, pointer, address, address.utf8.count) == 1
    }
}

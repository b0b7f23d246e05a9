// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A certificate as OpenSSL has read it.
///
/// Thread-safe, because OpenSSL counts references to certificates atomically and locks what it finds out later.
final class ParsedCertificate: @unchecked Sendable {
    let pointer: OpaquePointer
    private let library: OpenSSLLibrary

    /// Reads a certificate; `nil` for bytes that are none to OpenSSL, and where anything stands behind it.
    init?(der: [UInt8], _ library: OpenSSLLibrary) {
        var new = library.newCertificate(library.context, nil)
        let end = der.withUnsafeBufferPointer { bytes -> UnsafePointer<UInt8>? in
            var position = bytes.baseAddress
            guard library.decodeCertificate(&new, &position, bytes.count) != nil, let start = bytes.baseAddress,
                position == start + bytes.count
            else { return nil }
            return position
        }
        library.forgetErrors()
        // What cannot be decoded has been freed, and the pointer set to nil; what has an end too many has not.
        guard let pointer = new else { return nil }
        guard end != nil else {
            library.freeCertificate(pointer)
            return nil
        }
        self.pointer = pointer
        self.library = library
    }

    private init(_ pointer: OpaquePointer, _ library: OpenSSLLibrary) {
        self.pointer = pointer
        self.library = library
    }

    deinit { library.freeCertificate(pointer) }

    /// The DER encoding.
    var der: [UInt8] { Self.der(of: pointer, library) }

    /// The DER encoding of a certificate of OpenSSL's.
    static func der(of pointer: OpaquePointer?, _ library: OpenSSLLibrary) -> [UInt8] {
        let count = Int(library.encodeCertificate(pointer, nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var end = buffer.baseAddress
            written = max(0, Int(library.encodeCertificate(pointer, &end)))
        }
    }

    /// The certificates of a file of PEM documents (RFC 7468), up to the first one that is damaged.
    static func list(pem: [UInt8], _ library: OpenSSLLibrary) -> [ParsedCertificate] {
        pem.withUnsafeBytes { bytes in
            guard let reader = library.newReader(bytes.baseAddress, Int32(clamping: bytes.count)) else { return [] }
            defer {
                _ = library.freeReader(reader)
                library.forgetErrors()
            }
            var list: [ParsedCertificate] = []
            while true {
                var new = library.newCertificate(library.context, nil)
                guard library.readPEMCertificate(reader, &new, nil, nil) != nil, let pointer = new else {
                    library.freeCertificate(new)
                    return list
                }
                list.append(ParsedCertificate(pointer, library))
            }
        }
    }
}

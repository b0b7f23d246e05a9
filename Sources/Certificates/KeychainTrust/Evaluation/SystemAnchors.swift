// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import Synchronization

/// The certificate authorities that the system trusts, from the file that the distribution keeps for all programs.
///
/// The file is the one that `SSL_CERT_FILE` names, as for OpenSSL (X509_get_default_cert_file_env(3)), else the first
/// that exists in the locations of distributions. It is read again after a change.
package enum SystemAnchors {
    /// The environment variable that names another file.
    package static let environmentVariable = "SSL_CERT_FILE"

    /// The locations of the file in distributions.
    private static let places = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch Linux, Alpine Linux
        "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, Red Hat Enterprise Linux
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // the same, newer
        "/var/lib/ca-certificates/ca-bundle.pem",  // SUSE
        "/etc/ssl/ca-bundle.pem",  // SUSE, older
        "/etc/ssl/cert.pem",  // Alpine Linux, Void Linux
    ]

    /// The maximum size of the file.
    private static let maximumBytes = 64 << 20

    private struct Reading {
        var path: String
        var mark: FileContentsMark
        var anchors: [OpenSSLCertificate]
    }

    private static let last = Mutex<Reading?>(nil)
    private static let kept = Mutex<[OpenSSLCertificate]?>(nil)

    /// Loads the anchors, which are not read again from now on.
    static func loadAndCache(_ openssl: OpenSSL) -> [OpenSSLCertificate] {
        let anchors = list(openssl)
        kept.withLock { $0 = anchors }
        return anchors
    }

    /// The anchors; empty if there is no file.
    static func list(_ openssl: OpenSSL) -> [OpenSSLCertificate] {
        if let kept = kept.withLock(\.self) { return kept }
        guard let path = path, let mark = FileContentsMark(path: path) else { return [] }
        return last.withLock { reading in
            if let reading, reading.path == path, reading.mark == mark { return reading.anchors }
            let anchors = (try? FileContents.read(path, limit: maximumBytes)).map {
                OpenSSLCertificate.list(pem: $0, openssl)
            }
            reading = Reading(path: path, mark: mark, anchors: anchors ?? [])
            return anchors ?? []
        }
    }

    /// The anchors in DER.
    ///
    /// - Throws: `errSecNotAvailable` if OpenSSL is not installed.
    static func encodings() throws(KeychainError) -> [[UInt8]] { list(try OpenSSL.shared).map(\.der) }

    /// The contents of the file, in PEM; `nil` if there is none.
    package static var pem: [UInt8]? { path.flatMap { try? Array(FileContents.read($0, limit: maximumBytes)) } }

    /// The file without symbolic links, so that a change of their target is detected.
    private static var path: String? {
        let named = try? ProcessEnvironment.path(environmentVariable)
        guard let place = named ?? places.first(where: { access($0, R_OK) == 0 }),
            let resolved = realpath(place, nil)
        else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }
}

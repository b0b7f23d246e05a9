// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Why bytes are no certificate.
package struct CertificateError: Error, Sendable, Hashable {
    /// Which field is wrong, and what is wrong with it; never what it holds.
    package var reason: String

    /// What Apple's functions return for it: `errSecDecode`.
    package var status: Status { .decode }

    init(_ reason: String) { self.reason = reason }
}

extension CertificateError: CustomStringConvertible {
    /// The reason.
    package var description: String { "not a certificate: \(reason)" }
}

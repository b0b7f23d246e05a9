// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The reason that bytes are not a certificate.
package struct CertificateError: Error, Sendable, Hashable {
    /// The invalid field and the defect; never its value.
    package var reason: String

    /// The status that Apple's functions return for it: `errSecDecode`.
    package var status: Status { .decode }

    init(_ reason: String) { self.reason = reason }
}

extension CertificateError: CustomStringConvertible {
    /// The reason.
    package var description: String { "not a certificate: \(reason)" }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainASN1
import KeychainCore
import SwiftASN1

/// When a certificate may be used (RFC 5280, section 4.1.2.5); both ends are part of the time.
public struct Validity: Sendable, Hashable {
    /// The first moment.
    public let notBefore: Timestamp
    /// The last moment.
    public let notAfter: Timestamp

    init(_ node: ASN1Node) throws(CertificateError) {
        var fields = try FieldReader(node, "the validity")
        notBefore = try CertificateTime.timestamp(fields.next("start"), "the start of the validity")
        notAfter = try CertificateTime.timestamp(fields.next("end"), "the end of the validity")
        try fields.end()
    }

    /// Whether a moment lies in it; never when the end is before the start.
    public func contains(_ date: Timestamp) -> Bool { notBefore <= date && date <= notAfter }
}

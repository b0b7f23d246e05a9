// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// The `TSTInfo` of a timestamp authority (RFC 3161, section 2.4.2): the time at which it received a digest.
package struct TimestampInfo: Sendable, Hashable {
    /// The digest function, in dotted decimal notation.
    package let digestAlgorithm: String

    /// The digest of the signature.
    package let digest: [UInt8]

    /// The time, as the text of a GeneralizedTime, which may have fractions of a second.
    package let time: String

    /// Parses the contents of a token.
    ///
    /// - Throws: ``ContainerError``.
    package init(_ bytes: [UInt8]) throws(ContainerError) {
        var fields = try ContainerFieldReader(MessageNode.parse(bytes), "the timestamp")
        _ = try fields.integer("version of the timestamp")
        _ = try fields.objectIdentifier("policy of the timestamp")
        var imprint = try ContainerFieldReader(fields.next("digest"), "the digest of the timestamp")
        var algorithm = try ContainerFieldReader(imprint.next("digest algorithm"), "the digest algorithm")
        digestAlgorithm = "\(try algorithm.objectIdentifier("digest algorithm"))"
        digest = Array(try imprint.octets("digest"))
        try imprint.end()
        guard try fields.next("serial number").identifier == .integer else {
            throw .malformed("the serial number of the timestamp is not a number")
        }
        let node = try fields.next("time")
        guard node.identifier == .generalizedTime, case .primitive(let octets) = node.content else {
            throw .malformed("the time of the timestamp is not a time")
        }
        time = String(decoding: octets, as: UTF8.self)
    }
}

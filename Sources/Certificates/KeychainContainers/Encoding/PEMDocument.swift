// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// A document between lines of dashes (RFC 7468): a label, and bytes.
package struct PEMDocument: Sendable, Hashable {
    /// What stands behind `BEGIN`, for example `CERTIFICATE`.
    package var label: String

    /// What the text encodes, secret or not.
    package var bytes: SecretBytes

    /// A document from its parts.
    package init(_ label: String, _ bytes: SecretBytes) {
        self.label = label
        self.bytes = bytes
    }

    /// The text: lines of 64 characters, each with a line feed.
    package var text: String {
        let encoded = bytes.withUnsafeBytes { Data($0) }.base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        return "-----BEGIN \(label)-----\n\(encoded)\n-----END \(label)-----\n"
    }

    /// Whether bytes have the first line of a document in them.
    package static func isPresent(in bytes: some Sequence<UInt8>) -> Bool {
        PEMReader(bytes).hasBeginning
    }

    /// What a file encodes that is base64 alone, without lines of dashes; `nil` for another one.
    package static func bareContents(of bytes: some Sequence<UInt8>) -> SecretBytes? { try? PEMReader.decode(bytes) }

    /// The documents of a file in their order.
    ///
    /// The marks may be anywhere in their lines; text around them is passed over,
    /// as are blanks. The last document may have no end.
    ///
    /// - Throws: ``ContainerError``: `.malformed` for another document without an end, and for other characters than
    ///   base64; `.unsupported` for one with headers (RFC 1421), by which older tools say that it is encrypted.
    package static func documents(in bytes: some Sequence<UInt8>) throws(ContainerError) -> [PEMDocument] {
        var reader = PEMReader(bytes)
        var documents: [PEMDocument] = []
        while let document = try reader.next() { documents.append(document) }
        return documents
    }
}

// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// A PEM document (RFC 7468): a label, and bytes.
package struct PEMDocument: Sendable, Hashable {
    /// The label after `BEGIN`, such as `CERTIFICATE`.
    package var label: String

    /// The encoded bytes, which may be secret.
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

    /// Whether bytes contain the first line of a document.
    package static func isPresent(in bytes: some Sequence<UInt8>) -> Bool {
        PEMReader(bytes).hasBeginning
    }

    /// The bytes that a file encodes if it is base64 without PEM lines; `nil` for any other file.
    package static func bareContents(of bytes: some Sequence<UInt8>) -> SecretBytes? { try? PEMReader.decode(bytes) }

    /// The documents of a file in their order.
    ///
    /// The marks may be anywhere in their lines; text around them is ignored, as are blanks. The last document may lack
    /// its end.
    ///
    /// - Throws: ``ContainerError``: `.malformed` for any other document without an end, and for characters that are
    ///   not base64; `.unsupported` for one with headers (RFC 1421), with which older tools mark it as encrypted.
    package static func documents(in bytes: some Sequence<UInt8>) throws(ContainerError) -> [PEMDocument] {
        var reader = PEMReader(bytes)
        var documents: [PEMDocument] = []
        while let document = try reader.next() { documents.append(document) }
        return documents
    }
}

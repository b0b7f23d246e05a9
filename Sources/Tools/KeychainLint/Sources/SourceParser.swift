// SPDX-License-Identifier: Apache-2.0

/// Parses text into trees; ``KeychainLint`` itself has no Swift or YAML parser.
package protocol SourceParser: Sendable {
    /// Parses a Swift file; if a part does not parse, the tree has the parts that do.
    func parse(swift text: [UInt8]) -> SwiftTree

    /// Parses a YAML document.
    func parse(yaml text: String) throws(SourceError) -> YAMLNode
}

// SPDX-License-Identifier: Apache-2.0

/// What turns text into trees; ``KeychainLint`` itself has no parser of Swift and YAML.
package protocol SourceParser: Sendable {
    /// Parses a Swift file; what does not parse becomes a tree with the parts that do.
    func parse(swift text: [UInt8]) -> SwiftTree

    /// Parses a YAML document.
    func parse(yaml text: String) throws(SourceError) -> YAMLNode
}

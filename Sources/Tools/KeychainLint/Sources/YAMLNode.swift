// SPDX-License-Identifier: Apache-2.0

/// A node of a YAML document.
package struct YAMLNode: Sendable {
    package indirect enum Kind: Sendable {
        case null
        case scalar(String)
        case sequence([YAMLNode])
        case mapping([(key: String, value: YAMLNode)])
    }

    package var kind: Kind
    /// The line it starts on, from 1.
    package var line: Int

    package init(_ kind: Kind, line: Int) {
        self.kind = kind
        self.line = line
    }

    package subscript(_ key: String) -> YAMLNode? {
        guard case .mapping(let pairs) = kind else { return nil }
        return pairs.first { $0.key == key }?.value
    }

    package var string: String? {
        guard case .scalar(let text) = kind else { return nil }
        return text
    }

    package var elements: [YAMLNode] {
        guard case .sequence(let nodes) = kind else { return [] }
        return nodes
    }

    package var pairs: [(key: String, value: YAMLNode)] {
        guard case .mapping(let pairs) = kind else { return [] }
        return pairs
    }
}

/// A file that cannot be read, with a message for the user.
package struct SourceError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

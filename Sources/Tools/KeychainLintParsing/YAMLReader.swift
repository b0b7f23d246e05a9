// SPDX-License-Identifier: Apache-2.0
#if Lint
import KeychainLint
import Yams

extension SyntaxParser {
    package func parse(yaml text: String) throws(SourceError) -> YAMLNode {
        do {
            guard let node = try Yams.compose(yaml: text) else { return YAMLNode(.null, line: 1) }
            return Self.convert(node, depth: 0)
        } catch {
            throw SourceError("\(error)".split(separator: "\n").joined(separator: " "))
        }
    }

    private static func convert(_ node: Node, depth: Int) -> YAMLNode {
        let line = node.mark?.line ?? 1
        guard depth < 64 else { return YAMLNode(.null, line: line) }
        switch node {
        case .scalar(let scalar): return YAMLNode(.scalar(scalar.string), line: line)
        case .sequence(let sequence):
            return YAMLNode(.sequence(sequence.map { convert($0, depth: depth + 1) }), line: line)
        case .mapping(let mapping):
            let pairs = mapping.map { (key: $0.key.string ?? "", value: convert($0.value, depth: depth + 1)) }
            return YAMLNode(.mapping(pairs), line: line)
        case .alias: return YAMLNode(.null, line: line)
        }
    }
}
#endif

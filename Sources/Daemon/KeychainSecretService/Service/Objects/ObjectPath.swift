// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The path of an object of the service (Secret Service API, "Object paths").
///
/// Only what ``text`` writes is parsed.
enum ObjectPath: Sendable, Hashable {
    case service
    case collection(CollectionName)
    /// Of an alias, by its name, which stands for a collection.
    case alias(String)
    case item(CollectionName, ItemIdentifier)
    case session(Bytes16)
    case prompt(Bytes16)

    /// The path that stands for no object.
    static let none = "/"

    /// The path of the service, below which all others are.
    static let root = "/org/freedesktop/secrets"

    /// The longest path of an object: a longer one is refused before it is looked at.
    static let maximumByteCount = PathElement.maximumByteCount + 128

    /// Parses a path; `nil` for that of no object.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumByteCount else { return nil }
        guard text != Self.root else {
            self = .service
            return
        }
        let names = text.split(separator: "/", maxSplits: 7, omittingEmptySubsequences: false).map(String.init)
        guard names.count == 6 || names.count == 7, names[0].isEmpty,
            names[1...3].elementsEqual(["org", "freedesktop", "secrets"])
        else { return nil }
        switch (names[4], names.count) {
        case ("collection", 6):
            guard let name = CollectionName(element: names[5]) else { return nil }
            self = .collection(name)
        case ("collection", 7):
            guard let name = CollectionName(element: names[5]), let item = Self.identifier(names[6]) else {
                return nil
            }
            self = .item(name, item)
        case ("aliases", 6):
            guard PathElement.isValid(names[5]), let name = PathElement.name(names[5]) else { return nil }
            self = .alias(name)
        case ("session", 6):
            guard let session = Self.identifier(names[5]) else { return nil }
            self = .session(session)
        case ("prompt", 6):
            guard let prompt = Self.identifier(names[5]) else { return nil }
            self = .prompt(prompt)
        default: return nil
        }
    }

    /// The path.
    var text: String {
        switch self {
        case .service: Self.root
        case .collection(let name): "\(Self.root)/collection/\(name.element)"
        case .alias(let name): "\(Self.root)/aliases/\(PathElement.of(name))"
        case .item(let name, let item): "\(Self.root)/collection/\(name.element)/\(item.bytes.hexadecimal)"
        case .session(let session): "\(Self.root)/session/\(session.bytes.hexadecimal)"
        case .prompt(let prompt): "\(Self.root)/prompt/\(prompt.bytes.hexadecimal)"
        }
    }

    /// 32 digits in lower case only: an object has one path.
    private static func identifier(_ text: String) -> Bytes16? {
        guard text.utf8.count == 2 * Bytes16.count,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return [UInt8](hexadecimal: text).flatMap { Bytes16($0) }
    }
}

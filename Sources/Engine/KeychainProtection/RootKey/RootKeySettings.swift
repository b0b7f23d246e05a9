// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// What a file beside a store says of its root key, where that is not in a file itself: of which kind it is, and by
/// what its source finds it (Documentation/Format.md, "Settings of the root key").
///
/// It holds nothing secret. The code of the keybag covers it, so that nobody leads the store to another root key, or
/// its source to another way to use it.
package struct RootKeySettings: Sendable, Hashable {
    /// The kind of the root key, one that has settings.
    package let kind: RootKeyKind
    /// What else the source needs to know, in the order of the file.
    package let parameters: [Parameter]
    /// The file.
    package let bytes: [UInt8]

    /// One thing that a source needs to know.
    package struct Parameter: Sendable, Hashable {
        /// A lower-case letter, then such letters, digits and hyphens.
        package let name: String
        /// Printable ASCII, neither empty nor with a space at an end.
        package let value: String

        /// A parameter.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The largest file, in bytes.
    package static let byteLimit = 8192
    fileprivate static let nameByteLimit = 64
    private static let parameterLimit = 64
    private static let version = "1"

    /// Settings to be written.
    ///
    /// - Throws: ``RootKeySettingsFault/damaged(_:)`` for parameters that cannot be written.
    package init(_ kind: RootKeyKind, _ parameters: [Parameter]) throws(RootKeySettingsFault) {
        let lines = [Parameter("version", Self.version), Parameter("kind", kind.name)] + parameters
        try self.init(Array(lines.map { "\($0.name) = \($0.value)\n" }.joined().utf8))
    }

    /// Reads a file, whoever wrote it.
    ///
    /// - Throws: ``RootKeySettingsFault``.
    package init(_ bytes: [UInt8]) throws(RootKeySettingsFault) {
        guard bytes.count <= Self.byteLimit else { throw .damaged("it is longer than \(Self.byteLimit) bytes") }
        guard bytes.last == UInt8(ascii: "\n") else { throw .damaged("its last line has no end") }
        var lines: [Parameter] = []
        for line in bytes.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            guard let line = Parameter(line: line) else {
                throw .damaged("line \(lines.count + 1) is not of the form 'name = value'")
            }
            guard !lines.contains(where: { $0.name == line.name }) else {
                throw .damaged("line \(lines.count + 1) has the name of another one")
            }
            guard lines.count < Self.parameterLimit + 2 else {
                throw .damaged("it has more than \(Self.parameterLimit) parameters")
            }
            // What else may be there is another version's to say.
            if lines.isEmpty {
                guard line.name == "version" else { throw .damaged("its first line is not that of the version") }
                guard line.value == Self.version else { throw .unknownVersion }
            }
            lines.append(line)
        }
        guard lines.count > 1, lines[1].name == "kind" else {
            throw .damaged("its second line is not that of the kind")
        }
        guard let kind = RootKeyKind(name: lines[1].value), kind.hasSettings else { throw .unknownKind }
        self.kind = kind
        self.bytes = bytes
        parameters = Array(lines.dropFirst(2))
    }

    /// The value of a parameter; `nil` if it is not there.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// What the code of the keybag covers.
    var digest: SHA256Digest { SHA256.hash(data: bytes) }
}

extension RootKeySettings.Parameter {
    fileprivate init?(line: ArraySlice<UInt8>) {
        guard line.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        let name = line.prefix { $0 != UInt8(ascii: " ") }
        let separator = line.dropFirst(name.count).prefix(3)
        let value = line.dropFirst(name.count + 3)
        guard Self.isName(name), separator.elementsEqual(" = ".utf8), let first = value.first, let last = value.last,
            first != UInt8(ascii: " "), last != UInt8(ascii: " ")
        else { return nil }
        self.init(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count <= RootKeySettings.nameByteLimit, let first = name.first, isLetter(first) else { return false }
        return name.allSatisfy {
            isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}

extension RootKeyKind {
    /// Whether settings beside the store say where a root key of this kind is: of all but those that lie in the file
    /// `root.key`, and that of keychain files.
    var hasSettings: Bool { self != .software && self != .published }
}

/// What can be wrong with the settings of a root key.
package enum RootKeySettingsFault: Error, Sendable, Hashable {
    /// There are none, although there is a store that needs them.
    case missing
    /// They are none, and why.
    case damaged(String)
    /// They have a version that this program does not know.
    case unknownVersion
    /// They are for a kind of root key that this program does not know, or that has no settings.
    case unknownKind
    /// They are for a kind of root key that this program cannot use.
    case unserved(RootKeyKind)
    /// They are not those with which the store got its root key.
    case foreign
    /// The root key that they are for cannot be used now, and why.
    case unreachable(String)
}

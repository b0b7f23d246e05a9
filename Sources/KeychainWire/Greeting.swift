// SPDX-License-Identifier: Apache-2.0

/// What a program sends first on a connection: which versions of the encoding it understands.
///
/// Sixteen bytes whose layout never changes, so that programs and daemons of any two versions can tell what is wrong:
/// eight that say what is spoken; the lowest and the highest version, two bytes each, the most significant first; and
/// four that are zero, and are not looked at.
public struct ClientGreeting: Sendable, Hashable {
    /// The lowest version that the program understands.
    public var lowestVersion: UInt16
    /// The highest version that it understands.
    public var highestVersion: UInt16

    /// A greeting; of this version alone unless others are given.
    public init(
        lowestVersion: UInt16 = UInt16(WireMessage.version),
        highestVersion: UInt16 = UInt16(WireMessage.version)
    ) {
        self.lowestVersion = lowestVersion
        self.highestVersion = highestVersion
    }

    /// The greeting as it is sent.
    public var bytes: [UInt8] { Greeting.bytes(lowestVersion, highestVersion) }

    /// Reads a greeting.
    ///
    /// - Throws: ``WireError/truncated`` for another number of bytes, ``WireError/invalidValue`` for something else.
    public init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        (lowestVersion, highestVersion) = try Greeting.numbers(bytes)
        guard lowestVersion > 0, lowestVersion <= highestVersion else { throw .invalidValue }
    }
}

/// What the daemon answers to a greeting; laid out as that one.
public struct ServerGreeting: Sendable, Hashable {
    /// The version that is spoken from now on; `nil` when there is none that both understand.
    public var version: UInt16?
    /// The highest version that the daemon understands.
    public var highestVersion: UInt16

    /// The answer of a daemon to a greeting.
    public init(
        to greeting: ClientGreeting,
        lowestVersion: UInt16 = UInt16(WireMessage.version),
        highestVersion: UInt16 = UInt16(WireMessage.version)
    ) {
        let highest = min(greeting.highestVersion, highestVersion)
        version = highest >= max(greeting.lowestVersion, lowestVersion) ? highest : nil
        self.highestVersion = highestVersion
    }

    /// The answer as it is sent.
    public var bytes: [UInt8] { Greeting.bytes(version ?? 0, highestVersion) }

    /// Reads an answer.
    ///
    /// - Throws: ``WireError/truncated`` for another number of bytes, ``WireError/invalidValue`` for something else.
    public init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        let (chosen, highest) = try Greeting.numbers(bytes)
        guard chosen <= highest else { throw .invalidValue }
        version = chosen == 0 ? nil : chosen
        highestVersion = highest
    }
}

/// The layout of both greetings.
public enum Greeting {
    /// How many bytes a greeting has: 16.
    public static let byteCount = 16

    /// "swiftkc" and a byte that no text has, so that a line of text typed at the socket is none.
    private static let magic: [UInt8] = [0x73, 0x77, 0x69, 0x66, 0x74, 0x6b, 0x63, 0xff]

    static func bytes(_ first: UInt16, _ second: UInt16) -> [UInt8] {
        magic + [first, second].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } + [0, 0, 0, 0]
    }

    static func numbers(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> (UInt16, UInt16) {
        guard bytes.count == byteCount else { throw .truncated }
        var reader = WireReader(bytes)
        guard try reader.bytes(magic.count).elementsEqual(magic) else { throw .invalidValue }
        return (try reader.number(), try reader.number())
    }
}

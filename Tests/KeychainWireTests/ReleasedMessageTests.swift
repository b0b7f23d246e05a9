// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing
import WireTestSupport

@testable import KeychainWire

/// Messages as the versions of the protocol have them: programs and daemons of other releases read and write the same
/// (Documentation/Daemon.md, "Messages").
struct ReleasedMessageTests {
    private static let path =
        #filePath.components(separatedBy: "/Tests/")[0]
        + "/Tests/KeychainWireTests/Cases/messages.jsonl"

    /// A message, and its bytes.
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        /// What it is, as ``ReleasedMessageTests/name(_:)`` has it.
        let message: String
        /// The first version of the protocol that has this command; `nil` for a message that is none.
        let version: UInt16?
        /// The frame, in hexadecimal digits.
        let bytes: String

        var testDescription: String { message }

        /// Its line.
        var line: String {
            let version = version.map { #""version": \#($0), "# } ?? ""
            return #"{"message": "\#(message)", \#(version)"bytes": "\#(bytes)"}"#
        }
    }

    private static let samples = Dictionary(grouping: WireSamples.all, by: name)

    private static func rows() throws -> [Row] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Row.self, from: Data($0.utf8))
        }
    }

    /// The bytes are read as a sample, and written: in any order of the elements of a dictionary or a set.
    @Test(
        "a message of a version of the protocol has the bytes that it had in the first release",
        arguments: try rows()
    )
    func bytes(_ row: Row) throws {
        let bytes = try #require([UInt8](hexadecimal: row.bytes))
        let message = try WireMessage(SecretBytes(bytes))
        #expect(Self.samples[row.message]?.contains(message) == true, "the bytes mean something else")
        #expect(try message.encoded().unprotectedCopy.sorted() == bytes.sorted(), "it is written in another way")
        #expect(Self.version(message) == row.version)
    }

    /// With `KEYCHAIN_WIRE_WRITE` in the environment, rows are added, and those that are there stay as they are.
    @Test("every command, reply and error has the bytes of one that are never changed")
    func complete() throws {
        let known = try Set(Self.rows().map(\.message))
        let missing = try Self.samples.filter { !known.contains($0.key) }.map(Self.row).sorted {
            $0.message < $1.message
        }
        guard ProcessInfo.processInfo.environment["KEYCHAIN_WIRE_WRITE"] != nil else {
            #expect(missing.map(\.message) == [], "the comment of this test says how to add them")
            return
        }
        let text = try String(contentsOfFile: Self.path, encoding: .utf8) + missing.map { $0.line + "\n" }.joined()
        try text.write(toFile: Self.path, atomically: true, encoding: .utf8)
    }

    /// The row of the longest of some samples, which has the most values.
    private static func row(_ name: String, _ samples: [WireMessage]) throws -> Row {
        let frames = try samples.map { ($0, try $0.encoded().unprotectedCopy) }
        let (message, bytes) = try #require(frames.max { $0.1.count < $1.1.count })
        return Row(message: name, version: version(message), bytes: bytes.hexadecimal)
    }

    private static func version(_ message: WireMessage) -> UInt16? {
        guard case .command(_, let command, canAskForSecrets: _) = message else { return nil }
        return command.protocolVersion
    }

    /// The kind of a message, and of a command, a reply or an error which one it is.
    private static func name(_ message: WireMessage) -> String {
        let kind = cases(message).prefix(1)
        let which =
            switch message {
            case .command(_, let command, canAskForSecrets: _):
                (cases(command).first == "itemsExplained" ? ["explained"] : []) + [command.row.name]
            case .reply(_, let reply): cases(reply)
            case .failure(_, let error): cases(error.kind)
            case .promptReply(_, let reply): cases(reply)
            default: [] as [String]
            }
        return (kind + which).joined(separator: " ")
    }

    /// The names of a case of an enumeration, and of those that it holds alone.
    private static func cases(_ value: Any) -> [String] {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum else { return [] }
        guard let held = mirror.children.first, let name = held.label else { return ["\(value)"] }
        return [name] + cases(held.value)
    }
}

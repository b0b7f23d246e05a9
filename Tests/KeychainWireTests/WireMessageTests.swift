// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing
import WireTestSupport

@testable import KeychainWire

/// Messages as bytes, and bytes that are none.
struct WireMessageTests {
    @Test("every message comes back as it was", arguments: WireSamples.all.indices)
    func roundTrip(_ index: Int) throws {
        let message = WireSamples.all[index]
        let bytes = try message.encoded()
        #expect(try WireMessage(bytes) == message)
        let length = try bytes.withUnsafeBytes { bytes in
            try WireMessage.bodyLength(UnsafeRawBufferPointer(rebasing: bytes.prefix(WireMessage.headerByteCount)))
        }
        #expect(length == bytes.count - WireMessage.headerByteCount)
    }

    @Test("every command and every reply that is read has a sample")
    func samples() throws {
        let commands = try Self.numbers(WireSamples.commands.map { WireMessage.command(1, $0) })
        let replies = try Self.numbers(WireSamples.replies.map { WireMessage.reply(1, $0) })
        for (beginning, bodies) in [commands, replies] {
            let sampled = Set(bodies.map { $0[0] })
            for number in UInt8(0)...255 where !sampled.contains(number) {
                #expect(!Self.isRead(beginning + [number]), "a sample with the number \(number)")
            }
        }
        // The commands of a group are told apart by a second number; calls of item functions are in no group.
        let groups = zip(WireSamples.commands, commands.bodies).filter { command, _ in
            if case .history = command { true } else { command.row.family != .items }
        }.map(\.1)
        for (group, bodies) in Dictionary(grouping: groups, by: { $0[0] }) {
            let sampled = Set(bodies.map { $0[1] })
            for number in UInt8(0)...255 where !sampled.contains(number) {
                let isRead = Self.isRead(commands.beginning + [group, number])
                #expect(!isRead, "a sample with the numbers \(group) and \(number)")
            }
        }
    }

    /// What messages of one kind and number begin with, and what follows.
    private static func numbers(_ messages: [WireMessage]) throws -> (beginning: [UInt8], bodies: [[UInt8]]) {
        let all = try messages.map { Array(try $0.encoded().unprotectedCopy.dropFirst(WireMessage.headerByteCount)) }
        // The version, the kind and the number.
        let beginning = Array(try #require(all.first).prefix(10))
        try #require(all.allSatisfy { $0.starts(with: beginning) && $0.count > beginning.count })
        return (beginning, all.map { Array($0.dropFirst(beginning.count)) })
    }

    /// Whether a message may begin so: none of its numbers is unknown.
    private static func isRead(_ beginning: [UInt8]) -> Bool {
        do throws(WireError) { _ = try WireMessage(frame(beginning)) } catch { return error != .unknownCase }
        return true
    }

    @Test("what a comparison leaves aside comes back as well: the enrolled set of an access control")
    func enrolledSet() throws {
        for accessControl in WireSamples.accessControls {
            let message = WireMessage.command(1, .enclave(.makeKey(.p256, accessControl, nil)))
            guard
                case .command(_, .enclave(.makeKey(_, let read, _)), canAskForSecrets: _) = try WireMessage(
                    message.encoded()
                )
            else {
                Issue.record("another message")
                return
            }
            #expect(read.enrolledSet == accessControl.enrolledSet)
        }
    }

    @Test("a message that is cut short anywhere is none, with a length that says so or not")
    func truncation() throws {
        for message in WireSamples.all {
            let whole = try message.encoded().unprotectedCopy
            for count in whole.indices {
                #expect(throws: WireError.self) { try WireMessage(SecretBytes(Array(whole[..<count]))) }
                guard count >= WireMessage.headerByteCount else { continue }
                #expect(throws: WireError.self) { try WireMessage(Self.frame(Array(whole[4..<count]))) }
            }
        }
    }

    @Test("a message of a kind that its sender does not send is refused before its values are read")
    func sender() throws {
        for message in WireSamples.all {
            let sender = message.isOfProgram ? WireMessage.Sender.program : .keychain
            let frame = try message.encoded().unprotectedCopy
            #expect(try frame.withUnsafeBytes { try WireMessage(frame: $0, from: sender) } == message)
            let begun = Self.frame(Array(frame[4..<6]))
            for other in [WireMessage.Sender.program, .keychain] {
                #expect(throws: sender == other ? WireError.truncated : .unknownCase) {
                    try begun.withUnsafeBytes { try WireMessage(frame: $0, from: other) }
                }
            }
        }
    }

    @Test("the memory of a message is that of its bytes, and more for each element")
    func memory() throws {
        func byteCount(_ groups: [String]) throws -> Int {
            let frame = try WireMessage.observe(1, Client(accessGroups: groups)).encoded()
            return try frame.withUnsafeBytes { try WireMessage.ofProgram($0) }.byteCount - frame.count
        }
        #expect(try byteCount([]) == 0)
        #expect(try byteCount(["a", "b"]) == 2 * 256)
        #expect(try byteCount([String(repeating: "a", count: 1000)]) == 256)
        #expect(throws: WireError.tooLong) {
            try byteCount(Array(repeating: "", count: WireMessage.maximumProgramElements + 1))
        }
    }

    @Test(
        "a text of a program that takes too long to compare is refused wherever it stands, and one of the keychain is read",
        .timeLimit(.minutes(1))
    )
    func marks() throws {
        let text = "a" + String(repeating: "\u{301}\u{323}", count: 1_000)
        let client = Client(accessGroups: ["a"])
        let operations: [KeychainRequest.Operation] = [
            .copyMatching([text: .null]), .copyMatching(["acct": .string(text)]),
            .copyMatching(["m_ItemList": .array([.string(text)])]), .add(["acct": .uuid(text)]),
        ]
        var messages = operations.map { WireMessage.command(1, .items(KeychainRequest($0, client: client))) }
        messages += [
            .observe(1, Client(accessGroups: ["a", text])),
            .observe(1, Client(accessGroups: ["a"], appClipIdentifier: text)),
            .command(1, .authentication(.evaluate(.policy(.deviceOwner), reason: text, AuthenticationContext()))),
        ]
        for message in messages {
            #expect(throws: WireError.tooManyMarks) { try WireMessage(message.encoded()) }
        }
        #expect(KeychainError(WireError.tooManyMarks).status == .parameter)
        let answer = WireMessage.failure(1, KeychainError(.io, text))
        guard case .failure(1, let error) = try WireMessage(answer.encoded()) else {
            Issue.record("another message")
            return
        }
        #expect(error.reason.utf8.elementsEqual(text.utf8))
    }

    private static let maximumAlteredBytes = 100

    @Test("altered bytes give an error or another message, which is one in every respect")
    func mutation() throws {
        var generator = SeededGenerator(seed: 13)
        var read = 0
        for message in WireSamples.all {
            let whole = try message.encoded().unprotectedCopy
            // Of a long message every so many bytes, beginning with another one for each message.
            let step = max(1, whole.count / Self.maximumAlteredBytes)
            for index in stride(from: Int.random(in: 0..<step, using: &generator), to: whole.count, by: step) {
                var altered = whole
                for byte: UInt8 in [0, 1, 0x7f, 0xff, whole[index] ^ 1, .random(in: 0...255, using: &generator)] {
                    altered[index] = byte
                    guard let other = try? WireMessage(SecretBytes(altered)) else { continue }
                    read += 1
                    // A number that is none is equal to nothing, so the lengths are compared.
                    let again = try other.encoded()
                    #expect(try WireMessage(again).encoded().count == again.count)
                }
            }
        }
        #expect(read > 0)
    }

    @Test("what is no message is refused for what it is")
    func refusals() throws {
        let message = try WireMessage.command(1, .device(.unlock(WireSamples.secret("1234")))).encoded().unprotectedCopy
        let body = Array(message[4...])
        func error(_ body: [UInt8]) -> WireError? {
            do throws(WireError) {
                _ = try WireMessage(Self.frame(body))
                return nil
            } catch {
                return error
            }
        }
        #expect(error(body) == nil)
        #expect(error(body + [0]) == .trailingBytes)
        #expect(error([2] + body.dropFirst()) == .version)
        #expect(error([1, 0] + body.dropFirst(2)) == .unknownCase)
        #expect(error(Array(body.dropLast())) == .truncated)
        // A length of four gigabytes, for four bytes.
        #expect(error(body.dropLast(9) + [0xff, 0xff, 0xff, 0xff] + body.suffix(5)) == .truncated)
        // Text that is not UTF-8, and a key that comes twice.
        let strings = try WireMessage.failure(1, KeychainError(.io, "ab", facts: ["k": "", "l": ""])).encoded()
        let text = Array(strings.unprotectedCopy[4...])
        #expect(error(Self.replacing(Array("ab".utf8), with: [0xc3, 0x28], in: text)) == .invalidValue)
        #expect(error(Self.replacing(Array("l".utf8), with: Array("k".utf8), in: text)) == .invalidValue)
    }

    @Test("a frame longer than is allowed is refused by its first four bytes, and is not made")
    func tooLong() throws {
        let header: [UInt8] = [0x04, 0, 0, 1]
        #expect(throws: WireError.tooLong) { try header.withUnsafeBytes { try WireMessage.bodyLength($0) } }
        #expect(throws: WireError.truncated) { try [UInt8]().withUnsafeBytes { try WireMessage.bodyLength($0) } }
        let largest = SecretBytes(count: WireMessage.longestBody) { _ in }
        #expect(throws: WireError.tooLong) { try WireMessage.reply(1, .secret(largest)).encoded() }
    }

    @Test("more values than are allowed are neither written nor read, however few bytes they take")
    func tooMany() throws {
        // One entry, an array in an array; a value that is none would be found next.
        let maximum = WireMessage.maximumProgramElements
        func error(outer: Int, inner: Int) -> WireError? {
            let start: [UInt8] = [1, 1] + [UInt8](repeating: 0, count: 8) + [1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0x6b]
            let body = start + [8] + Self.bigEndian(outer) + [8] + Self.bigEndian(inner)
            do throws(WireError) {
                _ = try WireMessage(Self.frame(body + [UInt8](repeating: 0, count: maximum)))
                return nil
            } catch {
                return error
            }
        }
        let half = maximum / 2
        #expect(error(outer: half, inner: half - 1) == .unknownCase)
        #expect(error(outer: half, inner: half) == .tooLong)
        #expect(error(outer: maximum, inner: 0) == .tooLong)
        let client = Client(accessGroups: Array(repeating: "", count: WireMessage.maximumElements + 1))
        #expect(throws: WireError.tooLong) {
            try WireMessage.command(1, .items(KeychainRequest(.delete([:]), client: client))).encoded()
        }
    }

    @Test("values that lie in each other too deep are neither written nor read", arguments: [15, 16, 17, 100_000])
    func depth(_ depth: Int) throws {
        // Made from the inside; by hand, because what is too deep is not written.
        let body =
            [1, 1] + [UInt8](repeating: 0, count: 8) + [1, 1, 0, 0, 0, 1, 0, 0, 0, 1, UInt8(ascii: "k")]
            + Array([[UInt8]](repeating: [8, 0, 0, 0, 1], count: depth).joined()) + [1]
            + [0, 0, 0, 0] + [0, 0, 0, 0, 1, 0, 0] + [0]
        if depth <= 16 {
            let message = try WireMessage(Self.frame(body))
            #expect(try WireMessage(message.encoded()) == message)
        } else {
            #expect(throws: WireError.tooDeep) { try WireMessage(Self.frame(body)) }
        }
        guard depth < 1000 else { return }
        var value = PropertyValue.null
        for _ in 0..<depth { value = .array([value]) }
        let message = WireMessage.command(
            0,
            .items(KeychainRequest(.add(["k": value]), client: WireSamples.clients[0]))
        )
        let isWritten = (try? message.encoded()) != nil
        #expect(isWritten == (depth <= 16))
    }

    @Test("a failure says that a message could not be used, and nothing of what is in it")
    func failures() {
        let error = KeychainError(WireError.tooLong)
        #expect(error.kind == .transport && error.status == .dataTooLarge)
        #expect(KeychainError(WireError.truncated).status == .internalComponent)
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }

    private static func frame(_ body: [UInt8]) -> SecretBytes {
        SecretBytes(withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body)
    }

    private static func replacing(_ old: [UInt8], with new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for index in bytes.indices.reversed() where bytes[index...].starts(with: old) {
            bytes.replaceSubrange(index..<(index + old.count), with: new)
            return bytes
        }
        return bytes
    }
}

extension WireMessage {
    /// Whether programs send such messages.
    fileprivate var isOfProgram: Bool {
        switch self {
        case .command, .promptReply, .authenticator, .observe: true
        case .reply, .failure, .prompt, .endPrompt, .authenticatorStatus, .working, .goodbye, .changed: false
        }
    }
}

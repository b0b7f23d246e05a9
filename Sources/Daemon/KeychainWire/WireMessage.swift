// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A message between a program and the process that owns its keychain.
///
/// Each is a frame: the number of bytes that follow, in four bytes; the version of the encoding and the kind of
/// message, a byte each; a number that links related messages, in eight bytes; and the values, one after the other.
/// Integers have a fixed size and are big-endian, a binary64 number is its eight bytes (IEEE 754). Text is UTF-8, and
/// like all byte strings is preceded by its length in four bytes; lists are preceded by the number of their elements. A
/// case of an enumeration is a byte, followed by its associated values. There is no padding, and nothing follows the
/// last value.
///
/// With the first message on a connection after the greeting, a program passes a descriptor (SCM_RIGHTS, unix(7)),
/// which is closed unused. A program that merely copies bytes to a socket that it inherited, and which another program
/// connected before execve(2), cannot do that.
package enum WireMessage: Sendable, Hashable {
    /// From the program: a command, and whether a user could type at the program if it prompts.
    ///
    /// Numbers start at 1 on each connection, and every command has a higher one than the previous.
    case command(UInt64, KeychainCommand, canAskForSecrets: Bool = false)
    /// From the keychain: what came of the command of this number.
    case reply(UInt64, KeychainReply)
    /// From the keychain: why the command of this number failed.
    ///
    /// The number 0 refers to the connection itself: it is refused or ended, and nothing unanswered was done.
    case failure(UInt64, KeychainError)
    /// From the keychain: a prompt to the user.
    case prompt(UInt64, WirePrompt)
    /// From the keychain: the question of this number is cancelled.
    case endPrompt(UInt64)
    /// From the program: the answer to the question of this number.
    case promptReply(UInt64, AuthenticationReply)
    /// From the keychain: whether and how the user could be prompted.
    case authenticatorStatus(UInt64)
    /// From the program: the answer to that.
    case authenticator(UInt64, Biometry, canAskForSecrets: Bool)
    /// From the keychain: the command of this number is still in progress.
    case working(UInt64)
    /// From the keychain: no further command is accepted on this connection; the number of the last that was.
    case goodbye(UInt64)
    /// From the program: it sends no more commands on this connection, and subscribes to other programs' changes in the
    /// groups of this client.
    case observe(UInt64, Client)
    /// From the keychain: some of these items may have changed.
    case changed(UInt64, ChangeNotice)

    /// The version of the encoding of frames, the same in all versions of the protocol; no other is read.
    package static let version: UInt8 = 1

    /// The size of the length field in bytes.
    package static let headerByteCount = 4

    /// The maximum number of bytes after the first four: 64 MiB, so that an item with the largest secret and as many
    /// bytes of attributes fits.
    package static let longestBody = 64 << 20

    /// The maximum number of elements that all lists, sets and dictionaries of a message may have together.
    ///
    /// An element can be a single byte, and takes many times that in memory once it is decoded.
    static let maximumElements = 4 << 20

    /// The maximum number of elements of a message from a program, such as attributes, and items that a search is
    /// limited to.
    static let maximumProgramElements = 64 << 10

    /// The sender of a message.
    package enum Sender: Sendable, Hashable {
        /// A program.
        case program
        /// The keychain.
        case keychain
    }

    /// The estimated memory of each element of a program's message, in addition to its bytes in the message.
    private static let byteCountOfElement = 256

    /// How deep values may nest.
    static let maximumDepth = 16

    /// The whole frame.
    ///
    /// - Throws: ``WireError/tooLong``, ``WireError/tooDeep``.
    package func encoded() throws(WireError) -> SecretBytes {
        var writer = WireWriter()
        try writer.write(UInt32(0))
        try writer.write(Self.version)
        try write(to: &writer)
        writer.overwrite(UInt32(writer.byteCount - Self.headerByteCount), at: 0)
        return writer.finish()
    }

    /// The message of a whole frame, and of nothing else.
    ///
    /// - Throws: ``WireError``.
    package init(_ frame: SecretBytes) throws(WireError) {
        self = try frame.withUnsafeBytes { (bytes) throws(WireError) in try WireMessage(frame: bytes) }
    }

    /// The message of a whole frame, and of nothing else.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - sender: the sender; `nil` if either is possible.
    /// - Throws: ``WireError``; ``WireError/unknownCase``, before the values are decoded, for a kind that the sender
    ///   never sends.
    package init(frame: UnsafeRawBufferPointer, from sender: Sender? = nil) throws(WireError) {
        self = try Self.read(frame, from: sender).message
    }

    /// A message from a program, and the number of bytes that it counts as.
    ///
    /// - Throws: ``WireError``, like ``init(frame:from:)``.
    package static func ofProgram(
        _ frame: UnsafeRawBufferPointer
    ) throws(WireError) -> (message: WireMessage, byteCount: Int) {
        let (message, elementCount) = try read(frame, from: .program)
        return (message, frame.count + elementCount * byteCountOfElement)
    }

    private static func read(
        _ frame: UnsafeRawBufferPointer,
        from sender: Sender?
    ) throws(WireError) -> (message: WireMessage, elementCount: Int) {
        var reader = WireReader(frame)
        guard try bodyLength(reader.bytes(headerByteCount)) == frame.count - headerByteCount else {
            throw .invalidValue
        }
        guard try reader.number(UInt8.self) == version else { throw .version }
        let actual = try Sender(ofKind: reader.next)
        guard sender ?? actual == actual else { throw .unknownCase }
        if actual == .program { reader.distrust() }
        let message = try reader.value(WireMessage.self)
        guard reader.isAtEnd else { throw .trailingBytes }
        return (message, reader.totalElementCount)
    }

    /// The number of bytes after the first four of a frame.
    ///
    /// - Throws: ``WireError/truncated`` for fewer than four bytes, ``WireError/tooLong`` for more than
    ///   ``longestBody``.
    package static func bodyLength(_ header: UnsafeRawBufferPointer) throws(WireError) -> Int {
        var reader = WireReader(header)
        let count = Int(try reader.number(UInt32.self))
        guard count <= longestBody else { throw .tooLong }
        return count
    }
}

extension WireMessage.Sender {
    /// The sender of messages of a kind.
    fileprivate init(ofKind kind: UInt8) throws(WireError) {
        switch kind {
        case 1, 6, 8, 11: self = .program
        case 2, 3, 4, 5, 7, 9, 10, 12: self = .keychain
        default: throw .unknownCase
        }
    }
}

extension WireMessage: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .command(let number, let command, let canAskForSecrets):
            try writer.write(case: 1, number, command, canAskForSecrets)
        case .reply(let number, let reply): try writer.write(case: 2, number, reply)
        case .failure(let number, let error): try writer.write(case: 3, number, error)
        case .prompt(let number, let prompt): try writer.write(case: 4, number, prompt)
        case .endPrompt(let number): try writer.write(case: 5, number)
        case .promptReply(let number, let reply): try writer.write(case: 6, number, reply)
        case .authenticatorStatus(let number): try writer.write(case: 7, number)
        case .authenticator(let number, let biometry, let canAskForSecrets):
            try writer.write(case: 8, number, biometry, canAskForSecrets)
        case .working(let number): try writer.write(case: 9, number)
        case .goodbye(let number): try writer.write(case: 10, number)
        case .observe(let number, let client): try writer.write(case: 11, number, client)
        case .changed(let number, let notice): try writer.write(case: 12, number, notice)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.tag()
        let number = try reader.value(UInt64.self)
        switch tag {
        case 1: self = .command(number, try reader.value(), canAskForSecrets: try reader.value())
        case 2: self = .reply(number, try reader.value())
        case 3: self = .failure(number, try reader.value())
        case 4: self = .prompt(number, try reader.value())
        case 5: self = .endPrompt(number)
        case 6: self = .promptReply(number, try reader.value())
        case 7: self = .authenticatorStatus(number)
        case 8: self = .authenticator(number, try reader.value(), canAskForSecrets: try reader.value())
        case 9: self = .working(number)
        case 10: self = .goodbye(number)
        case 11: self = .observe(number, try reader.value())
        case 12: self = .changed(number, try reader.value())
        default: throw .unknownCase
        }
    }
}

/// A prompt to the user, without what ends it: that is a message of its own.
package struct WirePrompt: Sendable, Hashable {
    /// The requested kind of prompt.
    package var kind: AuthenticationPrompt.Kind
    /// Why, in the program's words.
    package var reason: String
    /// The label of the answer.
    package var label: String?
    /// The title of the cancel button.
    package var cancelTitle: String?
    /// The title of the button that falls back to the passcode.
    package var fallbackTitle: String?
    /// The previous failure.
    package var problem: String?
    /// How long to wait for an answer, in seconds.
    package var timeoutSeconds: Double

    /// A question as it is sent.
    package init(_ prompt: AuthenticationPrompt) {
        kind = prompt.kind
        reason = prompt.reason
        label = prompt.label
        cancelTitle = prompt.cancelTitle
        fallbackTitle = prompt.fallbackTitle
        problem = prompt.problem
        timeoutSeconds = prompt.timeoutSeconds
    }

    /// The question as it is put, with what ends it.
    package func prompt(_ cancellation: PromptCancellation) -> AuthenticationPrompt {
        AuthenticationPrompt(
            kind,
            reason: reason,
            label: label,
            cancelTitle: cancelTitle,
            fallbackTitle: fallbackTitle,
            problem: problem,
            timeoutSeconds: timeoutSeconds,
            cancellation: cancellation
        )
    }
}

extension WirePrompt: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try kind.write(to: &writer)
        try reason.write(to: &writer)
        for text in [label, cancelTitle, fallbackTitle, problem] { try text.write(to: &writer) }
        try timeoutSeconds.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        kind = try reader.value()
        reason = try reader.value()
        label = try reader.value()
        cancelTitle = try reader.value()
        fallbackTitle = try reader.value()
        problem = try reader.value()
        timeoutSeconds = try reader.value()
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// The server's side of the authentication of a connection (D-Bus Specification, "Authentication Protocol").
///
/// Only EXTERNAL is offered: who connected is known from the kernel, and the client at most repeats it.
package struct BusHandshake: Sendable {
    /// The longest line of a client, without its end.
    package static let longestLine = 1_024

    /// How many lines a client may send.
    package static let mostLines = 32

    /// What comes next.
    package enum Progress: Sendable, Hashable {
        /// More lines are expected.
        case incomplete
        /// The client has begun to send messages.
        case complete
        /// The connection has to end.
        case refused
    }

    private enum State {
        case waitingForNull
        case waitingForAuth
        case waitingForData
        case waitingForBegin
    }

    /// Whether the client and the bus have agreed to pass descriptors.
    package private(set) var passesDescriptors = false

    /// The last progress.
    package private(set) var progress = Progress.incomplete

    private let peer: UInt32
    private let user: UInt32
    private let identifier: String
    private var state = State.waitingForNull
    private var line: [UInt8] = []
    private var lineCount = 0

    /// A handshake that has not begun.
    ///
    /// - Parameters:
    ///   - peer: the user who connected.
    ///   - user: the only user who may.
    ///   - identifier: the bus's own, of 32 hexadecimal digits.
    package init(peer: UInt32, user: UInt32, identifier: String) {
        self.peer = peer
        self.user = user
        self.identifier = identifier
    }

    /// Reads bytes up to the end of the handshake.
    ///
    /// - Returns: How many of them belong to the handshake, and what the bus answers.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> (taken: Int, answer: [UInt8]) {
        var answer: [UInt8] = []
        var taken = 0
        while progress == .incomplete, taken < bytes.count {
            receive(bytes[taken], &answer)
            taken += 1
        }
        return (taken, answer)
    }

    private mutating func receive(_ byte: UInt8, _ answer: inout [UInt8]) {
        if state == .waitingForNull {
            state = .waitingForAuth
            if byte != 0 { progress = .refused }
            return
        }
        if byte == 0x0A, line.last == 0x0D {
            line.removeLast()
            lineCount += 1
            let text = String(decoding: line, as: UTF8.self)
            line.removeAll(keepingCapacity: true)
            guard lineCount <= Self.mostLines else {
                progress = .refused
                return
            }
            if let reply = reply(to: text) { answer += Array("\(reply)\r\n".utf8) }
            return
        }
        // A carriage return only ends a line.
        guard line.last != 0x0D, (0x20...0x7E).contains(byte) || byte == 0x0D, line.count <= Self.longestLine else {
            progress = .refused
            return
        }
        line.append(byte)
    }

    private static let rejection = "REJECTED EXTERNAL"

    /// The answer to a line; `nil` for none.
    private mutating func reply(to line: String) -> String? {
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let command = words[0]
        let argument = words.count > 1 ? words[1] : ""
        switch (state, command) {
        case (.waitingForBegin, "BEGIN"):
            progress = .complete
            return nil
        case (_, "BEGIN"):
            progress = .refused
            return nil
        case (.waitingForAuth, "AUTH"): return begin(argument)
        case (.waitingForData, "DATA"): return identify(argument)
        case (.waitingForBegin, "NEGOTIATE_UNIX_FD"):
            passesDescriptors = true
            return "AGREE_UNIX_FD"
        case (.waitingForAuth, "ERROR"), (.waitingForData, "ERROR"), (.waitingForData, "CANCEL"),
            (.waitingForBegin, "ERROR"), (.waitingForBegin, "CANCEL"):
            return reject()
        default: return "ERROR unexpected command"
        }
    }

    private mutating func begin(_ argument: Substring) -> String {
        let words = argument.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.first == "EXTERNAL" else { return reject() }
        // Without an initial response, it is asked for.
        guard words.count > 1 else {
            state = .waitingForData
            return "DATA"
        }
        return identify(words[1])
    }

    /// Who the client says it is: its number in decimal digits, which are coded as hexadecimal ones; or nothing.
    private mutating func identify(_ response: Substring) -> String {
        guard peer == user, response.isEmpty || response == Self.response(for: peer) else { return reject() }
        state = .waitingForBegin
        return "OK \(identifier)"
    }

    /// What a client answers that has the number of a user.
    static func response(for user: UInt32) -> String {
        // Each digit is the low half of its code: 3 and the digit.
        String(user).map { "3\($0)" }.joined()
    }

    private mutating func reject() -> String {
        state = .waitingForAuth
        passesDescriptors = false
        return Self.rejection
    }
}

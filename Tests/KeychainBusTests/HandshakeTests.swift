// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainBus

/// The handshakes of real clients, line by line, and what else may come.
@Suite struct HandshakeTests {
    /// What a client sends at once, and what the bus answers.
    struct Step: Sendable {
        let sent: String
        let answer: String

        init(_ sent: String, _ answer: String = "") {
            self.sent = sent
            self.answer = answer
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var peer: UInt32 = 1_000
        let steps: [Step]
        var end = BusHandshake.Progress.complete
        var passesDescriptors = false

        var testDescription: String { name }
    }

    private static let identifier = "0123456789abcdef0123456789abcdef"
    private static let welcome = "OK \(identifier)\r\n"
    private static let rejection = "REJECTED EXTERNAL\r\n"
    private static let data = "DATA\r\n"
    private static let agreement = "AGREE_UNIX_FD\r\n"
    private static let complaint = "ERROR unexpected command\r\n"

    private static let clients: [Case] = [
        Case(
            name: "libdbus",
            steps: [
                Step("\0AUTH EXTERNAL 31303030\r\n", welcome), Step("NEGOTIATE_UNIX_FD\r\n", agreement),
                Step("BEGIN\r\n"),
            ],
            passesDescriptors: true
        ),
        Case(
            name: "sd-bus",
            steps: [
                Step(
                    "\0AUTH EXTERNAL\r\nDATA\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n",
                    data + welcome + agreement
                )
            ],
            passesDescriptors: true
        ),
        Case(
            name: "sd-bus before 246",
            steps: [
                Step("\0AUTH EXTERNAL 31303030\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n", welcome + agreement)
            ],
            passesDescriptors: true
        ),
        Case(
            name: "GDBus",
            steps: [
                Step("\0"), Step("AUTH\r\n", rejection), Step("AUTH EXTERNAL 31303030\r\n", welcome),
                Step("NEGOTIATE_UNIX_FD\r\n", agreement), Step("BEGIN\r\n"),
            ],
            passesDescriptors: true
        ),
        Case(name: "jeepney", steps: [Step("\0AUTH EXTERNAL 31303030\r\n", welcome), Step("BEGIN\r\n")]),
        Case(
            name: "godbus",
            steps: [
                Step("\0"), Step("AUTH\r\n", rejection), Step("AUTH EXTERNAL 31303030\r\n", welcome),
                Step("NEGOTIATE_UNIX_FD\r\n", agreement), Step("BEGIN\r\n"),
            ],
            passesDescriptors: true
        ),
        Case(
            name: "zbus",
            steps: [
                Step("\0AUTH EXTERNAL 31303030\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n", welcome + agreement)
            ],
            passesDescriptors: true
        ),
        Case(
            name: "dbus-next",
            steps: [
                Step("\0AUTH EXTERNAL 31303030\r\n", welcome), Step("NEGOTIATE_UNIX_FD\r\n", agreement),
                Step("BEGIN\r\n"),
            ],
            passesDescriptors: true
        ),
        Case(
            name: "an empty line of data with a blank",
            steps: [Step("\0AUTH EXTERNAL\r\n", data), Step("DATA \r\n", welcome), Step("BEGIN\r\n")]
        ),
        Case(
            name: "the number after the challenge",
            steps: [Step("\0AUTH EXTERNAL\r\n", data), Step("DATA 31303030\r\n", welcome), Step("BEGIN\r\n")]
        ),
        Case(
            name: "other ways first",
            steps: [
                Step("\0AUTH ANONYMOUS 61\r\n", rejection), Step("AUTH DBUS_COOKIE_SHA1 31303030\r\n", rejection),
                Step("AUTH KERBEROS_V4\r\n", rejection), Step("AUTH EXTERNAL 31303030\r\n", welcome),
                Step("BEGIN\r\n"),
            ]
        ),
        Case(
            name: "cancelled and begun again",
            steps: [
                Step("\0AUTH EXTERNAL\r\n", data), Step("CANCEL\r\n", rejection),
                Step("AUTH EXTERNAL 31303030\r\n", welcome), Step("NEGOTIATE_UNIX_FD\r\n", agreement),
                Step("CANCEL\r\n", rejection), Step("AUTH EXTERNAL 31303030\r\n", welcome), Step("BEGIN\r\n"),
            ]
        ),
        Case(
            name: "what nobody knows",
            steps: [
                Step("\0FROBNICATE\r\n", complaint), Step("\r\n", complaint), Step("auth external\r\n", complaint),
                Step("AUTH EXTERNAL 31303030\r\n", welcome), Step("AUTH EXTERNAL 31303030\r\n", complaint),
                Step("BEGIN\r\n"),
            ]
        ),
        Case(
            name: "descriptors before the identity",
            steps: [
                Step("\0NEGOTIATE_UNIX_FD\r\n", complaint), Step("AUTH EXTERNAL\r\n", data), Step("DATA\r\n", welcome),
                Step("BEGIN\r\n"),
            ]
        ),
    ]

    private static let attacks: [Case] = [
        Case(name: "no null byte", steps: [Step("AUTH EXTERNAL 31303030\r\n")], end: .refused),
        Case(name: "nothing but BEGIN", steps: [Step("\0BEGIN\r\n")], end: .refused),
        Case(name: "BEGIN after the challenge", steps: [Step("\0AUTH EXTERNAL\r\nBEGIN\r\n", data)], end: .refused),
        Case(
            name: "BEGIN after a rejection",
            steps: [Step("\0AUTH ANONYMOUS\r\nBEGIN\r\n", rejection)],
            end: .refused
        ),
        Case(
            name: "another user's number",
            steps: [
                Step("\0AUTH EXTERNAL 30\r\n", rejection), Step("AUTH EXTERNAL 3130303000\r\n", rejection),
                Step("AUTH EXTERNAL 2b31303030\r\n", rejection), Step("AUTH EXTERNAL 3031303030\r\n", rejection),
                Step("AUTH EXTERNAL 31303030 \r\n", rejection), Step("AUTH EXTERNAL 3130303\r\n", rejection),
                Step("AUTH EXTERNAL zz\r\n", rejection),
            ],
            end: .incomplete
        ),
        Case(
            name: "another user",
            peer: 0,
            steps: [
                Step("\0AUTH EXTERNAL 30\r\n", rejection), Step("AUTH EXTERNAL 31303030\r\n", rejection),
                Step("AUTH EXTERNAL\r\n", data), Step("DATA\r\n", rejection), Step("BEGIN\r\n"),
            ],
            end: .refused
        ),
        Case(name: "a line without a carriage return", steps: [Step("\0AUTH\n")], end: .refused),
        Case(name: "a carriage return within a line", steps: [Step("\0AU\rTH\r\n")], end: .refused),
        Case(name: "a null byte within a line", steps: [Step("\0AUTH\0\r\n")], end: .refused),
        Case(name: "a byte that is not ASCII", steps: [Step("\0AUTH \u{E9}\r\n")], end: .refused),
        Case(name: "a line without end", steps: [Step("\0" + String(repeating: "A", count: 2_000))], end: .refused),
        Case(
            name: "lines without end",
            steps: [
                Step(
                    "\0" + String(repeating: "AUTH\r\n", count: 40),
                    String(repeating: rejection, count: BusHandshake.mostLines)
                )
            ],
            end: .refused
        ),
    ]

    @Test("a handshake, at once and byte by byte", arguments: clients + attacks)
    func handshake(_ row: Case) {
        var whole = BusHandshake(peer: row.peer, user: 1_000, identifier: Self.identifier)
        var single = whole
        for step in row.steps {
            let sent = Array(step.sent.utf8)
            let answer = sent.withUnsafeBytes { whole.receive($0).answer }
            #expect(String(decoding: answer, as: UTF8.self) == step.answer, "\(step.sent)")
            let answers = sent.flatMap { byte in withUnsafeBytes(of: byte) { single.receive($0).answer } }
            #expect(answers == answer, "\(step.sent)")
        }
        #expect(whole.progress == row.end)
        #expect(single.progress == row.end)
        #expect(whole.passesDescriptors == row.passesDescriptors)
    }

    @Test("what comes behind the handshake belongs to the first message")
    func rest() {
        var handshake = BusHandshake(peer: 0, user: 0, identifier: Self.identifier)
        let sent = Array("\0AUTH EXTERNAL 30\r\nBEGIN\r\nl\u{1}\r\n".utf8)
        let taken = sent.withUnsafeBytes { handshake.receive($0).taken }
        #expect(sent.count - taken == 4)
        #expect(handshake.progress == .complete)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainTrace

/// Lines of a trace: what is in them, and that they are read as they were written.
struct TraceLineTests {
    private static let dictionary: PropertyDictionary = [
        "class": .string("genp"), "acct": .string("anna \"\\\n\u{7}é"), "svce": .data(SecretBytes([0, 255])),
        "pdmn": .string("ak"), "labl": .string("kSecNone"), "port": .number(.integer(-5)), "sync": .string("syna"),
        "r_Data": .boolean(true), "m_Limit": .string("m_LimitAll"),
        "cdat": .date(Timestamp(secondsSinceReferenceDate: 1.5)),
        "accc": .accessControl(AccessControl(synthesizedFor: .always)), "m_ValidOnDate": .null,
    ]

    private static func entry(_ operation: KeychainRequest.Operation) -> TraceEntry {
        let call = TracedCall(
            operation,
            client: Client(accessGroups: ["TEAMID.a", "*"], profile: .macOS, appClipIdentifier: "clip"),
            clientName: "app",
            lockState: .beforeFirstUnlock,
            status: .itemNotFound,
            reason: "no item matches",
            milliseconds: 1.25,
            stack: ["/bin/app+0x12"]
        )
        return TraceEntry(
            time: Timestamp(secondsSinceReferenceDate: 800_000_000.25),
            process: 7,
            program: "app",
            .call(call)
        )
    }

    private static func read(_ line: String) throws -> TraceEntry { try TraceEntry(line: Array(line.utf8)) }

    @Test("a call is read as it was written")
    func calls() throws {
        for operation: KeychainRequest.Operation in [
            .add(Self.dictionary), .copyMatching(Self.dictionary), .delete(Self.dictionary),
            .update(Self.dictionary, attributes: ["labl": .string("x")]),
            .set(Self.dictionary, attributes: ["labl": .string("x")], addition: ["acct": .string("y")]),
            .copyMatching(PropertyDictionary(["class": .string("keys")], foreignKeys: [.number(.integer(3))])),
        ] {
            let entry = Self.entry(operation)
            #expect(entry.line.hasPrefix("{\"v\":1,"))
            #expect(!entry.line.contains("\n"))
            #expect(try Self.read(entry.line) == entry)
        }
    }

    @Test("an event is read as it was written")
    func events() throws {
        let events: [TracedEvent] = [
            .lock, .unlock, .reboot, .setPasscode, .removePasscode, .restore, .setBiometry(kind: "touchID", set: 2),
            .setGroups(client: "app", ["a", "b"]), .setGroups(client: nil, []), .reinstall(client: "app"),
        ]
        for event in events {
            let entry = TraceEntry(time: .referenceDate, process: 1, program: "p", .event(event))
            #expect(try Self.read(entry.line) == entry)
        }
    }

    @Test("a secret is not in a line, whatever its type and under whatever key that nobody knows")
    func secrets() throws {
        let secret = "very-distinctive-secret"
        let bytes = SecretBytes(Array(secret.utf8))
        let key = KeyReference(attributes: ["kcls": .string("1")], data: bytes)
        var context = AuthenticationContext()
        context.applicationPassword = bytes
        let values: [PropertyDictionary] = [
            ["v_Data": .data(bytes)], ["v_Data": .string(secret)], ["password": .string(secret)],
            ["secr": .data(bytes)],
            ["v_Ref": .reference(.key(key))], ["u_AuthCtx": .authenticationContext(context)],
            ["acct": .string(String(repeating: secret, count: 1_000))],
            // What was put under the wrong key.
            ["v_Ref": .data(bytes)], ["v_Ref": .string(secret)], ["v_Ref": .array([.data(bytes)])],
            ["v_PersistentRef": .data(bytes)], ["v_PersistentRef": .string(secret)],
            ["u_CredRef": .data(bytes)], ["u_CredRef": .string(secret)], ["u_OpPrompt": .string(secret)],
            ["r_Data": .string(secret)], ["r_Data": .data(bytes)], ["class": .string(secret)],
            ["m_Limit": .string(secret)],
        ]
        for dictionary in values {
            let line = Self.entry(.add(dictionary)).line
            #expect(!line.contains(secret))
            #expect(!line.contains(Data(secret.utf8).base64EncodedString().dropLast(4)))
            _ = try Self.read(line)
        }
        guard case .call(let call) = try Self.read(Self.entry(.add(["v_Data": .data(bytes)])).line).content else {
            Issue.record("no call")
            return
        }
        #expect(call.operation == .add(["v_Data": .data(SecretBytes(count: bytes.count) { _ in })]))
    }

    @Test("the type of a secret is told, and of a value under a key that nobody knows")
    func types() throws {
        let given: PropertyDictionary = [
            "v_Data": .string("secret"), "pasword": .data(SecretBytes([1, 2])), "u_CredRef": .array([.null]),
        ]
        guard case .call(let call) = try Self.read(Self.entry(.add(given)).line).content else {
            Issue.record("no call")
            return
        }
        #expect(
            call.operation
                == .add(["v_Data": .string(""), "pasword": .data(SecretBytes()), "u_CredRef": .array([])])
        )
        #expect(call.hiddenKeys.isEmpty)
    }

    @Test("a large secret takes no room where a trace is read")
    func largeSecret() throws {
        var decoder = TraceDecoder()
        let read = try decoder.dictionary(.object(["kSecValueData": .object(["secret": .integer(16_000_000)])]))
        #expect(read == ["v_Data": .data(SecretBytes(count: TraceDecoder.maximumZeroCount) { _ in })])
    }

    @Test("of what is hidden only constants are shown")
    func hashedTexts() {
        let encoder = TraceEncoder(hashKey: .init(data: [UInt8](repeating: 1, count: 32)))
        let text = encoder.json([
            "pdmn": .string("MARK"), "type": .string("MARK"), "sync": .string("MARK"), "class": .string("MARK"),
            "u_OpPrompt": .string("MARK"), "kcls": .string("MARK"),
            "cdat": .date(Timestamp(secondsSinceReferenceDate: 86_400)),
            "m_Policy": .policy(.tls(isServer: true, host: "MARK")),
        ]).text
        #expect(!text.contains("MARK") && !text.contains("2001"))
    }

    @Test(
        "values that are hidden are equal under one key, and different under another; what is no value of an item is shown"
    )
    func hashes() throws {
        let (first, second) = (
            TraceEncoder(hashKey: .init(data: [UInt8](repeating: 1, count: 32))),
            TraceEncoder(hashKey: .init(data: [UInt8](repeating: 2, count: 32)))
        )
        let dictionary: PropertyDictionary = ["class": .string("genp"), "acct": .string("anna"), "pdmn": .string("ak")]
        let line = first.json(dictionary).text
        #expect(!line.contains("anna") && line.contains("kSecClassGenericPassword") && line.contains("WhenUnlocked"))
        #expect(first.json(dictionary).text == line)
        #expect(second.json(dictionary).text != line)
        var decoder = TraceDecoder()
        let read = try decoder.dictionary(first.json(dictionary))
        #expect(read == ["class": .string("genp"), "pdmn": .string("ak")])
        #expect(decoder.hiddenKeys == ["acct"])
    }

    @Test(
        "what is no line says why",
        arguments: [
            ("", TraceError.malformed("it is not JSON: a value is expected at byte 0")),
            ("{\"v\":1,", .malformed("it is not JSON: a name is expected at byte 7")),
            (
                "{\"v\":1,\"a\(String(repeating: "\u{301}", count: 1025))\":1}",
                .malformed("it is not JSON: too many combining marks follow each other at byte 2060")
            ),
            (
                "{\"v\":1,\"op\":\"a\(String(repeating: "\\u0301", count: 1025))\"}",
                .malformed("it is not JSON: too many combining marks follow each other at byte 6165")
            ),
            ("[1]", .malformed("it is no object")), ("{\"v\":2}", .version(2)), ("{\"op\":\"add\"}", .version(nil)),
            ("{\"v\":1}", .malformed("the time is missing")),
            ("{\"v\":1,\"time\":\"2026-01-01T00:00:00Z\",\"op\":\"copy\"}", .malformed("the dictionary is missing")),
            (
                "{\"v\":1,\"time\":\"2026-01-01T00:00:00Z\",\"op\":\"copy\",\"args\":{\"kSecNone\":1}}",
                .malformed("an unknown constant as a key")
            ),
        ]
    )
    func malformed(_ line: String, _ error: TraceError) {
        #expect(throws: error) { try Self.read(line) }
    }

    @Test("an altered line is one or is none, and never the end of the process")
    func mutation() throws {
        var generator = SeededGenerator(seed: 15)
        let line = Array(Self.entry(.add(Self.dictionary)).line.utf8)
        for index in line.indices {
            var altered = line
            altered[index] = .random(in: 0...255, using: &generator)
            _ = try? TraceEntry(line: altered)
            _ = try? TraceEntry(line: line[..<index])
        }
    }
}

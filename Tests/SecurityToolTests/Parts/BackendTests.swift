// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd
import KeychainTestSupport
import Synchronization
import Testing

@testable import SecurityTool

/// The command in this process, with another keychain behind it.
struct BackendTests {
    /// Statuses, what follows the name of the function, and the exit status.
    private static let statuses: [(Int32, String, Int32)] = [
        (-25291, "No keychain is available. You may need to restart your computer.\nsecurity: this is the reason", 53),
        (-25292, "This keychain cannot be modified.\nsecurity: this is the reason", 52),
        (-36, "I/O error.\nsecurity: this is the reason", 220),
        (-34018, "A required entitlement isn't present.", 30),
        (-50, "One or more parameters passed to a function were not valid.", 206),
        (-4, "Function or operation not implemented.", 252),
        (-12345, "unknown error -12345=ffffffffffffcfc7", 199),
    ]

    private static let commands: [(String, String)] = [
        ("find-generic-password -s svc -w", "SecKeychainSearchCopyNext"),
        ("find-internet-password -s svc", "SecKeychainSearchCopyNext"),
        ("delete-generic-password -s svc", "SecKeychainSearchCopyNext"),
        ("dump-keychain", "SecKeychainSearchCopyNext"),
        ("add-generic-password -a a -s svc -w hunter2", "SecKeychainItemCreateFromContent (<default>)"),
        (
            "add-generic-password -a a -s svc -w hunter2 login.keychain",
            "SecKeychainItemCreateFromContent (login.keychain)"
        ),
        ("add-internet-password -a a -s svc -w hunter2", "SecKeychainAddInternetPassword <NULL>"),
    ]

    @Test("an error of the keychain is reported by its sentence, and the status is its low byte")
    func errorsAreReported() throws {
        for (status, text, exitStatus) in Self.statuses {
            for (command, function) in Self.commands {
                let result = try run(command, FakeKeychain(failingWith: Status(rawValue: status)))
                // A dump has no other status than 0 and 1.
                let expected = command == "dump-keychain" ? (1, 1) : (status, exitStatus)
                #expect((result.status, result.status & 0xFF) == expected)
                #expect(result.output.isEmpty)
                #expect(result.errors == "security: \(function): \(text)\n")
            }
        }
    }

    @Test("a file that may not be read or written is told with the reason, a file that is not there without one")
    func permissionIsTold() {
        let refused = KeychainError(.writePermission, "open /home/bob/x", kind: .storage(.readOnly))
        let failure = CommandFailure(refused, in: "SecKeychainSearchCreateFromAttributes")
        let text = failure.message.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(failure.status == -61)
        #expect(
            text?.hasPrefix("security: SecKeychainSearchCreateFromAttributes: Write permissions error.\nsecurity: ")
                ?? false
        )
        #expect(text?.contains("/home/bob/x") ?? false)
        let message = CommandFailure(KeychainError(.writePermission, "not there"), in: "F").message
        #expect(message == "security: F: Write permissions error.")
    }

    @Test("an import adds the rest after a failure, and reports the first with the status 1")
    func importGoesOn() throws {
        let workshop = try Workshop()
        try workshop.run(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=a -out certificate.pem
            cat key.pem certificate.pem certificate.pem > all.pem
            """
        )
        let folder = try TemporaryFolder()
        let file = folder.path(of: "all.pem")
        try Data(workshop.bytes("all.pem")).write(to: URL(fileURLWithPath: file))
        let added = Mutex<[ItemClass]>([])
        let keychain = FakeKeychain { (request) throws(KeychainError) in
            guard case .add(let dictionary) = request.operation,
                case .reference(let reference)? = dictionary[PropertyKey.valueReference]
            else { throw KeychainError(.internal, "no add of a reference") }
            let number = added.withLock { added in
                added.append(reference.itemClass)
                return added.count
            }
            switch number {
            case 1: throw KeychainError(.interactionNotAllowed, "the first")
            case 2: throw KeychainError(.duplicateItem, "the second")
            default: return .nothing
            }
        }
        let result = try run("import \(file)", keychain)
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors == "security: SecKeychainItemImport: User interaction is not allowed.\n")
        #expect(added.withLock { $0 } == [.key, .certificate, .certificate])
    }

    @Test("an export reports what the keychain says with the status 1")
    func exportFails() throws {
        let result = try run("export -t certs", FakeKeychain(failingWith: .interactionNotAllowed))
        #expect(result.status == 1)
        #expect(result.errors == "security: SecKeychainItemExport: User interaction is not allowed.\n")
    }

    @Test("an update that fails is followed by an add")
    func updateThenAdd() throws {
        let result = try run("add-generic-password -U -a a -s svc", FakeKeychain(failingWith: .dataTooLarge))
        let text = try #require(Status.dataTooLarge.message)
        #expect(
            result.errors == """
                security: SecKeychainItemModifyContent: \(text)
                security: SecKeychainItemCreateFromContent (<default>): \(text)

                """
        )
    }

    @Test(
        "an update that the store does not take is refused for that, not because the item exists",
        arguments: [
            KeychainError(.diskFull, "no space", kind: .storage(.full)),
            KeychainError(.writePermission, "the file may not be written", kind: .storage(.readOnly)),
        ]
    )
    func updateOfStoreInTrouble(_ refusal: KeychainError) throws {
        let backend = FakeKeychain { (request) throws(KeychainError) in
            guard case .copyMatching = request.operation else { throw refusal }
            let attributes: [String: PropertyValue] = [
                "acct": .string("a"), "svce": .string("svc"), "agrp": .string(Client.commonGroup),
                PropertyKey.valuePersistentReference: .data(SecretBytes([UInt8](repeating: 1, count: 20))),
            ]
            let isList = request.operation.mainDictionary[PropertyKey.matchLimit] != nil
            return isList ? .list([.dictionary(attributes)]) : .single(.dictionary(attributes))
        }
        let result = try run("add-generic-password -U -a a -s svc -w v", backend)
        let text = try #require(refusal.status.message)
        #expect(result.errors == "security: SecKeychainItemModifyContent: \(text)\nsecurity: \(refusal.reason)\n")
        #expect(result.status == refusal.status.rawValue)
    }

    @Test("the command works on the keychain that it is given")
    func givenKeychain() throws {
        let keychain = try TemporaryKeychain()
        #expect(try run("add-generic-password -a alice -s svc -w secret", keychain).status == 0)
        #expect(try run("find-generic-password -s svc -w", keychain).output == "secret\n")
        #expect(try run("find-generic-password -s svc -w", TemporaryKeychain()).status == -25300)
    }

    private func run(
        _ line: String,
        _ backend: any KeychainBackend
    ) throws -> (status: Int32, output: String, errors: String) {
        let folder = try TemporaryFolder()
        let paths = ["output", "errors"].map(folder.path)
        let streams = paths.map { Output(descriptor: open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)) }
        defer { for stream in streams { close(stream.descriptor) } }
        let words = "security \(line)".split(separator: " ").map { Word(String($0)) }
        // No keychain file is listed in an empty home.
        let preferences = KeychainPreferences(home: KeychainHome(path: folder.path), systemFolder: folder.path)
        let tool = Tool(backend: backend, preferences: preferences)
        let status = tool.run(words, input: STDIN_FILENO, output: streams[0], errors: streams[1])
        let texts = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
        return (status, texts[0], texts[1])
    }
}

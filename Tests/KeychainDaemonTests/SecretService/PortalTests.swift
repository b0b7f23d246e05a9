// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainSecretService
import KeychainServer
import KeychainTestSupport
import MessageBus
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// The portal for secrets, as xdg-desktop-portal calls it for sandboxed programs.
@Suite(.timeLimit(.minutes(5)))
struct PortalTests {
    private static let application = "org.example.App"

    @Test("a program gets the same 64 bytes each time, another one others, and the pipe is closed then")
    func secrets() throws {
        let scene = try PortalScene()
        let (response, first) = try scene.retrieve(for: Self.application)
        #expect(response == 0 && first.count == 64)
        #expect(try scene.retrieve(for: Self.application).secret == first)
        #expect(try scene.retrieve(for: "org.example.Other").secret != first)
        #expect(try scene.retrieve(for: "snap.example").response == 0)
        // It is the program's own item.
        let groups = try scene.keychain.accessGroups().sorted()
        #expect(groups == ["flatpak/org.example.App", "flatpak/org.example.Other", "snap/example"])
    }

    @Test("two requests at a time make one secret")
    func concurrent() throws {
        let scene = try PortalScene()
        var pipes: [ReadablePipe] = []
        for number in 0..<4 {
            let pipe = try ReadablePipe()
            _ = try scene.send(Self.application, pipe.writing, handle: "a\(number)")
            pipe.closeWriting()
            pipes.append(pipe)
        }
        let secrets = Set(pipes.map { $0.contents() })
        #expect(secrets.count == 1 && secrets.first?.count == 64)
    }

    @Test("only the owner of the portal's name may call")
    func otherCaller() throws {
        let scene = try PortalScene(isPortal: false)
        let pipe = try ReadablePipe()
        let refusal = #expect(throws: BusError.self) {
            try scene.call(Self.application, pipe.writing, handle: "a")
        }
        #expect(refusal?.name == "org.freedesktop.DBus.Error.AccessDenied")
        pipe.closeWriting()
        #expect(pipe.contents() == [])
    }

    @Test(
        "an identifier of no sandbox gets nothing",
        arguments: ["", "a", "org.example", "org.example.", "../x.y.z", "org.example.App/", "snap.", "snap.a b", "*"]
    )
    func malformed(_ application: String) throws {
        let scene = try PortalScene()
        let (response, secret) = try scene.retrieve(for: application)
        #expect(response == 2 && secret.isEmpty)
        #expect(try scene.keychain.accessGroups().isEmpty)
    }

    @Test("a locked keychain is unlocked by a prompt, and a refused one gives nothing")
    func locked() throws {
        let scene = try PortalScene()
        let first = try scene.retrieve(for: Self.application).secret
        try scene.lock()
        scene.person.answers.withLock { $0 = [false, true] }
        let refused = try scene.retrieve(for: Self.application)
        #expect(refused.response == 1 && refused.secret.isEmpty)
        let (response, secret) = try scene.retrieve(for: Self.application)
        #expect(response == 0 && secret == first)
    }

    @Test("a keychain that is unlocked through another door ends the prompt, and the secret is given")
    func otherDoor() throws {
        let scene = try PortalScene()
        let first = try scene.retrieve(for: Self.application).secret
        try scene.lock()
        scene.person.answers.withLock { $0 = [] }
        let pipe = try ReadablePipe()
        let number = try scene.send(Self.application, pipe.writing, handle: "a")
        pipe.closeWriting()
        #expect(scene.person.isAsked.wait(timeout: .now() + .seconds(120)) == .success)
        try scene.keychain.device.unlock(passcode: Person.passcode)
        #expect(try scene.response(to: number) == 0)
        #expect(pipe.contents() == first)
    }

    @Test("an interface that the portal does not have, and an object that it does not have, are named as such")
    func unknown() throws {
        let scene = try PortalScene()
        func name(at path: String, of interface: String, calling method: String, _ texts: String...) -> String? {
            let error = #expect(throws: BusError.self) {
                _ = try scene.portal.call(on: PortalScene.name, at: path, interface: interface, method: method) {
                    call throws(BusError) in
                    for text in texts { try call.append(text) }
                }
            }
            return error?.name
        }
        let properties = "org.freedesktop.DBus.Properties"
        let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
        #expect(
            name(at: PortalScene.path, of: properties, calling: "Get", "org.example", "version") == unknownInterface
        )
        #expect(name(at: PortalScene.path, of: properties, calling: "GetAll", "org.example") == unknownInterface)
        let other = "\(PortalScene.path)/other"
        let error = name(at: other, of: PortalScene.interface, calling: "RetrieveSecret")
        #expect(error == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test("Close ends a prompt, and others are served meanwhile")
    func close() throws {
        let scene = try PortalScene()
        try scene.lock()
        // No answer: the prompt stays until it is cancelled.
        scene.person.answers.withLock { $0 = [] }
        let pipe = try ReadablePipe()
        let number = try scene.send(Self.application, pipe.writing, handle: "a")
        pipe.closeWriting()
        #expect(try scene.version() == 1)
        try scene.close("a")
        #expect(try scene.response(to: number) == 1)
        #expect(pipe.contents() == [])
        let gone = #expect(throws: BusError.self) { try scene.close("a") }
        #expect(gone?.name == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test("a pipe that is full delays nobody, and a file gets nothing")
    func descriptors() throws {
        let scene = try PortalScene()
        let full = try ReadablePipe()
        full.fill()
        let number = try scene.send(Self.application, full.writing, handle: "a")
        #expect(try scene.retrieve(for: Self.application).response == 0)
        try scene.close("a")
        #expect(try scene.response(to: number) == 1)
        let folder = try TemporaryFolder(prefix: "kp")
        let file = open(folder.path(of: "file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { Glibc.close(file) }
        #expect(try scene.call(Self.application, file, handle: "b") == 2)
        #expect(lseek(file, 0, SEEK_END) == 0)
        let reader = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { Glibc.close(reader) }
        #expect(try scene.call(Self.application, reader, handle: "c") == 2)
    }

    @Test("a program keeps the secret that was imported from gnome-keyring")
    func imported() throws {
        let scene = try PortalScene()
        let secret = SecretBytes([UInt8](repeating: 7, count: 64))
        for pairs in [
            [LookupAttributes.Pair("app_id", Self.application), .init("xdg:schema", LookupMapping.genericSchema)],
            [LookupAttributes.Pair("app_id", "org.example.Other"), .init("service", "S")],
        ] {
            let contents = LookupContents(
                attributes: try LookupAttributes(pairs),
                label: "",
                secret: secret,
                contentType: "text/plain"
            )
            let request = LookupRequest(.store(contents, replacing: false), client: .person)
            _ = try scene.keychain.perform(.lookup(request))
        }
        #expect(try scene.retrieve(for: Self.application).secret == secret.unprotectedCopy)
        #expect(try scene.retrieve(for: "org.example.Other").secret != secret.unprotectedCopy)
    }

    @Test("wrong types are refused, and nothing is stored")
    func types() throws {
        let scene = try PortalScene()
        let refusal = #expect(throws: BusError.self) {
            _ = try scene.portal.call(
                on: PortalScene.name,
                at: PortalScene.path,
                interface: PortalScene.interface,
                method: "RetrieveSecret"
            ) { call throws(BusError) in try call.append("x") }
        }
        #expect(refusal?.name == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(try scene.keychain.accessGroups().isEmpty)
    }
}

/// A keychain behind the portal, and the connection of the program that has the portal's name.
private final class PortalScene {
    static let name = "org.freedesktop.impl.portal.desktop.swift_keychain"
    static let path = "/org/freedesktop/portal/desktop"
    static let interface = "org.freedesktop.impl.portal.Secret"

    let keychain = EmbeddedKeychain.inMemory(device: DeviceOptions(authenticator: CallAuthenticator()))
    let portal: Bus
    let person = Person()
    private let bus: PrivateBus
    private let server: TestServer
    private let front: SecretServiceFront
    private var count = 0

    init(isPortal: Bool = true) throws {
        bus = try PrivateBus()
        let programs = ServedPrograms(
            keychain: keychain,
            identities: try IdentityService(IdentityOptions(), folder: nil),
            proofs: PasscodeProofs(),
            life: DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        )
        let admission = UserAdmission(programs)
        server = try TestServer(admission: admission)
        portal = try Bus(address: bus.address)
        portal.callTimeoutMicroseconds = 600_000_000
        if isPortal { _ = try portal.requestName("org.freedesktop.portal.Desktop") }
        let isServing = DispatchSemaphore(value: 0)
        var options = SecretServiceOptions()
        options.portal = admission
        options.stateChanged = { if $0 == .serving { isServing.signal() } }
        options.prompter = person.answer
        front = SecretServiceFront(
            on: .address(bus.address),
            try #require(server.server),
            admission: admission,
            keychain: keychain,
            memory: EmbeddedKeychain.inMemory(),
            options: options
        )
        try front.start()
        try #require(isServing.wait(timeout: .now() + .seconds(120)) == .success)
    }

    deinit { front.stop() }

    func lock() throws {
        try keychain.device.setPasscode(Person.passcode)
        try keychain.device.lock()
    }

    func send(_ application: String, _ descriptor: Int32, handle: String) throws -> UInt64 {
        let call = try portal.methodCall(
            on: Self.name,
            at: Self.path,
            interface: Self.interface,
            method: "RetrieveSecret"
        )
        try Self.fill(call, application, on: descriptor, handle: handle)
        return try portal.sendCall(call)
    }

    func call(_ application: String, _ descriptor: Int32, handle: String) throws -> UInt32? {
        try portal.call(on: Self.name, at: Self.path, interface: Self.interface, method: "RetrieveSecret") {
            call throws(BusError) in
            try Self.fill(call, application, on: descriptor, handle: handle)
        }
        .uint32()
    }

    private static func fill(
        _ call: borrowing BusMessage,
        _ application: String,
        on descriptor: Int32,
        handle: String
    ) throws(BusError) {
        try call.append("\(path)/request/\(handle)", as: "o")
        try call.append(application)
        try call.append(descriptor: descriptor)
        try call.append("a", of: "{sv}") { () throws(BusError) in }
    }

    func retrieve(for application: String) throws -> (response: UInt32?, secret: [UInt8]) {
        count += 1
        let pipe = try ReadablePipe()
        let response = try call(application, pipe.writing, handle: "r\(count)")
        pipe.closeWriting()
        return (response, pipe.contents())
    }

    /// Waits for the reply to a call that was sent.
    func response(to number: UInt64) throws -> UInt32? {
        while true {
            while let message = try portal.next() {
                if message.replyNumber == number { return message.uint32() }
            }
            _ = try portal.wait(or: -1)
        }
    }

    func close(_ handle: String) throws {
        _ = try portal.call(
            on: Self.name,
            at: "\(Self.path)/request/\(handle)",
            interface: "org.freedesktop.impl.portal.Request",
            method: "Close"
        )
    }

    func version() throws -> UInt32? {
        let reply = try portal.call(
            on: Self.name,
            at: Self.path,
            interface: "org.freedesktop.DBus.Properties",
            method: "Get"
        ) { call throws(BusError) in
            try call.append(Self.interface)
            try call.append("version")
        }
        return reply.enter("v", "u") ? reply.uint32() : nil
    }
}

/// A person who is asked to unlock the keychain.
private final class Person: Sendable {
    static let passcode = SecretBytes(Array("1234".utf8))

    /// Whether the passcode is given, question by question; none for no answer.
    let answers = Mutex<[Bool]>([])

    let isAsked = DispatchSemaphore(value: 0)

    func answer(_ prompt: UnlockPrompt) -> UnlockAnswer {
        isAsked.signal()
        switch answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        case true?:
            let isUnlocked = (try? prompt.connection.perform(.device(.unlock(Self.passcode)))) != nil
            return isUnlocked ? .done(nil) : .dismissed
        case false?: return .dismissed
        case nil:
            let isCancelled = DispatchSemaphore(value: 0)
            prompt.cancellation.onCancel { isCancelled.signal() }
            _ = isCancelled.wait(timeout: .now() + .seconds(600))
            return .dismissed
        }
    }
}

/// A pipe from which what was written is read to its end.
private final class ReadablePipe {
    private let reading: Int32
    private(set) var writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        closeWriting()
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    func fill() {
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: 0, count: 4_096)
        while write(writing, bytes, bytes.count) > 0 {}
    }

    func contents() -> [UInt8] {
        var contents: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let count = read(reading, &bytes, bytes.count)
            guard count > 0 else { return contents }
            contents += bytes.prefix(count)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainEngine
import KeychainServer
import KeychainTestSupport
import MessageBus
import Testing

@testable import KeychainSecretService

/// Programs that ask for too much: they get an error that names a limit, and others are served.
@Suite(.timeLimit(.minutes(10)))
struct HostileProgramTests {
    private static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"

    /// How often a call is refused for a limit; any other error fails the test.
    private func refusals(of count: Int, _ call: () throws -> Void) throws -> Int {
        var refused = 0
        for _ in 0..<count {
            let error = try refusal(call)
            if error == Self.limitsExceeded { refused += 1 } else { #expect(error == nil) }
        }
        return refused
    }

    /// Has a search of a program wait, and what the program calls after it.
    ///
    /// - Returns: What lets the search go on.
    private func holdSearch(of client: TestClient, in front: TestFront<LookupKeychain>) throws -> DispatchSemaphore {
        let (begun, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        front.keychain.delaySearches {
            begun.signal()
            goesOn.wait()
        }
        try client.sendSearch()
        // It also sends what waits in the library.
        while begun.wait(timeout: .now()) != .success { _ = try client.bus.next() }
        front.keychain.delaySearches(nil)
        return goesOn
    }

    @Test("a collection in memory that is full takes no more, keeps what it has, and another collection goes on")
    func fullCollection() throws {
        let front = try TestFront(of: LookupKeychain(), memory: EmbeddedKeychain.inMemory(largestMebibytes: 1))
        let client = try front.client()
        let session = try client.openSession()
        let secret = String(repeating: "x", count: 100_000)
        let memory = "\(TestClient.root)/collection/session"
        #expect(
            try (5...15).contains(
                refusals(of: 20) {
                    _ = try client.store(["a": "b"], secret, session: session, replacing: false, in: memory)
                }
            )
        )
        let kept = try client.paths("Items", of: memory, .collection)
        let secrets = try client.secrets(kept, session: session)
        #expect(kept.count >= 5 && secrets.count == kept.count)
        #expect(secrets.values.allSatisfy { $0 == Array(secret.utf8) })
        _ = try client.store(["a": "b"], secret, session: session, in: TestClient.login)
    }

    @Test("secrets of more bytes than a bus takes in one message are refused, and everybody's sessions stay")
    func largeReply() throws {
        let front = try TestFront()
        let (client, other) = (try front.client(), try front.client())
        let (session, otherSession) = (try client.openSession(), try other.openSession())
        let secret = String(repeating: "x", count: 12 << 20)
        let items = try [TestClient.login, TestClient.login, "\(TestClient.root)/collection/session"].map {
            try client.store(["a": "b"], secret, session: session, replacing: false, in: $0)
        }
        #expect(try client.secrets(Array(items.prefix(2)), session: session).count == 2)
        #expect(try refusal { _ = try client.secrets(items, session: session) } == Self.limitsExceeded)
        #expect(try client.secret(items[2], session: session).coded.value.count == 12 << 20)
        let item = try other.store(["c": "d"], "secret", session: otherSession)
        #expect(try other.secrets([item], session: otherSession) == [item: Array("secret".utf8)])
    }

    @Test("the bus refuses calls of the service that pass descriptors")
    func descriptors() throws {
        let front = try TestFront()
        let client = try front.client()
        let error = try refusal {
            try client.send(TestClient.root, of: .service, calling: "SearchItems") { call throws(BusError) in
                try call.append(descriptor: 0)
            }
        }
        #expect(error == "org.freedesktop.DBus.Error.NotSupported")
        _ = try client.openSession()
    }

    @Test("a program that reads none of its answers has nothing more executed until it does, and others are served")
    func unreadReplies() throws {
        let front = try TestFront()
        let client = try front.client()
        let session = try client.openSession()
        let secret = String(repeating: "x", count: 12 << 20)
        let items = try (0..<2).map { _ in
            try client.store(["a": "b"], secret, session: session, replacing: false)
        }
        let count = 12
        for _ in 0..<count { try client.sendSecrets(items, session: session) }
        // The bus would read nothing more of the service if it had all of them.
        let shell = Shell(environment: ["DBUS_SESSION_BUS_ADDRESS": front.bus.address, "PATH": "/usr/bin:/bin"])
        let words = ["call", TestClient.service, TestClient.root, Interface.service.rawValue, "SearchItems", "a{ss}"]
        for _ in 0..<10 {
            let outcome = try shell.run("/usr/bin/busctl", ["--user"] + words + ["1", "a", "b"])
            #expect(outcome.status == 0 && outcome.output.contains(items[1]), "\(outcome.errors)")
        }
        #expect(front.keychain.secretsReadCount <= 1)
        for _ in 0..<count { #expect(try client.nextReply()?.isError == false) }
        #expect(front.keychain.secretsReadCount == count)
    }

    @Test("a name of many combining marks, which Swift would compare for minutes, is no name, wherever there is one")
    func marks() throws {
        let front = try TestFront()
        let client = try front.client()
        let session = try client.openSession()
        let marks = String(repeating: "\u{301}\u{323}", count: 200_000)
        func error(
            at path: String,
            of interface: Interface,
            calling method: String,
            _ texts: String...,
            more: String? = nil
        ) throws
            -> String?
        {
            let name = try refusal {
                try client.send(path, of: interface, calling: method) { call throws(BusError) in
                    for text in texts { try call.append(text) }
                    switch more {
                    case "v"?: try call.append(PropertyContent.text(""))
                    case let path?: try call.append(path, as: "o")
                    case nil: break
                    }
                }
            }
            return name?.split(separator: ".").last.map(String.init)
        }
        let (root, login) = (TestClient.root, TestClient.login)
        #expect(try error(at: root, of: .service, calling: "ReadAlias", "lo" + marks) == "InvalidArgs")
        #expect(try error(at: root, of: .service, calling: "SetAlias", "defaul" + marks, more: login) == "InvalidArgs")
        #expect(try error(at: root, of: .service, calling: "OpenSession", "pl" + marks, more: "v") == "NotSupported")
        #expect(
            try error(at: login, of: .properties, calling: "GetAll", "org.freedesktop.Secret" + marks)
                == "UnknownInterface"
        )
        #expect(try error(at: login, of: .properties, calling: "Get", "", "Lock" + marks) == "UnknownProperty")
        #expect(
            try error(at: login, of: .properties, calling: "Get", "org.freedesktop." + marks, "Locked")
                == "UnknownInterface"
        )
        #expect(try error(at: login, of: .properties, calling: "Set", "", "La" + marks, more: "v") == "UnknownProperty")
        let made = try refusal {
            try client.send(root, of: .service, calling: "CreateCollection") { call throws(BusError) in
                try call.append("a", of: "{sv}") { () throws(BusError) in
                    try call.append("e", of: "sv") { () throws(BusError) in
                        try call.append("org.freedesktop.Secret.Collection.Lab" + marks)
                        try call.append(PropertyContent.text(""))
                    }
                }
                try call.append("defaul" + marks)
            }
        }
        #expect(made == "org.freedesktop.DBus.Error.InvalidArgs")
        let item = try client.store(["a": "b"], "secret", session: session)
        #expect(try client.secrets([item], session: session) == [item: Array("secret".utf8)])
    }

    @Test("10,000 sessions of one program: the limit is an error, others are served, and all end with their connection")
    func sessions() throws {
        let front = try TestFront()
        let other = try front.client()
        let limits = SecretServiceLimits().sessions
        for _ in 0..<2 {
            let client = try front.client()
            #expect(try refusals(of: 10_000) { _ = try client.openSession() } == 10_000 - limits.ofConnection)
            let session = try other.openSession()
            _ = try other.store(["a": "b"], "secret", session: session)
            try other.send(session, of: .session, calling: "Close")
        }
    }

    @Test(
        "10,000 prompts that are not shown: the limit is an error, others are served, and all end with their connection"
    )
    func prompts() throws {
        let front = try TestFront(passcode: "1234")
        let other = try front.client()
        let limits = SecretServiceLimits().prompts
        for _ in 0..<2 {
            let client = try front.client()
            let refused = try refusals(of: 10_000) { _ = try client.change("Unlock", [TestClient.login]) }
            #expect(refused == 10_000 - limits.ofConnection)
            let prompt = try other.change("Unlock", [TestClient.login]).prompt
            try other.send(prompt, of: .prompt, calling: "Dismiss")
        }
    }

    @Test(
        "20,000 calls that wait: those above the limit are an error, the others are answered, others are served meanwhile"
    )
    func calls() throws {
        let front = try TestFront()
        let (client, other) = (try front.client(), try front.client())
        let item = try other.store(["a": "b"], "secret", session: try other.openSession())
        _ = try client.openSession()
        var (answered, refused) = (0, 0)
        func count(_ reply: (isError: Bool, text: String?)?) throws {
            if try #require(reply).isError { refused += 1 } else { answered += 1 }
        }
        let goesOn = try holdSearch(of: client, in: front)
        for _ in 1..<20_000 { try client.sendSearch() }
        let limit = SecretServiceLimits().calls.ofConnection
        while refused < 20_000 - limit { try count(client.nextReply()) }
        #expect(answered == 0)
        #expect(try other.search(["a": "b"]).open == [item])
        goesOn.signal()
        while answered < limit { try count(client.nextReply()) }
        #expect(refused == 20_000 - limit)
        #expect(try client.search(["a": "b"]).open == [item])
    }

    @Test("what waits for a program holds no more than its process may have, and is forgotten with its connection")
    func heldBytes() throws {
        var options = ServerOptions()
        options.maximumBufferedBytesPerProcess = 8 << 20
        let front = try TestFront(of: LookupKeychain(), serverOptions: options)
        let other = try front.client()
        let item = try other.store(["a": "b"], "secret", session: try other.openSession())
        let text = String(repeating: "x", count: LookupAttributes.maximumTextByteCount)
        let pairs = (10..<25).map { LookupAttributes.Pair("\($0)", text) }
        let attributes = try LookupAttributes(pairs)
        let goesOn: DispatchSemaphore
        do {
            let client = try front.client()
            _ = try client.openSession()
            goesOn = try holdSearch(of: client, in: front)
            // Eight of them are as much as it may have.
            for _ in 0..<12 { try client.sendSearch(attributes) }
            for _ in 0..<4 { #expect(try client.nextReply()?.isError == true) }
            #expect(try other.search(["a": "b"]).open == [item])
        }
        // Its first call is still carried out; what waited behind it is not.
        let isFree = eventually("nothing is held of a program that is gone") {
            (try? other.sendSearch(attributes)) != nil && (try? other.nextReply())??.isError == false
        }
        #expect(isFree)
        goesOn.signal()
    }

    /// What a program sends again and again.
    enum Repeated: CaseIterable {
        case smallSearch
        case itemLabel
        case collectionLabel
        case contentType
        case newItem
    }

    @Test(
        "short arguments of calls that wait, labels and content types are counted as well",
        arguments: Repeated.allCases
    )
    func heldTexts(_ repeated: Repeated) throws {
        var options = ServerOptions()
        options.maximumBufferedBytesPerProcess = 1 << 20
        let front = try TestFront(of: LookupKeychain(), serverOptions: options)
        let client = try front.client()
        let session = try client.openSession()
        let item = try client.store(["a": "b"], "secret", session: session)
        let goesOn = try holdSearch(of: client, in: front)
        let text = String(repeating: "x", count: 60 << 10)
        func send(
            _ path: String,
            of interface: Interface,
            calling method: String,
            _ fill: (borrowing BusMessage) throws(BusError) -> Void
        ) throws {
            let call = try client.bus.methodCall(
                on: TestClient.service,
                at: path,
                interface: interface.rawValue,
                method: method
            )
            try fill(call)
            _ = try client.bus.sendCall(call)
        }
        func sendLabel(of path: String, _ interface: Interface) throws {
            try send(path, of: .properties, calling: "Set") { call throws(BusError) in
                try call.append(interface.rawValue)
                try call.append("Label")
                try call.append(PropertyContent.text(text))
            }
        }
        let small = try LookupAttributes([.init("a", String(repeating: "x", count: 8 << 10))])
        let contentType = String(text.prefix(4 << 10))
        for _ in 0..<300 {
            switch repeated {
            case .smallSearch: try client.sendSearch(small)
            case .itemLabel: try sendLabel(of: item, .item)
            case .collectionLabel: try sendLabel(of: TestClient.login, .collection)
            case .contentType:
                try send(item, of: .item, calling: "SetSecret") { call throws(BusError) in
                    try call.append(SentSecret(plain: "", session: session, contentType: contentType))
                }
            case .newItem:
                try send(TestClient.login, of: .collection, calling: "CreateItem") { call throws(BusError) in
                    try call.append("a", of: "{sv}") { () throws(BusError) in
                        try call.append("e", of: "sv") { () throws(BusError) in
                            try call.append("org.freedesktop.Secret.Item.Label")
                            try call.append(PropertyContent.text(text))
                        }
                    }
                    try call.append(SentSecret(plain: "", session: session))
                    try call.append(true)
                }
            }
        }
        // Nothing else is answered before what waits.
        let first = try client.nextReply()
        #expect(first?.isError == true)
        #expect(first?.text == "A limit is reached.")
        goesOn.signal()
    }

    @Test("the paths of prompts that are not shown are counted until these end")
    func promptPaths() throws {
        var options = ServerOptions()
        options.maximumBufferedBytesPerProcess = 8 << 20
        let front = try TestFront(of: LookupKeychain(passcode: "1234"), serverOptions: options)
        let client = try front.client()
        let paths = Array(repeating: TestClient.login, count: 4_000)
        let prompts = try (0..<2).map { _ in try client.change("Unlock", paths).prompt }
        #expect(try refusal { _ = try client.change("Unlock", paths) } == Self.limitsExceeded)
        try client.send(prompts[0], of: .prompt, calling: "Dismiss")
        #expect(try client.change("Unlock", paths).prompt != "/")
    }

    @Test("what a program sends before it is identified is limited, and nobody else is")
    func unidentified() throws {
        let (begun, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let keychain = LookupKeychain()
        let admission = SlowAdmission(OpenBusAdmission(keychain)) {
            begun.signal()
            goesOn.wait()
        }
        let front = try TestFront(of: keychain, admission: admission)
        let client = try front.client()
        let text = String(repeating: "x", count: LookupAttributes.maximumTextByteCount)
        let attributes = try LookupAttributes((10..<25).map { .init("\($0)", text) })
        try client.sendSearch()
        while begun.wait(timeout: .now()) != .success { _ = try client.bus.next() }
        for _ in 0..<40 { try client.sendSearch(attributes) }
        #expect(try client.nextReply()?.isError == true)
        goesOn.signal()
        var isAnswered = false
        while !isAnswered {
            let reply = try #require(try client.nextReply())
            isAnswered = !reply.isError
        }
        #expect(try client.search([:]).open == [])
    }

    @Test("many connections of one process: those above the limits are refused, and another process is served")
    func connections() throws {
        let front = try TestFront()
        var clients: [TestClient] = []
        var refused = 0
        // The limit of the daemon is 256.
        for _ in 0..<300 {
            let client = try front.client()
            let error = try refusal { _ = try client.openSession() }
            if error == Self.limitsExceeded { refused += 1 } else { #expect(error == nil) }
            clients.append(client)
        }
        #expect(refused == 44)
        // Those of a process together are limited as well.
        let limit = SecretServiceLimits().sessions.ofProcess
        var opened = 300 - refused
        for client in clients.prefix(5) {
            while try refusal({ _ = try client.openSession() }) == nil { opened += 1 }
        }
        #expect(opened == limit)
        let shell = Shell(environment: ["DBUS_SESSION_BUS_ADDRESS": front.bus.address, "PATH": "/usr/bin:/bin"])
        let words = ["call", TestClient.service, TestClient.root, Interface.service.rawValue, "OpenSession", "sv"]
        let outcome = try shell.run("/usr/bin/busctl", ["--user"] + words + ["plain", "s", ""])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}

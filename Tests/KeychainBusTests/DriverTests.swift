// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainBus
import Testing

/// Calls of the bus itself.
@Suite(.timeLimit(.minutes(5)))
struct DriverTests {
    private static let name = "org.example.Name"

    @Test("each connection has a unique name, which no later one has")
    func uniqueNames() throws {
        let bus = try TestBus()
        let first = try bus.client()
        var names = [first.name]
        for _ in 0..<20 { names.append(try bus.client().name) }
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { BusNames.isUnique($0.utf8) })
        // Not even on another bus at the same place.
        let other = try TestBus()
        #expect(try !names.contains(other.client().name))
    }

    @Test("a second Hello is an error, and changes nothing")
    func secondHello() throws {
        let bus = try TestBus()
        let client = try bus.client()
        #expect(try client.callDriver("Hello").error == "Failed")
        #expect(try client.text(client.callDriver("GetNameOwner", [client.name])) == client.name)
    }

    @Test("a message before Hello is refused, and ends the connection")
    func noHello() throws {
        let bus = try TestBus()
        for member in ["ListNames", "AddMatch"] {
            let client = try RawClient(connectingTo: bus.path)
            try client.authenticate()
            let refusal = try client.call(client.makeCall(member))
            #expect(refusal.error == "AccessDenied")
            #expect(client.isEnded)
        }
    }

    @Test("names are listed, owned, waited for and given up, and all are told")
    func names() throws {
        let bus = try TestBus()
        let (owner, other) = (try bus.client(), try bus.client())
        _ = try other.callDriver("AddMatch", ["type='signal',member='NameOwnerChanged',arg0='\(Self.name)'"])
        #expect(try owner.number(owner.callDriver("RequestName", [Self.name], number: 0)) == 1)
        #expect(
            try owner.next { $0.header.member == "NameAcquired" && (try? $0.texts()) == [Self.name] }.header.sender
                == BusNames.driver
        )
        #expect(try other.next { $0.header.member == "NameOwnerChanged" }.texts() == [Self.name, "", owner.name])
        #expect(try other.number(other.callDriver("RequestName", [Self.name], number: 4)) == 3)
        #expect(try other.number(other.callDriver("RequestName", [Self.name], number: 0)) == 2)
        #expect(try other.callDriver("ListQueuedOwners", [Self.name]).texts() == [owner.name, other.name])
        #expect(try other.text(other.callDriver("GetNameOwner", [Self.name])) == owner.name)
        #expect(
            try other.callDriver("ListNames").texts()
                == [BusNames.driver, owner.name, other.name, Self.name]
        )
        #expect(try owner.number(owner.callDriver("ReleaseName", [Self.name])) == 1)
        #expect(try owner.next { $0.header.member == "NameLost" }.texts() == [Self.name])
        #expect(
            try other.next { $0.header.member == "NameOwnerChanged" }.texts() == [Self.name, owner.name, other.name]
        )
        #expect(try other.number(other.callDriver("NameHasOwner", [Self.name])) == 1)
        #expect(try owner.callDriver("ReleaseName", [Self.name]).header.type == .methodReturn)
    }

    @Test("who leaves is told of, by its unique name and by the names that it had")
    func leaving() throws {
        let bus = try TestBus()
        let observer = try bus.client()
        _ = try observer.callDriver("AddMatch", ["type='signal',sender='org.freedesktop.DBus'"])
        let unique: String
        do {
            let client = try bus.client()
            unique = client.name
            _ = try client.callDriver("RequestName", [Self.name], number: 0)
        }
        var told: [[String]] = []
        while told.last != [unique, unique, ""] {
            told.append(try observer.next { $0.header.member == "NameOwnerChanged" }.texts())
        }
        #expect(
            told == [[unique, "", unique], [Self.name, "", unique], [Self.name, unique, ""], [unique, unique, ""]]
        )
        #expect(try observer.callDriver("GetNameOwner", [unique]).error == "NameHasNoOwner")
    }

    @Test("only the service may have its name")
    func reservedName() throws {
        let bus = try TestBus()
        let client = try bus.client()
        #expect(try client.callDriver("RequestName", [TestBus.service], number: 0).error == "AccessDenied")
        #expect(
            try client.callDriver("StartServiceByName", [TestBus.service], number: 0).error == "ServiceUnknown"
        )
        #expect(try client.callDriver("ListActivatableNames").texts() == [BusNames.driver, TestBus.service])
        let service = try bus.serviceClient()
        #expect(try service.number(service.callDriver("RequestName", [TestBus.service], number: 0)) == 1)
        #expect(try client.number(client.callDriver("StartServiceByName", [TestBus.service], number: 0)) == 2)
        #expect(try client.text(client.callDriver("GetNameOwner", [TestBus.service])) == service.name)
    }

    @Test(
        "names that no program can have are refused",
        arguments: ["", "a", ":1.1", "org.freedesktop.DBus", "org..a", "org.1a", "org.\u{E9}", "org.a b"]
    )
    func invalidNames(_ name: String) throws {
        let bus = try TestBus()
        let client = try bus.client()
        #expect(try client.callDriver("RequestName", [name], number: 0).error == "InvalidArgs")
        #expect(try client.callDriver("ReleaseName", [name]).error == "InvalidArgs")
    }

    @Test("who a program is, is known from the kernel")
    func credentials() throws {
        let bus = try TestBus()
        let client = try bus.client()
        for name in [client.name, BusNames.driver] {
            #expect(try client.number(client.callDriver("GetConnectionUnixUser", [name])) == geteuid())
            #expect(try client.number(client.callDriver("GetConnectionUnixProcessID", [name])) == UInt32(getpid()))
        }
        let all = try client.callDriver("GetConnectionCredentials", [client.name])
        #expect(all.header.signature == "a{sv}")
        // Only of the process that connected for certain: from Linux 6.5 on.
        var isExact: Int32 = 0
        close(keychain_peer_open(client.socket, getpid(), &isExact))
        #expect(all.header.descriptorCount == UInt32(isExact))
        #expect(try client.callDriver("GetConnectionCredentials", [":1.99"]).error == "NameHasNoOwner")
        #expect(try client.callDriver("GetConnectionCredentials", ["x"]).error == "InvalidArgs")
    }

    @Test("a process is passed only to who takes descriptors")
    func credentialsWithoutDescriptors() throws {
        let bus = try TestBus()
        let client = try RawClient(connectingTo: bus.path)
        client.write("\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n")
        for _ in 0..<2 { _ = try client.line() }
        let name = try client.text(client.callDriver("Hello"))
        let credentials = try client.callDriver("GetConnectionCredentials", [name])
        #expect(credentials.header.type == .methodReturn && credentials.header.descriptorCount == 0)
    }

    @Test(
        "wrong calls are errors by name",
        arguments: [
            ("Frobnicate", [], "UnknownMethod"), ("GetNameOwner", [], "InvalidArgs"), ("Hello", ["x"], "InvalidArgs"),
            ("AddMatch", ["type='x'"], "MatchRuleInvalid"), ("RemoveMatch", [""], "MatchRuleNotFound"),
            ("AddMatch", [String(repeating: " ", count: 1_025)], "LimitsExceeded"),
            ("Get", ["", "None"], "UnknownProperty"),
            ("GetAll", ["org.example.None"], "UnknownInterface"),
            ("GetConnectionUnixUser", ["org.example.None"], "NameHasNoOwner"),
            ("BecomeMonitor", [], "UnknownMethod"),
        ] as [(String, [String], String)]
    )
    func wrongCalls(of member: String, with arguments: [String], error: String) throws {
        let bus = try TestBus()
        let client = try bus.client()
        #expect(try client.callDriver(member, arguments).error == error)
        #expect(try client.callDriver("Ping").header.type == .methodReturn)
    }

    @Test("interfaces are told apart, and properties and descriptions are there")
    func interfaces() throws {
        let bus = try TestBus()
        let client = try bus.client()
        var call = client.makeCall("Ping")
        call.interface = "org.example.None"
        #expect(try client.call(call).error == "UnknownInterface")
        call = client.makeCall("Ping")
        call.interface = BusNames.driver
        #expect(try client.call(call).error == "UnknownMethod")
        call = client.makeCall("Ping", on: nil)
        call.interface = "org.freedesktop.DBus.Peer"
        #expect(try client.call(call).header.type == .methodReturn)
        #expect(try client.callDriver("Get", [BusNames.driver, "Features"]).header.signature == "v")
        #expect(try client.callDriver("GetAll", [BusNames.driver]).header.signature == "a{sv}")
        #expect(try client.text(client.callDriver("GetId")).utf8.count == 32)
        #expect(try client.text(client.callDriver("Introspect")).contains("name=\"NameOwnerChanged\""))
    }

    @Test("no reply is sent to who wants none")
    func noReply() throws {
        let bus = try TestBus()
        let client = try bus.client()
        for member in ["Ping", "Frobnicate"] {
            var call = client.makeCall(member)
            call.flags = 1
            client.send(call)
        }
        let ping = client.makeCall("Ping")
        client.send(ping)
        #expect(try client.next { $0.header.type != .signal }.header.replySerial == ping.serial)
    }

    @Test("limits of rules and names are errors, and leave room for others")
    func limits() throws {
        let bus = try TestBus { options in (options.maximumRules, options.maximumNames) = (3, 2) }
        let client = try bus.client()
        for index in 0..<3 { #expect(try client.callDriver("AddMatch", ["arg0='\(index)'"]).error == nil) }
        #expect(try client.callDriver("AddMatch", ["arg0='3'"]).error == "LimitsExceeded")
        #expect(try client.callDriver("RemoveMatch", ["arg0='0'"]).error == nil)
        #expect(try client.callDriver("AddMatch", ["arg0='3'"]).error == nil)
        for index in 0..<2 { #expect(try client.callDriver("RequestName", ["a.b\(index)"], number: 0).error == nil) }
        #expect(try client.callDriver("RequestName", ["a.b2"], number: 0).error == "LimitsExceeded")
        #expect(try client.callDriver("RequestName", ["a.b1"], number: 0).error == nil)
        #expect(try bus.client().callDriver("RequestName", ["a.b2"], number: 0).error == nil)
    }
}

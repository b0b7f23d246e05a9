// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainBus
import KeychainHost
import KeychainTestSupport
import ServerTestSupport
import Testing

/// Programs that keep to no rule: they are refused, and others are served.
@Suite(.timeLimit(.minutes(10)))
struct BusClientAttackTests {
    @Test("garbage of every length ends the connection that it came on, before and after the handshake")
    func garbage() throws {
        let bus = try TestBus()
        let other = try bus.client()
        for length in 1...300 {
            let before = try RawClient(connectingTo: bus.path)
            before.write((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 129) })
            #expect(before.isEnded)
        }
        for length in 16...80 {
            let after = try RawClient(connectingTo: bus.path)
            try after.authenticate()
            after.write((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 129) })
            #expect(after.isEnded)
        }
        #expect(try other.callDriver("Ping").error == nil)
    }

    @Test("half a message, at every length, disturbs nobody")
    func halfMessages() throws {
        let bus = try TestBus()
        let other = try bus.client()
        var call = BusHeader(.methodCall, serial: 5)
        (call.path, call.member, call.destination) = ("/a", "Ping", BusNames.driver)
        let bytes = call.encoded(bodyByteCount: 0)
        var clients: [RawClient] = []
        for length in 1..<bytes.count {
            let client = try bus.client()
            client.write(Array(bytes.prefix(length)))
            clients.append(client)
        }
        #expect(try other.callDriver("Ping").error == nil)
        // The other half.
        for (client, length) in zip(clients, 1...) {
            client.write(Array(bytes.dropFirst(length)))
            #expect(try client.reply(to: 5).error == nil)
        }
    }

    @Test("a message of 128 MiB, one without a number and one of no kind are refused by their first bytes")
    func refusedHeaders() throws {
        let bus = try TestBus()
        let other = try bus.client()
        let changes: [[(Int, UInt8)]] = [[(7, 8)], [(8, 0), (9, 0), (10, 0), (11, 0)], [(1, 0)], [(1, 9)], [(3, 2)]]
        for change in changes {
            let client = try bus.client()
            var bytes = client.makeCall("Ping").encoded(bodyByteCount: 0)
            for (offset, value) in change { bytes[offset] = value }
            client.write(Array(bytes.prefix(BusFrameHead.byteCount)))
            #expect(client.isEnded)
        }
        #expect(try other.callDriver("Ping").error == nil)
    }

    @Test("10,000 match rules: the limit is an error, and signals still reach others")
    func manyRules() throws {
        let bus = try TestBus()
        let (hostile, other) = (try bus.client(), try bus.client())
        var refused = 0
        for index in 0..<10_000
        where try hostile.callDriver("AddMatch", ["arg0='\(index)'"]).error == "LimitsExceeded" { refused += 1 }
        #expect(refused == 10_000 - BusOptions().maximumRules)
        _ = try other.callDriver("AddMatch", ["member='NameOwnerChanged'"])
        let another = try bus.client()
        #expect(try other.next { $0.header.member == "NameOwnerChanged" }.texts()[0] == another.name)
    }

    @Test("the connections of a process share a limit of match rules, which each signal is compared with")
    func manyRulesOfProcess() throws {
        let bus = try TestBus { options in (options.maximumRules, options.maximumProcessRules) = (4, 6) }
        let clients = try (0..<3).map { _ in try bus.client() }
        for (client, accepted) in zip(clients, [4, 2, 0]) {
            for index in 0..<5 {
                let isRefused = try client.callDriver("AddMatch", ["arg0='\(index)'"]).error == "LimitsExceeded"
                #expect(isRefused == (index >= accepted))
            }
        }
        _ = try clients[0].callDriver("RemoveMatch", ["arg0='0'"])
        #expect(try clients[2].callDriver("AddMatch", ["arg0='0'"]).error == nil)
    }

    @Test("300 connections: those above the limit are closed, and one that leaves makes room")
    func manyConnections() throws {
        let bus = try TestBus()
        var clients: [RawClient] = []
        var refused = 0
        for _ in 0..<300 {
            do { clients.append(try bus.client()) } catch { refused += 1 }
        }
        #expect(clients.count == BusOptions().maximumConnections)
        #expect(refused == 300 - clients.count)
        // The service comes in all the same.
        let service = try bus.serviceClient()
        #expect(try service.callDriver("Ping").error == nil)
        clients.removeLast(10)
        #expect(eventually("a place is free") { (try? bus.client()) != nil })
        #expect(try clients[0].callDriver("Ping").error == nil)
    }

    @Test("connections that say nothing end in time, and make room for others before")
    func halfOpenConnections() throws {
        let clock = ManualClock()
        let bus = try TestBus { options in
            (options.clock, options.maximumIncompleteConnections) = (clock.timeouts, 4)
        }
        var silent = try (0..<4).map { _ in try RawClient(connectingTo: bus.path) }
        let authenticated = try RawClient(connectingTo: bus.path)
        try authenticated.authenticate()
        // The one that came first made room.
        #expect(silent.removeFirst().isEnded)
        let other = try bus.client()
        clock.advance(milliseconds: Int64(BusOptions().handshakeMilliseconds) - 1)
        #expect(try other.callDriver("Ping").error == nil)
        clock.advance(milliseconds: 1)
        for client in silent + [authenticated] { #expect(client.isEnded) }
        #expect(try other.callDriver("Ping").error == nil)
    }

    private static let large = [UInt8](repeating: 7, count: 3 << 20)

    /// A bus with room for two large messages, and a service on it.
    private static func smallBus() throws -> (TestBus, service: RawClient) {
        let bus = try TestBus { options in (options.maximumHeldBytes, options.maximumFrameBytes) = (8 << 20, 4 << 20) }
        return (bus, try bus.serviceClient())
    }

    /// Has a program call the service, which answers with much.
    private static func ask(_ service: RawClient, _ client: RawClient) throws -> UInt32 {
        let call = client.makeCall("Get", on: service.name)
        client.send(call)
        let arrived = try service.next { $0.header.member == "Get" }
        var reply = BusHeader(.methodReturn, serial: service.nextSerial())
        (reply.replySerial, reply.destination, reply.signature) = (call.serial, arrived.header.sender, "ay")
        service.send(reply, large)
        return call.serial
    }

    @Test("programs that leave large replies unread make room for others, and the service stays")
    func unreadLargeReplies() throws {
        let (bus, service) = try Self.smallBus()
        let hostile = try (0..<8).map { _ in try bus.client() }
        for client in hostile { _ = try Self.ask(service, client) }
        #expect(try service.callDriver("Ping").error == nil)
        let other = try bus.client()
        let serial = try Self.ask(service, other)
        #expect(try other.reply(to: serial).body.count == Self.large.count)
        #expect(hostile[0].isEnded)
    }

    @Test("programs that send large messages half make room for others")
    func halfLargeMessages() throws {
        let (bus, service) = try Self.smallBus()
        let hostile = try (0..<8).map { _ in try bus.client() }
        for client in hostile {
            var call = client.makeCall("Put", on: service.name)
            call.signature = "ay"
            client.write(call.encoded(bodyByteCount: Self.large.count) + Self.large.dropLast())
        }
        let other = try bus.client()
        var call = other.makeCall("Put", on: service.name)
        call.signature = "ay"
        other.send(call, Self.large)
        #expect(try service.next { $0.header.sender == other.name }.body.count == Self.large.count)
        #expect(hostile[0].isEnded)
    }

    @Test("the service may answer with more than a program may send")
    func largeReply() throws {
        let bus = try TestBus { $0.maximumFrameBytes = 1 << 20 }
        let (service, client) = (try bus.serviceClient(), try bus.client())
        let serial = try Self.ask(service, client)
        #expect(try client.reply(to: serial).body.count == Self.large.count)
        #expect(try service.callDriver("Ping").error == nil)
    }

    @Test("a path of 10,000 characters and one of 100 levels reach who is called")
    func longPaths() throws {
        let bus = try TestBus()
        let (caller, callee) = (try bus.client(), try bus.client())
        for path in ["/" + String(repeating: "a", count: 10_000), String(repeating: "/a", count: 100)] {
            var call = caller.makeCall("Do", on: callee.name)
            call.path = path
            caller.send(call)
            #expect(try callee.next { $0.header.member == "Do" }.header.path == path)
        }
        var call = caller.makeCall("Do", on: callee.name)
        call.path = "/" + String(repeating: "a", count: 70_000)
        caller.send(call)
        #expect(caller.isEnded)
    }

    @Test("the number of a call that waits is refused for another, and may be used again after its reply")
    func repeatedNumber() throws {
        let bus = try TestBus()
        let (caller, callee) = (try bus.client(), try bus.client())
        let call = caller.makeCall("Do", on: callee.name)
        for _ in 0..<2 { caller.send(call) }
        #expect(try caller.reply(to: call.serial).error == "InvalidArgs")
        for _ in 0..<2 {
            let arrived = try callee.next { $0.header.member == "Do" }
            var reply = BusHeader(.methodReturn, serial: callee.nextSerial())
            (reply.replySerial, reply.destination) = (call.serial, arrived.header.sender)
            callee.send(reply)
            #expect(try caller.reply(to: call.serial).header.type == .methodReturn)
            caller.send(call)
        }
    }

    @Test("nobody becomes a monitor of the bus")
    func monitor() throws {
        let bus = try TestBus()
        let client = try bus.client()
        var call = client.makeCall("BecomeMonitor")
        (call.interface, call.signature) = ("org.freedesktop.DBus.Monitoring", "asu")
        #expect(try client.call(call, [0, 0, 0, 0, 0, 0, 0, 0]).error == "UnknownInterface")
        #expect(try client.callDriver("AddMatch", ["eavesdrop='true'"]).error == nil)
        let (caller, callee) = (try bus.client(), try bus.client())
        caller.send(caller.makeCall("Do", on: callee.name))
        _ = try callee.next { $0.header.member == "Do" }
        client.send(client.makeCall("Ping"))
        #expect(try client.next { $0.header.member == "Do" || $0.header.type == .methodReturn }.header.member == nil)
    }

    @Test("a program that does not read is left alone by the others, and loses nothing but their signals for all")
    func slowReader() throws {
        let bus = try TestBus()
        let (slow, sender) = (try bus.client(), try bus.client())
        _ = try slow.callDriver("AddMatch", ["interface='org.example.I'"])
        var signal = BusHeader(.signal, serial: 1)
        (signal.path, signal.interface, signal.member, signal.signature) = ("/a", "org.example.I", "S", "s")
        var writer = BusValueWriter()
        writer.append(String(repeating: "a", count: 60_000))
        for _ in 0..<100 {
            signal.serial = sender.nextSerial()
            sender.send(signal, writer.bytes)
            _ = try sender.callDriver("Ping")
        }
        #expect(try sender.callDriver("Ping").error == nil)
        let ping = slow.makeCall("Ping")
        slow.send(ping)
        var count = 0
        while try slow.next().header.replySerial != ping.serial { count += 1 }
        #expect((1..<50).contains(count), "\(count)")
    }

    @Test("a program that calls the bus without reading its replies ends")
    func unreadReplies() throws {
        let bus = try TestBus()
        let (slow, other) = (try bus.client(), try bus.client())
        _ = try other.callDriver("AddMatch", ["member='NameOwnerChanged',arg0='\(slow.name)'"])
        for _ in 0..<2_000 { slow.send(slow.makeCall("Introspect")) }
        #expect(try other.next { $0.header.member == "NameOwnerChanged" }.texts() == [slow.name, slow.name, ""])
    }

    @Test(
        "descriptors that were not agreed on, that the message does not name, or that do not come, end the connection"
    )
    func wrongDescriptors() throws {
        let bus = try TestBus()
        func client(agreed: Bool) throws -> RawClient {
            let client = try RawClient(connectingTo: bus.path)
            client.write("\0AUTH EXTERNAL\r\nDATA\r\n\(agreed ? "NEGOTIATE_UNIX_FD\r\n" : "")BEGIN\r\n")
            for _ in 0..<(agreed ? 3 : 2) { _ = try client.line() }
            _ = try client.callDriver("Hello")
            return client
        }
        let notAgreed = try client(agreed: false)
        let bytes = notAgreed.makeCall("Ping").encoded(bodyByteCount: 0)
        _ = bytes.withUnsafeBytes { keychain_send_with(notAgreed.socket, 0, $0.baseAddress, $0.count) }
        #expect(notAgreed.isEnded)
        let missing = try client(agreed: true)
        var call = missing.makeCall("Ping")
        call.descriptorCount = 1
        missing.send(call)
        #expect(missing.isEnded)
        // More than a message passes, one with each.
        let many = try client(agreed: true)
        for _ in 0..<20 {
            let bytes = many.makeCall("Ping").encoded(bodyByteCount: 0)
            _ = bytes.withUnsafeBytes { keychain_send_with(many.socket, 0, $0.baseAddress, $0.count) }
        }
        #expect(many.isEnded)
    }

    @Test("a text of many combining marks, in each place for a text, is refused or compared as bytes")
    func combiningMarks() throws {
        let bus = try TestBus()
        let (client, other) = (try bus.client(), try bus.client())
        let text = "org.freedesktop.DBus" + String(repeating: "\u{301}\u{323}", count: 100_000)
        for member in ["GetNameOwner", "NameHasOwner", "ReleaseName", "AddMatch", "RemoveMatch", "GetAll"] {
            #expect(try client.callDriver(member, [text]).error != nil)
        }
        for member in ["RequestName", "StartServiceByName"] {
            #expect(try client.callDriver(member, [text], number: 0).error == "InvalidArgs")
        }
        #expect(try client.callDriver("Get", [text, text]).error == "InvalidArgs")
        _ = try client.callDriver("AddMatch", ["arg0='\(text.prefix(20))\u{301}'"])
        var signal = BusHeader(.signal, serial: other.nextSerial())
        (signal.path, signal.interface, signal.member, signal.signature) = ("/a", "org.example.I", "S", "s")
        var writer = BusValueWriter()
        writer.append(text)
        other.send(signal, writer.bytes)
        #expect(try other.callDriver("Ping").error == nil)
    }

    @Test("bytes of a process that has not connected end the connection")
    func inheritedConnection() throws {
        let bus = try TestBus()
        let client = try bus.client()
        let ping = client.makeCall("Ping").encoded(bodyByteCount: 0)
        // The other program has the socket as its standard output.
        let text = ping.map { String($0, radix: 8) }.map { "\\\(String(repeating: "0", count: 3 - $0.count))\($0)" }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, client.socket, STDOUT_FILENO)
        var child: pid_t = 0
        let failure = CStringVector.with(["/usr/bin/printf", text.joined()]) { words in
            posix_spawn(&child, "/usr/bin/printf", &actions, nil, words, environ)
        }
        #expect(failure == 0)
        var status: Int32 = 0
        #expect(waitpid(child, &status, 0) == child && status == 0)
        #expect(client.isEnded)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainBus
import Testing

/// Messages between programs.
@Suite(.timeLimit(.minutes(5)))
struct RoutingTests {
    private static func reply(to call: BusFrame, by client: RawClient) -> BusHeader {
        var reply = BusHeader(.methodReturn, serial: client.nextSerial())
        (reply.replySerial, reply.destination) = (call.header.serial, call.header.sender)
        return reply
    }

    @Test("a call reaches who has the name, from who sent it, and the reply comes back", arguments: [true, false])
    func call(_ isByUniqueName: Bool) throws {
        let bus = try TestBus()
        let (caller, callee) = (try bus.client(), try bus.client())
        _ = try callee.callDriver("RequestName", ["org.example.Name"], number: 0)
        var call = caller.makeCall("Do", on: isByUniqueName ? callee.name : "org.example.Name")
        // Who sent it is not what it says.
        call.sender = callee.name
        caller.send(call)
        let arrived = try callee.next { $0.header.member == "Do" }
        #expect(arrived.header.sender == caller.name)
        callee.send(Self.reply(to: arrived, by: callee))
        #expect(try caller.reply(to: call.serial).header.sender == callee.name)
    }

    @Test("a message in the other order of bytes is passed on as it is")
    func bigEndian() throws {
        let bus = try TestBus()
        let (caller, callee) = (try bus.client(), try bus.client())
        var call = caller.makeCall("Do", on: callee.name)
        (call.order, call.signature) = (.big, "s")
        var writer = BusValueWriter(order: .big)
        writer.append("text")
        caller.send(call, writer.bytes)
        let arrived = try callee.next { $0.header.member == "Do" }
        #expect(arrived.header.order == .big)
        #expect(try arrived.texts() == ["text"])
    }

    @Test("a secret of 16 MiB passes, and what is larger ends the connection")
    func largeMessages() throws {
        let bus = try TestBus()
        let (caller, callee) = (try bus.client(), try bus.client())
        var call = caller.makeCall("Do", on: callee.name)
        call.signature = "ay"
        caller.send(call, [UInt8](repeating: 7, count: 16 << 20))
        #expect(try callee.next { $0.header.member == "Do" }.body.count == 16 << 20)
        caller.write(call.encoded(bodyByteCount: 17 << 20))
        #expect(caller.isEnded)
    }

    @Test("a call of nobody is an error")
    func unknownDestination() throws {
        let bus = try TestBus()
        let client = try bus.client()
        #expect(try client.call(client.makeCall("Do", on: "org.example.None")).error == "ServiceUnknown")
        #expect(try client.call(client.makeCall("Do", on: ":1.99")).error == "ServiceUnknown")
        var call = client.makeCall("Do", on: "org.example.None")
        call.flags = 2
        #expect(try client.call(call).error == "NameHasNoOwner")
    }

    @Test("only who was called replies, once, and to who called")
    func foreignReplies() throws {
        let bus = try TestBus()
        let (caller, callee, other) = (try bus.client(), try bus.client(), try bus.client())
        let call = caller.makeCall("Do", on: callee.name)
        caller.send(call)
        let arrived = try callee.next { $0.header.member == "Do" }
        // Replies of another, to another number, and to nobody.
        other.send(Self.reply(to: arrived, by: other))
        var wrong = Self.reply(to: arrived, by: callee)
        wrong.replySerial = call.serial + 1
        callee.send(wrong)
        (wrong.destination, wrong.replySerial) = (nil, call.serial)
        callee.send(wrong)
        wrong.destination = "org.example.None"
        callee.send(wrong)
        wrong.destination = other.name
        callee.send(wrong)
        for client in [other, callee] { #expect(try client.callDriver("Ping").error == nil) }
        for _ in 0..<2 { callee.send(Self.reply(to: arrived, by: callee)) }
        _ = try callee.callDriver("Ping")
        #expect(try caller.reply(to: call.serial).header.sender == callee.name)
        let ping = caller.makeCall("Ping")
        caller.send(ping)
        // The second reply was not passed on.
        #expect(try caller.next { $0.header.type != .signal }.header.replySerial == ping.serial)
        let ofOther = other.makeCall("Ping")
        other.send(ofOther)
        #expect(try other.next { $0.header.type != .signal }.header.replySerial == ofOther.serial)
    }

    @Test("who was called and leaves without a reply is told of")
    func calleeLeaves() throws {
        let bus = try TestBus()
        let caller = try bus.client()
        let call: BusHeader
        do {
            let callee = try bus.client()
            call = caller.makeCall("Do", on: callee.name)
            caller.send(call)
            _ = try callee.next { $0.header.member == "Do" }
        }
        #expect(try caller.reply(to: call.serial).error == "NoReply")
    }

    @Test("calls without a reply are limited")
    func pendingCalls() throws {
        let bus = try TestBus { $0.maximumPendingCalls = 5 }
        let (caller, callee) = (try bus.client(), try bus.client())
        for _ in 0..<5 { caller.send(caller.makeCall("Do", on: callee.name)) }
        #expect(try caller.call(caller.makeCall("Do", on: callee.name)).error == "LimitsExceeded")
        let arrived = try callee.next { $0.header.member == "Do" }
        callee.send(Self.reply(to: arrived, by: callee))
        _ = try caller.reply(to: arrived.header.serial)
        caller.send(caller.makeCall("Last", on: callee.name))
        #expect(try callee.next { $0.header.member == "Last" }.header.sender == caller.name)
        // A number that is in use.
        var again = caller.makeCall("Do", on: callee.name)
        again.serial = 3
        #expect(try caller.call(again).error == "InvalidArgs")
    }

    @Test("signals reach those who asked for them, and those for one only that one")
    func signals() throws {
        let bus = try TestBus()
        let (sender, wanting, other) = (try bus.client(), try bus.client(), try bus.client())
        _ = try sender.callDriver("RequestName", ["org.example.Name"], number: 0)
        _ = try wanting.callDriver("AddMatch", ["type='signal',sender='org.example.Name',arg0='yes'"])
        _ = try other.callDriver("AddMatch", ["eavesdrop='true'"])
        for (text, destination) in [("no", nil), ("yes", nil), ("secret", wanting.name)] {
            var signal = BusHeader(.signal, serial: sender.nextSerial())
            (signal.path, signal.interface, signal.member) = ("/a", "org.example.I", "S")
            (signal.signature, signal.destination) = ("s", destination)
            var writer = BusValueWriter()
            writer.append(text)
            sender.send(signal, writer.bytes)
        }
        _ = try sender.callDriver("Ping")
        #expect(try wanting.next { $0.header.member == "S" }.texts() == ["yes"])
        #expect(try wanting.next { $0.header.member == "S" }.texts() == ["secret"])
        for text in ["no", "yes"] { #expect(try other.next { $0.header.member == "S" }.texts() == [text]) }
        let ping = other.makeCall("Ping")
        other.send(ping)
        #expect(
            try other.next { $0.header.type != .signal || $0.header.member == "S" }.header.replySerial == ping.serial
        )
    }

    @Test("descriptors are passed on with their message, and closed by the bus")
    func descriptors() throws {
        let bus = try TestBus()
        let (caller, callee) = (try bus.client(), try bus.client())
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var call = caller.makeCall("Take", on: callee.name)
        (call.signature, call.descriptorCount) = ("h", 1)
        let bytes = call.encoded(bodyByteCount: 4) + [0, 0, 0, 0]
        #expect(bytes.withUnsafeBytes { keychain_send_with(caller.socket, ends[1], $0.baseAddress, $0.count) } > 0)
        close(ends[1])
        #expect(keychain_wait(callee.socket, Int32(KEYCHAIN_READABLE), 60_000) > 0)
        var (room, numbers, count) = ([UInt8](repeating: 0, count: 4_096), [Int32](repeating: -1, count: 253), 0)
        keychain_name_senders(callee.socket)
        // Signals of the bus may come first.
        while count == 0, keychain_wait(callee.socket, Int32(KEYCHAIN_READABLE), 60_000) > 0 {
            _ = keychain_receive_parts(callee.socket, getpid(), &room, room.count, &numbers, &count)
        }
        #expect(count == 1)
        #expect(Glibc.write(numbers[0], "x", 1) == 1)
        close(numbers[0])
        // At its end, once nobody has the other one.
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 1)
        #expect(read(ends[0], &byte, 1) == 0)
    }

    @Test("who takes no descriptors gets none")
    func refusedDescriptors() throws {
        let bus = try TestBus()
        let caller = try bus.client()
        let callee = try RawClient(connectingTo: bus.path)
        callee.write("\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n")
        for _ in 0..<2 { _ = try callee.line() }
        let name = try callee.text(callee.callDriver("Hello"))
        var call = caller.makeCall("Take", on: name)
        (call.signature, call.descriptorCount) = ("h", 1)
        let bytes = call.encoded(bodyByteCount: 4) + [0, 0, 0, 0]
        #expect(bytes.withUnsafeBytes { keychain_send_with(caller.socket, 0, $0.baseAddress, $0.count) } > 0)
        #expect(try caller.reply(to: call.serial).error == "NotSupported")
    }
}

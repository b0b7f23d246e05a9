// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import KeychainBus
import KeychainTestSupport
import ServerTestSupport
import Testing

/// Programs that do not read what the service answers, together.
struct UnreadAnswerTests {
    private static let answer = [UInt8](repeating: 7, count: 3 << 20)
    private static let pause = Int64(BusOptions().pauseMilliseconds)

    /// Has the service answer a call of a program with much.
    ///
    /// - Returns: The number of the call.
    private static func ask(_ service: RawClient, by client: RawClient) throws -> UInt32 {
        let call = client.makeCall("Get", on: service.name)
        client.send(call)
        let arrived = try service.next { $0.header.member == "Get" }
        var reply = BusHeader(.methodReturn, serial: service.nextSerial())
        (reply.replySerial, reply.destination, reply.signature) = (call.serial, arrived.header.sender, "ay")
        service.send(reply, answer)
        return call.serial
    }

    @Test("programs that together leave too much unread for a while make room one by one, and no more than needed")
    func neglect() throws {
        let clock = ManualClock()
        let bus = try TestBus { ($0.clock, $0.maximumUnreadBytes) = (clock.timeouts, 8 << 20) }
        let service = try bus.serviceClient()
        let silent = try (0..<4).map { _ in try bus.client() }
        let serials = try silent.map { try Self.ask(service, by: $0) }
        clock.advance(milliseconds: Self.pause - 1)
        #expect(try service.callDriver("ListNames").texts().filter { $0.hasPrefix(":") }.count == 5)
        clock.advance(milliseconds: 1)
        #expect(silent[0].isEnded && silent[1].isEnded)
        #expect(try service.callDriver("ListNames").texts().filter { $0.hasPrefix(":") }.count == 3)
        for index in [2, 3] {
            #expect(try silent[index].reply(to: serials[index]).body.count == Self.answer.count)
        }
    }

    @Test("a program that reads enough of them in that time keeps its answers")
    func slowReader() throws {
        let clock = ManualClock()
        let bus = try TestBus { ($0.clock, $0.maximumUnreadBytes) = (clock.timeouts, 1 << 20) }
        let (service, reader) = (try bus.serviceClient(), try bus.client())
        for _ in 0..<3 { _ = try Self.ask(service, by: reader) }
        var room = [UInt8](repeating: 0, count: 1 << 16)
        for _ in 0..<4 {
            clock.advance(milliseconds: Self.pause - 1)
            var count = 0
            while count < 3 << 19 {
                #expect(keychain_wait(reader.socket, Int32(KEYCHAIN_READABLE), 60_000) > 0)
                count += max(0, keychain_receive(reader.socket, &room, room.count))
            }
            #expect(try service.callDriver("GetNameOwner", [reader.name]).error == nil)
        }
        // What it has read last may count for the time that begins now.
        for _ in 0..<3 {
            clock.advance(milliseconds: Self.pause)
            _ = try service.callDriver("ListNames")
        }
        #expect(reader.isEnded)
    }

    @Test("while there is room, nobody has to read")
    func room() throws {
        let clock = ManualClock()
        let bus = try TestBus { $0.clock = clock.timeouts }
        let (service, silent) = (try bus.serviceClient(), try bus.client())
        let serial = try Self.ask(service, by: silent)
        clock.advance(milliseconds: 100 * Self.pause)
        #expect(try service.callDriver("GetNameOwner", [silent.name]).error == nil)
        #expect(try silent.reply(to: serial).body.count == Self.answer.count)
    }
}

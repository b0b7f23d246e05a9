// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainBus
import KeychainHost
import KeychainTestSupport
import ServerTestSupport
import Testing

/// Programs that send more than others read: they wait, and nobody else loses anything.
@Suite(.timeLimit(.minutes(10)))
struct BackPressureTests {
    /// Does something on a thread of its own.
    ///
    /// - Returns: What says that it is done.
    private static func begin(_ body: @escaping () -> Void) -> DispatchSemaphore {
        nonisolated(unsafe) let body = body
        let isDone = DispatchSemaphore(value: 0)
        #expect(
            HostThread.start {
                body()
                isDone.signal()
            }
        )
        return isDone
    }

    private static func call(_ callee: RawClient, by caller: RawClient) -> BusHeader {
        var call = caller.makeCall("Do", on: callee.name)
        call.signature = "ay"
        return call
    }

    private static func signal(to receiver: RawClient, by sender: RawClient) -> BusHeader {
        var signal = BusHeader(.signal, serial: sender.nextSerial())
        (signal.path, signal.interface, signal.member) = ("/a", "org.example.I", "S")
        (signal.destination, signal.signature) = (receiver.name, "ay")
        return signal
    }

    private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    @Test("a burst of calls reaches the service, which is not ended, and others are served meanwhile")
    func service() throws {
        let bus = try TestBus()
        let (service, sender, other) = (try bus.serviceClient(), try bus.client(), try bus.client())
        let calls = (0..<50).map { _ in Self.call(service, by: sender) }
        let isDone = Self.begin { for call in calls { sender.send(call, Self.bytes(100_000)) } }
        for _ in 0..<300 { #expect(try other.callDriver("Ping").error == nil) }
        for call in calls { #expect(try service.next { $0.header.member == "Do" }.header.serial == call.serial) }
        isDone.wait()
        #expect(try service.callDriver("Ping").error == nil)
        #expect(try sender.callDriver("Ping").error == nil)
    }

    @Test(
        "a program that reads gets a burst of signals of another one as a whole",
        arguments: [(8, 400_000), (5, 1 << 20)]
    )
    func reader(_ count: Int, _ size: Int) throws {
        let bus = try TestBus()
        let (reader, sender, other) = (try bus.client(), try bus.client(), try bus.client())
        let signals = (0..<count).map { _ in Self.signal(to: reader, by: sender) }
        let isDone = Self.begin { for signal in signals { sender.send(signal, Self.bytes(size)) } }
        for _ in 0..<300 { #expect(try other.callDriver("Ping").error == nil) }
        for signal in signals {
            #expect(try reader.next { $0.header.member == "S" }.header.serial == signal.serial)
        }
        isDone.wait()
        #expect(try reader.callDriver("Ping").error == nil)
    }

    @Test("a program that does not read costs who calls it errors after a while, and is read to by others later")
    func unread() throws {
        let clock = ManualClock()
        let bus = try TestBus { $0.clock = clock.timeouts }
        let (silent, sender, other) = (try bus.client(), try bus.client(), try bus.client())
        let calls = (0..<40).map { _ in Self.call(silent, by: sender) }
        let ping = sender.makeCall("Ping")
        let isDone = Self.begin {
            for call in calls { sender.send(call, Self.bytes(100_000)) }
            sender.send(ping)
        }
        while isDone.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
            #expect(try other.callDriver("Ping").error == nil)
            clock.advance(milliseconds: Int64(BusOptions().pauseMilliseconds))
        }
        #expect(try sender.reply(to: ping.serial).error == nil)
        #expect(try sender.next { $0.header.errorName != nil }.error == "LimitsExceeded")
        // The first of them had begun.
        #expect(try silent.next { $0.header.member == "Do" }.header.serial == calls[0].serial)
        #expect(try silent.callDriver("Ping").error == nil)
    }

    @Test("answers of the service wait for a program that reads later, and the bus says how much")
    func answers() throws {
        let bus = try TestBus()
        let (service, client) = (try bus.serviceClient(), try bus.client())
        let calls = (0..<5).map { _ in client.makeCall("Get", on: service.name) }
        for call in calls {
            client.send(call)
            let arrived = try service.next { $0.header.member == "Get" }
            var reply = BusHeader(.methodReturn, serial: service.nextSerial())
            (reply.replySerial, reply.destination, reply.signature) = (call.serial, arrived.header.sender, "ay")
            service.send(reply, Self.bytes(3 << 20))
        }
        let statistics = try service.callDriver("GetConnectionStats", [client.name])
        let (name, waiting) = try statistics.read { (reader) throws(BusFailure) in
            _ = try reader.number()
            try reader.align(to: 8)
            let name = String(decoding: try reader.text(), as: UTF8.self)
            _ = try reader.signature()
            return (name, try reader.number())
        }
        #expect(name == "OutgoingBytes" && waiting > 14 << 20)
        for call in calls { #expect(try client.reply(to: call.serial).body.count == 3 << 20) }
    }

    /// How many descriptors of a file the process has.
    private static func openCount(of descriptor: Int32) throws -> Int {
        var (wanted, status) = (stat(), stat())
        #expect(fstat(descriptor, &wanted) == 0)
        let folder = try #require(opendir("/proc/self/fd"))
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let number = Int32(name), fstat(number, &status) == 0 else { continue }
            if status.st_ino == wanted.st_ino, status.st_dev == wanted.st_dev { count += 1 }
        }
        return count
    }

    /// Sends signals that pass a descriptor many times, as far as the bus takes them.
    private static func flood(_ receiver: RawClient, by sender: RawClient, passing descriptor: Int32) {
        let numbers = [Int32](repeating: descriptor, count: 16)
        for _ in 0..<600 {
            var signal = signal(to: receiver, by: sender)
            (signal.signature, signal.descriptorCount) = ("", 16)
            let bytes = signal.encoded(bodyByteCount: 0)
            while true {
                let sent = bytes.withUnsafeBytes { bytes in
                    var part = iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                        iov_len: bytes.count
                    )
                    return keychain_send_parts(sender.socket, &part, 1, numbers, numbers.count)
                }
                guard sent < 0, errno == EAGAIN else { break }
                guard keychain_wait(sender.socket, Int32(KEYCHAIN_WRITABLE), 100) > 0 else { return }
            }
        }
    }

    @Test("few descriptors of a program are held for one that does not read them, and others are served")
    func descriptors() throws {
        let bus = try TestBus()
        let (silent, sender, other) = (try bus.client(), try bus.client(), try bus.client())
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        Self.flood(silent, by: sender, passing: ends[1])
        #expect(try other.callDriver("Ping").error == nil)
        // What it had sent before it was not read any more, and the ends of the test.
        let held = try Self.openCount(of: ends[1])
        #expect(held <= BusOptions().maximumQueuedDescriptors + 2 * 16 + 2, "\(held)")
    }

    @Test("when programs hold too many descriptors together, those that hold the most end")
    func descriptorsOfMany() throws {
        let bus = try TestBus { $0.maximumHeldDescriptors = 200 }
        let (silent, other) = (try bus.client(), try bus.client())
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let senders = try (0..<8).map { _ in try bus.client() }
        for sender in senders { Self.flood(silent, by: sender, passing: ends[1]) }
        #expect(try other.callDriver("Ping").error == nil)
        #expect(
            eventually("they are closed") { (try? Self.openCount(of: ends[1])).map { $0 <= 200 + 2 * 16 + 2 } ?? false }
        )
        #expect(senders.contains { $0.isEnded })
    }
}

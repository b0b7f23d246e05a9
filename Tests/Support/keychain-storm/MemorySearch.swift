// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import CStormSupport
import Glibc
import KeychainCore
import KeychainWire

/// Looks for a secret in the memory of this process after it was stored and let go.
enum MemorySearch {
    /// Prints `found MOMENT NUMBER PLACES`: before the secret exists, while the caller holds it, after the add, after
    /// an update, which seals it again, after a read whose answer was let go, and after it was sent in a message.
    static func run(_ subject: Subject, _ account: String) {
        subject.add("\(account)-first")
        report("before")
        store(subject, account)
        report("add")
        subject.update(account, label: "updated")
        report("update")
        subject.read(account)
        report("read")
        send()
        report("wire")
    }

    /// As bytes and back, in a buffer that has to grow.
    @inline(never)
    private static func send() {
        let secret = makeSecret()
        let command = KeychainCommand.device(.changePasscode(from: secret, to: SecretBytes(count: 1 << 16) { _ in }))
        do {
            let message = try WireMessage(WireMessage.command(1, command).encoded())
            guard case .command(_, command, canAskForSecrets: _) = message else {
                return Console.write("found wire -1 another command")
            }
        } catch {
            Console.write("found wire -1 \(error)")
        }
    }

    @inline(never)
    private static func store(_ subject: Subject, _ account: String) {
        let secret = makeSecret()
        report("while")
        subject.add(account, secret: secret)
    }

    @inline(never)
    private static func makeSecret() -> SecretBytes {
        let count = Int(storm_pattern_count)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer {
            keychain_wipe(bytes.baseAddress, count)
            bytes.deallocate()
        }
        bytes.withMemoryRebound(to: UInt8.self) { storm_fill_pattern($0.baseAddress) }
        return SecretBytes(copying: UnsafeRawBufferPointer(bytes))
    }

    private static func report(_ moment: String) {
        var addresses = [UInt](repeating: 0, count: 16)
        let count = storm_find_pattern(&addresses, addresses.count)
        let places = addresses.prefix(count).map { "\(String($0, radix: 16)):\(region(of: $0))" }
        Console.write("found \(moment) \(count) \(places.joined(separator: " "))")
    }

    /// The mapping of an address, as `/proc/self/maps` names it.
    private static func region(of address: UInt) -> String {
        guard let maps = fopen("/proc/self/maps", "re") else { return "?" }
        defer { fclose(maps) }
        var buffer = [CChar](repeating: 0, count: 512)
        while let line = fgets(&buffer, Int32(buffer.count), maps) {
            let words = String(cString: line).split(whereSeparator: { $0 == " " || $0 == "\n" })
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2, bounds[0] <= address, address < bounds[1] {
                return words.count > 5 ? String(words[5]) : "anonymous"
            }
        }
        return "unmapped"
    }
}

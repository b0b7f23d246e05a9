// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Glibc
import KeychainCore
import KeychainEngine
import KeychainServices
import Security

/// A program whose calls are traced where SWIFT_KEYCHAIN_TRACE says so: `call`, `fork`, or `limit BYTES`.
///
/// Its keychain is in memory, so that what happens to files happens to the trace alone.
@main
struct KeychainTraced {
    static func main() {
        let context = KeychainContext(
            backend: EmbeddedKeychain.inMemory(),
            client: Client(accessGroups: ["TEAMID1234.com.example.traced"])
        )
        KeychainContext.$current.withValue(context) { run(Array(CommandLine.arguments.dropFirst())) }
    }

    private static func run(_ arguments: [String]) {
        switch arguments.first {
        case "call":
            let status = lookUpItem(for: "one")
            print("status \(status)")
        case "fork": fork()
        case "limit": limit(to: UInt(arguments.last ?? "") ?? 0)
        default: exit(2)
        }
    }

    /// Calls before a fork, and in both processes after it; the parent waits for the child.
    private static func fork() {
        _ = lookUpItem(for: "before")
        let child = storm_fork(60)
        guard child >= 0 else { exit(3) }
        for number in 0..<50 { _ = lookUpItem(for: child == 0 ? "child \(number)" : "parent \(number)") }
        guard child > 0 else { _exit(0) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        print("child ended with \(status)")
    }

    /// Calls while no file may grow beyond a size, which is the end of a process that tries.
    private static func limit(to bytes: UInt) {
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(3) }
        var statuses: Set<Int32> = []
        for number in 0..<100 { statuses.insert(lookUpItem(for: "\(number)")) }
        print("statuses \(statuses.sorted())")
    }

    /// Looks for an item that there is not.
    @inline(never)
    private static func lookUpItem(for account: String) -> Int32 {
        SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrAccount: account] as CFDictionary, nil)
    }
}

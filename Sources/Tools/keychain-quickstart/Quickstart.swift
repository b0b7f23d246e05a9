// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainProtection
import Security

/// Demonstrates the life of an item in a throw-away keychain, and explains each step.
@main
struct Quickstart {
    private let store = TokenStore(service: "com.example.quickstart")
    private var failures = 0

    static func main() {
        ProcessHardening.disableDumps()
        guard let home = ProcessInfo.processInfo.environment["SWIFT_KEYCHAIN_HOME"] else {
            print("Set SWIFT_KEYCHAIN_HOME to a throw-away folder, as Scripts/quickstart does.")
            exit(2)
        }
        print("A keychain in \(home); it is made by the first call.\n")
        var quickstart = Quickstart()
        quickstart.walk()
        print(quickstart.failures == 0 ? "\nEverything went as on Apple's platforms." : "\nSomething went wrong.")
        exit(quickstart.failures == 0 ? 0 : 1)
    }

    private mutating func walk() {
        step("SecItemAdd stores a token", store.add("s3cret-1", account: "ada"), expecting: errSecSuccess)
        printNote("The call returned after the item was sealed and synced to the disk.")

        let first = store.read(account: "ada")
        step("SecItemCopyMatching reads it back: \(first.token ?? "nothing")", first.status, expecting: errSecSuccess)

        step(
            "SecItemAdd of the same account again",
            store.add("s3cret-2", account: "ada"),
            expecting: errSecDuplicateItem
        )
        printNote("Class, service, account, access group and synchronizability are the primary key. A mock that is a")
        printNote("dictionary would have overwritten the first token.")

        step("SecItemUpdate changes it in place", store.update("s3cret-2", account: "ada"), expecting: errSecSuccess)
        let second = store.read(account: "ada")
        step("SecItemCopyMatching now reads \(second.token ?? "nothing")", second.status, expecting: errSecSuccess)

        step(
            "SecItemAdd stores one for another account",
            store.add("s3cret-3", account: "grace"),
            expecting: errSecSuccess
        )
        let list = store.list()
        step(
            "SecItemCopyMatching with kSecMatchLimitAll finds \(list.items.count)",
            list.status,
            expecting: errSecSuccess
        )
        for item in list.items {
            let account = item[kSecAttrAccount as String] as? String ?? ""
            let group = item[kSecAttrAccessGroup as String] as? String ?? ""
            printNote("account \(account), access group \(group)")
        }

        step("SecItemDelete removes one", store.delete(account: "ada"), expecting: errSecSuccess)
        step("SecItemCopyMatching finds it no longer", store.read(account: "ada").status, expecting: errSecItemNotFound)
        step("SecItemDelete removes the other", store.delete(account: "grace"), expecting: errSecSuccess)
    }

    private mutating func step(_ what: String, _ status: OSStatus, expecting expected: OSStatus) {
        let message = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? ""
        print("\(status == expected ? "ok  " : "FAIL") \(what)\n       \(status): \(message)")
        if status != expected { failures += 1 }
    }

    private func printNote(_ text: String) { print("       \(text)") }
}

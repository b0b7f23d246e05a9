// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import Security

/// A program with the simulation in it and no test library, whose calls belong to no app.
@main
struct KeychainStray {
    static func main() throws {
        let query = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "stray"] as CFDictionary
        print(SecItemAdd(query, nil), SecItemCopyMatching(query, nil))
        // It is the same in a program that has a device, outside of what runs as an app.
        let app = try VirtualDevice().install()
        print(app.run { SecItemAdd(query, nil) }, SecItemCopyMatching(query, nil))
    }
}

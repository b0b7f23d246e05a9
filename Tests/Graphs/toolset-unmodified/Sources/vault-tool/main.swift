// SPDX-License-Identifier: Apache-2.0

import Foundation
import Vault

let vault = Vault(service: "com.example.vault-tool")
try vault.set("s3cret", for: "ada")
print(try vault.secret(for: "ada") ?? "nothing")
try vault.remove("ada")
print(SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) == errSecItemNotFound)

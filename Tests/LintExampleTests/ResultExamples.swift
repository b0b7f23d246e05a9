// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// The code is that of the pages in Documentation/Lint, to the letter.
import Security

enum CopyMissingReturnType {
    struct Flagged {
        func read() -> Data? {
            var r: CFTypeRef?
            let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecMatchLimit: kSecMatchLimitOne]
            guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
            return r as? Data
        }
    }

    struct Accepted {
        func read() -> Data? {
            var r: CFTypeRef?
            let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]
            guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
            return r as? Data
        }
    }
}

enum DeleteThenAdd {
    struct Flagged {
        func save(_ d: Data) -> OSStatus {
            let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
            SecItemDelete(id as CFDictionary)
            return SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
        }
    }

    struct Accepted {
        func save(_ d: Data) -> OSStatus {
            let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
            let new: [CFString: Any] = [kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
            var status = SecItemUpdate(id as CFDictionary, new as CFDictionary)
            if status == errSecItemNotFound { status = SecItemAdd(id.merging(new) { $1 } as CFDictionary, nil) }
            return status
        }
    }
}

enum SwallowedDuplicateItem {
    struct Flagged {
        func save(_ q: [CFString: Any]) throws {
            let s = SecItemAdd(q as CFDictionary, nil)
            guard s == errSecSuccess || s == errSecDuplicateItem else { throw Failure(s) }
        }
    }

    struct Accepted {
        func save(_ id: [CFString: Any], _ d: Data) throws {
            var s = SecItemAdd(id.merging([kSecValueData: d]) { $1 } as CFDictionary, nil)
            if s == errSecDuplicateItem { s = SecItemUpdate(id as CFDictionary, [kSecValueData: d] as CFDictionary) }
            guard s == errSecSuccess else { throw Failure(s) }
        }
    }
}

enum DeleteOnReadError {
    struct Flagged {
        func check() {
            var r: CFTypeRef?
            if SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) != errSecSuccess {
                let s = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
                print(s)
            }
        }
    }

    struct Accepted {
        func check() throws {
            var r: CFTypeRef?
            let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
            guard s == errSecSuccess else { throw Failure(s) }
            guard r is Data else {
                let s = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
                print(s)
                return
            }
        }
    }
}

enum ResultCastMismatch {
    struct Flagged {
        func read() -> Data? {
            var r: CFTypeRef?
            let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                kSecReturnData: true, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitOne]
            guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
            return r as? Data
        }
    }

    struct Accepted {
        func read() -> Data? {
            var r: CFTypeRef?
            let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                kSecReturnData: true, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitOne]
            guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
            return (r as? [String: Any])?[kSecValueData as String] as? Data
        }
    }
}

enum SynchronizableScopeMismatch {
    struct Flagged {
        struct Vault {
            func id() -> [CFString: Any] { [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] }
            func add(_ d: Data) -> OSStatus {
                var q = id()
                q[kSecAttrSynchronizable] = true
                q[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlock
                q[kSecValueData] = d
                return SecItemAdd(q as CFDictionary, nil)
            }
            func remove() -> OSStatus { SecItemDelete(id() as CFDictionary) }
        }
    }

    struct Accepted {
        struct Vault {
            func add(_ d: Data) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrSynchronizable: true, kSecValueData: d,
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock] as CFDictionary, nil)
            }
            func remove() -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrSynchronizable: kSecAttrSynchronizableAny] as CFDictionary)
            }
        }
    }
}

enum ReadErrorCollapsed {
    struct Flagged {
        func token() -> Data? {
            var r: CFTypeRef?
            guard SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) == errSecSuccess else { return nil }
            return r as? Data
        }
    }

    struct Accepted {
        func token() throws -> Data? {
            var r: CFTypeRef?
            switch SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) {
            case errSecSuccess: return r as? Data
            case errSecItemNotFound: return nil
            case let s: throw Failure(s)
            }
        }
    }
}

enum ItemNotFoundFatal {
    struct Flagged {
        func forget() throws {
            guard SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) == errSecSuccess else { throw VaultError.deleteFailed }
        }
    }

    struct Accepted {
        func forget() throws {
            switch SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) {
            case errSecSuccess, errSecItemNotFound: return
            case let s: throw KeychainStatus(s)
            }
        }
    }
}

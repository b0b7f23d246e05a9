// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// The code is that of the pages in Documentation/Lint, to the letter.
import Security

enum AddMissingAccessible {
    struct Flagged {
        func store(_ secret: Data, user: String) throws {
            let status = SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "mail",
                kSecAttrAccount: user, kSecValueData: secret] as NSDictionary, nil)
            guard status == errSecSuccess else { throw Failure(status) }
        }
    }

    struct Accepted {
        func store(_ secret: Data, user: String) -> OSStatus {
            SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "mail", kSecAttrAccount: user,
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                kSecValueData: secret] as NSDictionary, nil)
        }
    }
}

enum AddIncompletePrimaryKey {
    struct Flagged {
        func keep(_ d: Data, _ a: String) -> OSStatus {
            SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrAccount: a,
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock, kSecValueData: d] as CFDictionary, nil)
        }
    }

    struct Accepted {
        func keep(_ d: Data, _ a: String) -> OSStatus {
            SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a,
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock, kSecValueData: d] as CFDictionary, nil)
        }
    }
}

enum LookupNonUniqueAttribute {
    struct Flagged {
        func save(_ d: Data, title: String) -> OSStatus {
            let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
            var q = id
            q[kSecAttrLabel] = title
            if SecItemCopyMatching(q as CFDictionary, nil) == errSecItemNotFound {
                var new = id
                new[kSecValueData] = d
                new[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlocked
                return SecItemAdd(new as CFDictionary, nil)
            }
            return errSecSuccess
        }
    }

    struct Accepted {
        func save(_ d: Data, title: String) -> OSStatus {
            let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
            let s = SecItemUpdate(id as CFDictionary, [kSecValueData: d, kSecAttrLabel: title] as CFDictionary)
            if s == errSecItemNotFound {
                return SecItemAdd(id.merging([kSecValueData: d, kSecAttrLabel: title,
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
            }
            return s
        }
    }
}

enum NarrowingAttributeInQuery {
    struct Flagged {
        func remove() -> OSStatus {
            let add: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
            return SecItemDelete(add as CFDictionary)
        }
    }

    struct Accepted {
        func remove(_ a: String) -> OSStatus {
            SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a,
                kSecAttrSynchronizable: kSecAttrSynchronizableAny] as CFDictionary)
        }
    }
}

enum DeleteIncompletePrimaryKey {
    struct Flagged {
        func forget(_ a: String) -> OSStatus {
            SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"] as CFDictionary)
        }
        func keep(_ a: String, _ d: Data) -> OSStatus {
            SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a,
                kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
        }
    }

    struct Accepted {
        func forget(_ a: String) -> OSStatus {
            SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary)
        }
    }
}

enum DeleteClassWide {
    struct Flagged {
        func forget() -> OSStatus { SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) }
    }

    struct Accepted {
        func wipeAll() -> OSStatus {
            SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"] as CFDictionary)
        }
    }
}

enum UpdateIncompletePrimaryKey {
    struct Flagged {
        func update(_ a: String, _ d: Data) -> OSStatus {
            SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrAccount: a] as CFDictionary,
                [kSecValueData: d] as CFDictionary)
        }
    }

    struct Accepted {
        func update(_ a: String, _ d: Data) -> OSStatus {
            SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary,
                [kSecValueData: d] as CFDictionary)
        }
    }
}

enum ParameterGroupMismatch {
    struct Flagged {
        func forget() -> OSStatus { SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecMatchLimit: kSecMatchLimitOne] as CFDictionary) }
    }

    struct Accepted {
        func forget() -> OSStatus { SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
    }
}

enum AttributeUnsupportedForClass {
    struct Flagged {
        func add(_ d: Data, _ tag: Data) -> OSStatus {
            SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrApplicationTag: tag, kSecValueData: d,
                kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
        }
    }

    struct Accepted {
        func find(_ name: String) -> OSStatus {
            SecItemCopyMatching([kSecClass: kSecClassCertificate, kSecAttrLabel: name] as CFDictionary, nil)
        }
    }
}

enum AttributeValueMismatch {
    struct Flagged {
        func add(_ text: String) -> OSStatus {
            SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: text, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
        }
    }

    struct Accepted {
        func add(_ text: String) -> OSStatus {
            SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: Data(text.utf8), kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
        }
    }
}

enum QueryMissingClass {
    struct Flagged {
        func forget(_ a: String) -> OSStatus { SecItemDelete([kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary) }
    }

    struct Accepted {
        func forget(_ r: Data) -> OSStatus { SecItemDelete([kSecValuePersistentRef: r] as CFDictionary) }
    }
}

enum AccessibleWithAccessControl {
    struct Flagged {
        func keep(_ data: Data, _ acl: SecAccessControl) -> OSStatus {
            var q: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s",
                kSecAttrAccount as String: "a", kSecValueData as String: data]
            q[kSecAttrAccessControl as String] = acl
            q[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked
            return SecItemAdd(q as CFDictionary, nil)
        }
    }

    struct Accepted {
        func keep(_ data: Data, _ acl: SecAccessControl?) -> OSStatus {
            var q: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s",
                kSecAttrAccount as String: "a", kSecValueData as String: data]
            if let acl { q[kSecAttrAccessControl as String] = acl }
            else { q[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked }
            return SecItemAdd(q as CFDictionary, nil)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// MARK: Types of the framework in an app's own types

/// What an app remembers about a signing identity.
struct SigningMaterial: Sendable {
    var privateKey: SecKey?
    var certificates: [SecCertificate] = []
    var identity: SecIdentity?
    var accessControl: SecAccessControl?
    var lastStatus: OSStatus = errSecSuccess
}

final class SigningMaterialBox: Sendable {
    let material: SigningMaterial
    init(_ material: SigningMaterial) { self.material = material }
}

actor SigningMaterialOwner {
    private(set) var material = SigningMaterial()

    func replace(by new: SigningMaterial) -> SigningMaterial {
        defer { material = new }
        return material
    }
}

// MARK: The functions as values, so that tests can stand in for them

struct SecItemFunctions {
    var add: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemAdd
    var copy: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemCopyMatching
    var update: (CFDictionary, CFDictionary) -> OSStatus = SecItemUpdate
    var delete: (CFDictionary) -> OSStatus = SecItemDelete
}

protocol SecItemProviding {
    func add(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus
    func delete(_ query: CFDictionary) -> OSStatus
}

struct SystemSecItem: SecItemProviding {
    func add(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
        Security.SecItemAdd(attributes, result)
    }

    func delete(_ query: CFDictionary) -> OSStatus { Security.SecItemDelete(query) }
}

// MARK: Constants behind enums

enum ItemClass: CaseIterable {
    case genericPassword, internetPassword, certificate, key, identity

    init?(rawClass: String) {
        switch rawClass {
        case String(kSecClassGenericPassword): self = .genericPassword
        case String(kSecClassInternetPassword): self = .internetPassword
        case String(kSecClassCertificate): self = .certificate
        case String(kSecClassKey): self = .key
        case String(kSecClassIdentity): self = .identity
        default: return nil
        }
    }

    var constant: CFString {
        switch self {
        case .genericPassword: return kSecClassGenericPassword
        case .internetPassword: return kSecClassInternetPassword
        case .certificate: return kSecClassCertificate
        case .key: return kSecClassKey
        case .identity: return kSecClassIdentity
        }
    }
}

// MARK: Extensions on the names of Core Foundation

protocol QueryKey {
    var queryKey: String { get }
}

extension String: QueryKey {
    var queryKey: String { self }
}

extension CFString: QueryKey {
    var queryKey: String { self as String }
}

extension CFDictionary {
    func string(_ key: CFString) -> String? { self[key] as? String }
}

extension Dictionary where Key == CFString, Value == Any {
    static func genericPassword(_ service: String, _ account: String) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
    }

    func returning(_ key: CFString) -> [CFString: Any] {
        var copy = self
        copy[key] = kCFBooleanTrue
        return copy
    }

    mutating func limit(to count: Int?) {
        self[kSecMatchLimit] = count.map { $0 as Any }
    }
}

func attributeName(_ name: String) -> String { "string \(name)" }
func attributeName(_ name: CFString) -> String { "constant \(name)" }

// MARK: Core Foundation's own accessors

enum CoreFoundationStyle {
    static func account(in attributes: CFDictionary) -> String? {
        let key = Unmanaged.passUnretained(kSecAttrAccount).toOpaque()
        guard let value = CFDictionaryGetValue(attributes, key) else { return nil }
        return unsafeBitCast(value, to: CFString.self) as String
    }

    static func first(of items: CFArray) -> CFDictionary? {
        guard CFArrayGetCount(items) > 0, let value = CFArrayGetValueAtIndex(items, 0) else { return nil }
        return unsafeBitCast(value, to: CFDictionary.self)
    }

    static func bytes(of data: CFData) -> [UInt8] {
        guard let pointer = CFDataGetBytePtr(data) else { return [] }
        return Array(UnsafeBufferPointer(start: pointer, count: CFDataGetLength(data)))
    }

    static func error(_ status: OSStatus) -> CFError {
        let userInfo = [NSLocalizedDescriptionKey: SecCopyErrorMessageString(status, nil) ?? "?" as CFString]
        return CFErrorCreate(
            kCFAllocatorDefault,
            NSOSStatusErrorDomain as CFString,
            CFIndex(status),
            userInfo as CFDictionary
        )
    }
}

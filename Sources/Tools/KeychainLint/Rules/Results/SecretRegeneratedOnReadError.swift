// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let secretRegeneratedOnReadError = Rule(
        "secret-regenerated-on-read-error",
        severity: .error,
        confidence: .medium,
        family: .results,
        title: "A key is recreated when it cannot be read",
        reason: """
            A locked device or a passing failure makes the read fail. A new key then takes the place of the only \
            one that opens existing data.
            """,
        remedy: "Make a new key only when the read said errSecItemNotFound.",
        flagged: """
            import Security
            struct Store {
                func read() -> Data? {
                    var r: CFTypeRef?
                    guard SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) == errSecSuccess else { return nil }
                    return r as? Data
                }
                func save(_ d: Data) -> OSStatus {
                    SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecValueData: d] as CFDictionary)
                }
                func key() -> Data {
                    if let key = read() { return key }
                    var fresh = Data(count: 32)
                    let r = fresh.withUnsafeMutableBytes { SecRandomCopyBytes(kSecRandomDefault, 32, $0.baseAddress!) }
                    guard r == 0, save(fresh) == errSecSuccess else { return Data() }
                    return fresh
                }
            }
            """,
        accepted: """
            import CryptoKit
            import Security
            func load() throws -> Data? {
                var r: CFTypeRef?
                let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                if s == errSecItemNotFound { return nil }
                guard s == errSecSuccess, let d = r as? Data else { throw Failure(s) }
                return d
            }
            func key() throws -> Data {
                if let key = try load() { return key }
                let fresh = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
                let s = SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: fresh] as CFDictionary, nil)
                guard s == errSecSuccess else { throw Failure(s) }
                return fresh
            }
            """,
        check: .function { facts, report in
            for event in facts.events {
                guard case .call(let call) = event.kind, makesSecret(call) else { continue }
                for read in facts.sites where read.function == .copyMatching {
                    guard let codes = event.codes[read.index], codes.contains(.interactionNotAllowed),
                        !codes.contains(.success), codes.contains(.notFound),
                        // Otherwise both are in a helper, which is analysed separately.
                        event.depth == 0 || read.depth == 0 || event.rootCall != read.rootCall
                    else { continue }
                    let place = event.depth == 0 ? event.place : event.rootCall
                    let message =
                        "makes a new secret whenever the read fails, also when the keychain is only locked, and stores it"
                    if storesItself(call, at: event.place, facts.module) {
                        report.add(place, message, related: [(read.rootCall, "the read")], context: facts.name)
                        return
                    }
                    // It is stored on the same path.
                    let stores = facts.sites.filter { site in
                        (site.function == .add || site.function == .update)
                            && (site.codes[read.index].map { $0.contains(.interactionNotAllowed) } ?? false)
                    }
                    guard let store = stores.first else { continue }
                    let isAnonymous = call.name == "UUID"
                    // An add alone fails if the old secret exists, unless that was deleted before.
                    let isAddOnly = stores.allSatisfy { store in
                        store.function == .add
                            && !facts.sites.contains { $0.function == .delete && store.passed.contains($0.index) }
                    }
                    report.add(
                        place,
                        message,
                        severity: isAnonymous || isAddOnly ? .warning : nil,
                        related: [(read.rootCall, "the read"), (store.rootCall, "it is stored here")],
                        context: facts.name
                    )
                    return
                }
            }
        }
    )
}

/// Whether making a key also stores it: with kSecAttrIsPermanent in the function that makes it.
private func storesItself(_ call: Event.Call, at place: Place, _ module: Module) -> Bool {
    guard ["SecKeyCreateRandomKey", "SecKeyGeneratePair"].contains(call.name) else { return false }
    let file = module.files[place.file]
    let function = module.allFunctions.filter { $0.file == place.file && $0.function.range.contains(place.range) }
        .min { ($0.function.range.end - $0.function.range.start) < ($1.function.range.end - $1.function.range.start) }
    let text = file.text(function?.function.range ?? place.range).filter { !$0.isWhitespace }
    return [
        "kSecAttrIsPermanent:true", "kSecAttrIsPermanentasString:true", "kSecAttrIsPermanent]=true",
        "kSecAttrIsPermanentasString]=true", "kSecAttrIsPermanent:kCFBooleanTrue", "kSecAttrIsPermanent:NSNumber(true)",
        "kSecAttrIsPermanentasString:kCFBooleanTrue",
    ].contains { text.contains($0) }
}

/// Whether a call creates random data.
private func makesSecret(_ call: Event.Call) -> Bool {
    switch call.name {
    case "SymmetricKey": return call.arguments.first?.label == "size"
    case "SecRandomCopyBytes", "SecKeyCreateRandomKey", "SecKeyGeneratePair", "UUID": return true
    case "PrivateKey": return call.arguments.isEmpty
    default:
        let lower = call.name.lowercased()
        return lower.hasPrefix("generate") || lower.hasPrefix("makerandom") || lower.hasPrefix("createrandom")
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Names of things that are secret.
enum SecretName {
    private static let single: Set<String> = [
        "password", "passwd", "passphrase", "secret", "apikey", "privatekey", "mnemonic", "pincode", "passcode",
        "credential", "credentials",
    ]

    private static let tokenKinds: Set<String> = [
        "access", "refresh", "id", "auth", "session", "bearer", "api", "oauth", "login", "user", "jwt", "authorization",
        "authentication",
    ]

    /// Suffixes that make a name describe a property of a secret, not the secret.
    private static let qualities: Set<String> = [
        "count", "length", "type", "field", "hint", "enabled", "tags", "label", "title", "name", "id", "identifier",
        "date",
        "expiry", "expiration", "expires", "expired", "url", "uri", "endpoint", "path", "service", "policy", "manager",
        "view", "controller",
        "button", "text", "placeholder", "status", "state", "error", "store", "provider", "size", "index", "scope",
        "version", "strength", "rules", "required", "visible", "hidden", "valid", "changed", "key", "keys", "prefix",
        "suffix",
        "format", "message", "description", "kind", "source", "timestamp", "interval", "lifetime", "attempts", "hash",
        "confirmation",
        "screen", "flow", "request", "response", "result", "handler", "completion", "cell", "row", "option", "options",
        "autofill", "generator", "manager", "reset", "prompt", "account", "domain", "group", "tab", "item", "items",
    ]

    private static let excuses: Set<String> = [
        "device", "push", "apns", "history", "page", "pagination", "max", "is", "has", "show", "hide", "should", "can",
        "fcm",
        "next", "continuation", "cancellation", "observer", "notification", "num", "total", "keyboard", "sync",
        "change",
        "did", "will", "needs", "use", "uses", "public", "csrf", "remember", "save", "disable", "enable", "last",
        "cursor",
    ]

    /// The words of a name in camel or snake case.
    static func words(_ name: String) -> [String] {
        var result: [String] = []
        var word = ""
        let characters = Array(name)
        for (index, character) in characters.enumerated() {
            let isBoundary =
                character.isUppercase && index > 0
                && (characters[index - 1].isLowercase
                    || (index + 1 < characters.count && characters[index + 1].isLowercase))
            if !character.isLetter && !character.isNumber || isBoundary {
                if !word.isEmpty { result.append(word.lowercased()) }
                word = ""
            }
            if character.isLetter || character.isNumber { word.append(character) }
        }
        if !word.isEmpty { result.append(word.lowercased()) }
        return result
    }

    /// Whether a name is that of a secret.
    static func isSecret(_ name: String) -> Bool {
        guard name.count < 80, !name.contains(" ") else { return false }
        let words = words(name)
        guard let last = words.last else { return false }
        let lastTwo = words.count > 1 ? words[words.count - 2] + last : ""
        if single.contains(last) || single.contains(lastTwo) { return true }
        if last == "pin" { return words.count == 1 || words.contains("user") || words.contains("code") }
        if last == "token" { return words.count == 1 || tokenKinds.contains(words[words.count - 2]) }
        if lastTwo == "seedphrase" || lastTwo == "recoveryphrase" { return true }
        return false
    }

    /// Whether a name only resembles that of a secret.
    static func isExcused(_ name: String) -> Bool {
        let words = words(name)
        if let first = words.first, excuses.contains(first) { return true }
        if words.contains("device") || words.contains("push") || words.contains("apns") { return true }
        if let last = words.last, qualities.contains(last), !single.contains(words.suffix(2).joined()) {
            return words.count > 1
                && words.dropLast().contains { ["password", "token", "secret", "pin", "passcode"].contains($0) }
        }
        return false
    }
}

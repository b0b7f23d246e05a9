// SPDX-License-Identifier: Apache-2.0

/// The types that results are cast to.
enum CastType {
    private static func plain(_ type: String) -> String { type.filter { $0 != " " && $0 != "?" && $0 != "!" } }

    static func isDictionary(_ type: String) -> Bool {
        let text = plain(type)
        return Interpreter.isDictionaryType(text)
    }

    static func isArray(_ type: String) -> Bool {
        let text = plain(type)
        if ["NSArray", "CFArray", "NSMutableArray"].contains(text) || text.hasPrefix("Array<") { return true }
        guard text.hasPrefix("["), text.hasSuffix("]") else { return false }
        // A colon at the top level makes it a dictionary.
        var depth = 0
        for character in text.dropFirst() {
            switch character {
            case "[", "<", "(": depth += 1
            case "]", ">", ")": depth -= 1
            case ":": if depth == 0 { return false }
            default: break
            }
        }
        return true
    }

    static func isData(_ type: String) -> Bool {
        ["Data", "NSData", "CFData", "Foundation.Data"].contains(plain(type))
    }

    static func isReference(_ type: String) -> Bool {
        ["SecKey", "SecCertificate", "SecIdentity", "SecKeychainItem"].contains(plain(type))
    }

    /// Classes of CoreFoundation, for which only `as!` compiles.
    static func isCoreFoundation(_ type: String) -> Bool {
        isReference(type)
            || ["SecAccessControl", "CFDictionary", "CFArray", "CFData", "CFString", "SecTrust"].contains(plain(type))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// A program that makes one call of SecItem, for tests to sign, and to install another version of: `add ACCOUNT SECRET
/// [GROUP]` or `find ACCOUNT`.
///
/// It prints the status and, if it has found an item, its secret and its access group.
@main
struct KeychainItems {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { exit(2) }
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: arguments[1]]
        switch arguments[0] {
        case "add" where arguments.count >= 3:
            query[kSecValueData] = Data(arguments[2].utf8)
            if arguments.count > 3 { query[kSecAttrAccessGroup] = arguments[3] }
            print(SecItemAdd(query as CFDictionary, nil))
        case "find":
            query[kSecReturnAttributes] = true
            query[kSecReturnData] = true
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            let item = result as? [CFString: Any]
            let secret = (item?[kSecValueData] as? Data).map { String(decoding: $0, as: UTF8.self) }
            let words = ["\(status)", secret, item?[kSecAttrAccessGroup] as? String].compactMap(\.self)
            print(words.joined(separator: " "))
        default: exit(2)
        }
    }
}

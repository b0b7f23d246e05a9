// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// Shared code of functions that return a status.
enum FunctionCall {
    /// The status of a call: `errSecSuccess`, or that of what it throws.
    static func status(_ body: () throws(KeychainError) -> Void) -> OSStatus {
        do throws(KeychainError) {
            try body()
            return errSecSuccess
        } catch {
            return error.status.rawValue
        }
    }
}

/// An argument that is an object, or an array of objects.
enum Members {
    /// The objects; `nil` when one of them is of another class.
    static func of<Member: AnyObject>(_ argument: CFTypeRef, _ type: Member.Type) -> [Member]? {
        if let member = argument as? Member { return [member] }
        guard let array = argument as? NSArray else { return nil }
        let members = array.compactMap { $0 as? Member }
        return members.count == array.count ? members : nil
    }

    /// The objects.
    ///
    /// - Parameters:
    ///   - argument: the argument.
    ///   - type: the class.
    ///   - name: a description of one of them, with its article.
    /// - Returns: The objects; empty for an empty array.
    /// - Throws: `errSecParam` if one of them is of another class.
    static func required<Member: AnyObject>(
        _ argument: CFTypeRef,
        as type: Member.Type,
        named name: String
    ) throws(KeychainError) -> [Member] {
        guard let members = of(argument, type) else {
            throw .parameter("the argument is neither \(name) nor an array of them")
        }
        return members
    }
}

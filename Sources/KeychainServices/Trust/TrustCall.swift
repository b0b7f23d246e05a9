// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainCore
import KeychainTrust

/// What functions on trust have in common.
enum TrustCall {
    /// The status of a call.
    static func status(_ body: () throws(KeychainError) -> Void) -> OSStatus {
        do throws(KeychainError) {
            try body()
            return errSecSuccess
        } catch {
            return error.status.rawValue
        }
    }

    /// The anchors of the system.
    static func systemAnchors() throws(KeychainError) -> [SecCertificate] {
        try TrustEvaluator.systemAnchors().compactMap { try? Certificate(der: $0) }.map(SecCertificate.init(_:))
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
}

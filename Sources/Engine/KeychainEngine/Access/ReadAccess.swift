// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Whether an item may be read in a call (Semantics, "Access control").
enum ReadAccess {
    /// It may; with the key of its application password, if it has one.
    case granted(PasswordKey?)
    /// The owner has to authenticate first.
    case demands(AuthenticationDemand)
    /// Reading is never permitted: the access control permits only the use of a private key.
    case denied
}

extension ItemTransaction {
    /// Judges whether an item may be read.
    func readAccess(to row: NumberedRow, _ metadata: OpenedMetadata) throws(KeychainError) -> Opened<ReadAccess> {
        guard let accessControl = metadata.attributes.guardOfReading else { return .content(.granted(nil)) }
        if authorization.enforcesAccessControl, accessControl.constraints?.guardsPrivateKeyUsage ?? false {
            return .content(.denied)
        }
        var demand = AuthenticationDemand()
        if !authorization.isSatisfied(accessControl) { demand.accessControls = [accessControl] }
        var key: PasswordKey?
        switch try sealer.passwordHeader(row, metadata) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(let header?):
            key = authorization.passwordKey(header)
            if key == nil { demand.passwords = [header] }
        case .content(nil): break
        }
        return .content(demand.isEmpty ? .granted(key) : .demands(demand))
    }
}

extension KeychainError {
    /// The answer for an item that only a private key's use is permitted for.
    static let neverReadable = KeychainError(
        .authenticationFailed,
        "the access control of the item permits the use of a private key, and no reading"
    )
}

extension Attributes {
    /// The access control to satisfy before the item may be read; `nil` if there is none.
    ///
    /// That of a key in the Secure Enclave protects the use of the key, not its row.
    var guardOfReading: AccessControl? {
        guard let accessControl, !areOfEnclaveKey, accessControl.requiresAuthentication else { return nil }
        return accessControl
    }
}

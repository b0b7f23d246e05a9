// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

extension Defect {
    private static let key = kSecAttrSynchronizable as String

    private static func isAny(_ value: Any?) -> Bool { value as? String == kSecAttrSynchronizableAny as String }

    private static func isTrue(_ value: Any?) -> Bool { !isAny(value) && (value as? NSNumber)?.boolValue == true }

    /// Functions that mean other items than kSecAttrSynchronizable says.
    static let synchronization = [
        Defect(
            "true finds local items too",
            breaks: "synchronizable items only when asked",
            "an update changes synchronizable items only when asked",
            "update onto another item is refused"
        ) { $0.misread(.copy) { if isTrue($0[key]) { $0[key] = kSecAttrSynchronizableAny } } },
        Defect(
            "any finds synchronizable items alone",
            breaks: "synchronizable items only when asked",
            "a delete takes synchronizable items only when asked"
        ) { $0.misread(.copy) { if isAny($0[key]) { $0[key] = true } } },
        Defect(
            "an update with any changes local items alone",
            breaks: "an update changes synchronizable items only when asked"
        ) { $0.misread(.update) { if isAny($0[key]) { $0[key] = false } } },
        Defect(
            "a delete with any takes local items alone",
            breaks: "a delete takes synchronizable items only when asked"
        ) { $0.misread(.delete) { if isAny($0[key]) { $0[key] = false } } },
        Defect(
            "an update with true changes local items too",
            breaks: "an update changes synchronizable items only when asked"
        ) { $0.misread(.update) { if isTrue($0[key]) { $0[key] = kSecAttrSynchronizableAny } } },
        Defect(
            "a delete with true takes local items too",
            breaks: "a delete takes synchronizable items only when asked"
        ) { $0.misread(.delete) { if isTrue($0[key]) { $0[key] = kSecAttrSynchronizableAny } } },
        Defect(
            "an update that says nothing changes the synchronizable item beside a local one",
            breaks: "an update changes synchronizable items only when asked"
        ) { functions in
            functions.onUpdate = { query, attributes in
                let status = DefectiveFunctions.real.update(query, attributes)
                guard status == errSecSuccess, query[key] == nil else { return status }
                _ = DefectiveFunctions.real.update(query.merging([key: true]) { $1 }, attributes)
                return status
            }
        },
        Defect(
            "a delete that says nothing takes the synchronizable item beside a local one",
            breaks: "a delete takes synchronizable items only when asked"
        ) { functions in
            functions.onDelete = { query in
                let status = DefectiveFunctions.real.delete(query)
                guard status == errSecSuccess, query[key] == nil else { return status }
                _ = DefectiveFunctions.real.delete(query.merging([key: true]) { $1 })
                return status
            }
        },
        Defect(
            "an update makes nothing synchronizable",
            breaks: "an update makes an item synchronizable",
            "update onto another item is refused"
        ) { $0.leaveOutOfUpdate { $0[key] = nil } },
    ]
}

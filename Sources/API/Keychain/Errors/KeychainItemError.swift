// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PortableSecurity

/// Why a call did not do what it was asked for: nothing has changed then.
///
/// No error carries a secret.
public struct KeychainItemError: Error, Sendable {
    /// What kind of failure it is, for a program to act on.
    public let kind: Kind

    /// The status that Apple's item function returned, or would have returned.
    public let status: OSStatus

    /// What was asked for.
    public let operation: Operation

    /// The item that it was about; `nil` for a call about many.
    public let item: (any KeychainItem)?

    /// The selection that it was about, in words; `nil` for a call about one item.
    public let selection: String?

    /// One sentence: what is wrong.
    public let reason: String

    /// What to do about it: one sentence that goes with the status; of a call on a device of the testing kit, what is
    /// wrong with this very call and what would be right.
    public let advice: String

    /// An error; kind, reason and advice follow from the status where they are not given.
    ///
    /// - Parameters:
    ///   - status: the status.
    ///   - operation: what was asked for.
    ///   - item: the item that it was about.
    ///   - selection: the selection that it was about, in words.
    ///   - kind: the kind; `nil` for the one that goes with the status.
    ///   - reason: what is wrong; `nil` for the general reason of the kind. No secrets.
    public init(
        status: OSStatus,
        operation: Operation,
        item: (any KeychainItem)? = nil,
        selection: String? = nil,
        kind: Kind? = nil,
        reason: String? = nil
    ) {
        self.init(
            status: status,
            operation: operation,
            item: item,
            rival: item,
            selection: selection,
            kind: kind,
            reason: reason,
            advice: nil
        )
    }

    /// An error; the rival is what has the same key as an item that is there.
    init(
        status: OSStatus,
        operation: Operation,
        item: (any KeychainItem)?,
        rival: (any KeychainItem)?,
        selection: String?,
        kind: Kind?,
        reason: String?,
        advice: String?
    ) {
        let row = StatusGuide.row(of: status, kind)
        self.status = status
        self.operation = operation
        self.item = item
        self.selection = selection
        self.kind = row.kind
        self.reason = [reason ?? row.reason, Self.names(row.kind, item, rival)].compactMap(\.self).joined(
            separator: ": "
        )
        self.advice = advice ?? row.advice
    }

    /// What the reason names of the item; `nil` for nothing.
    private static func names(
        _ kind: Kind,
        _ item: (any KeychainItem)?,
        _ rival: (any KeychainItem)?
    ) -> String? {
        switch kind {
        case .duplicate: rival.map { "\($0.key): \($0.key.attributeNames) are the same" }
        case .missingEntitlement: item?.accessGroup.map { "access group '\($0)'" }
        default: nil
        }
    }

    /// What can be asked for.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// To store an item that is not there.
        case add
        /// To store an item, there or not.
        case set
        /// To read what an item holds.
        case read
        /// To read the attributes of an item.
        case attributes
        /// To change an item that is there.
        case update
        /// To delete an item.
        case delete
        /// To list items.
        case list
        /// To delete many items.
        case deleteAll
    }
}

extension KeychainItemError: CustomStringConvertible {
    /// Operation, item, reason, status and advice in two sentences; nothing secret.
    public var description: String {
        let subject = item.map { " \($0)" } ?? selection.map { " \($0)" } ?? ""
        return "cannot \(operation.words)\(subject): \(reason) (\(status)); \(advice)"
    }
}

extension KeychainItemError: LocalizedError {
    /// The same as the description.
    public var errorDescription: String? { description }
}

extension KeychainItemError.Operation {
    var words: String {
        switch self {
        case .add: "add"
        case .set: "set"
        case .read: "read"
        case .attributes: "read the attributes of"
        case .update: "update"
        case .delete: "delete"
        case .list: "list"
        case .deleteAll: "delete"
        }
    }
}

extension ItemKey {
    /// The attributes of the key by their names in sentences.
    var attributeNames: String {
        (KeyTable.columns(of: itemClass).map(\.title) + ["access group", "synchronizability"]).joined(separator: ", ")
    }
}

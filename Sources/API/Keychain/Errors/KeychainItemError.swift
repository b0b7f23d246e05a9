// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PortableSecurity

/// Why a call failed; nothing has changed then.
///
/// No error carries a secret.
public struct KeychainItemError: Error, Sendable {
    /// The kind of failure, for a program to handle.
    public let kind: Kind

    /// The status that Apple's item function returned, or would have returned.
    public let status: OSStatus

    /// The requested operation.
    public let operation: Operation

    /// The item that it was about; `nil` for a call about many.
    public let item: (any KeychainItem)?

    /// The selection that it was about, in words; `nil` for a call about one item.
    public let selection: String?

    /// One sentence: what is wrong.
    public let reason: String

    /// The remedy: one sentence for the status; for a call on a device of the testing kit, what is wrong with this
    /// particular call and what would be right.
    public let advice: String

    /// Creates an error; kind, reason and advice follow from the status if they are not given.
    ///
    /// - Parameters:
    ///   - status: the status.
    ///   - operation: the requested operation.
    ///   - item: the item concerned.
    ///   - selection: the selection concerned, as text.
    ///   - kind: the kind; `nil` for the status's own kind.
    ///   - reason: the problem; `nil` for the general reason of the kind. No secrets.
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

    /// Creates an error; the rival is the value with the same key as an existing item.
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
        self.reason = [reason ?? row.reason, Self.names(for: row.kind, item: item, rival: rival)].compactMap(\.self)
            .joined(
                separator: ": "
            )
        self.advice = advice ?? row.advice
    }

    /// The name of the item in the reason; `nil` for none.
    private static func names(
        for kind: Kind,
        item: (any KeychainItem)?,
        rival: (any KeychainItem)?
    ) -> String? {
        switch kind {
        case .duplicate: rival.map { "\($0.key): \($0.key.attributeNames) are the same" }
        case .missingEntitlement: item?.accessGroup.map { "access group '\($0)'" }
        default: nil
        }
    }

    /// The operations that can be requested.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// Storing a new item.
        case add
        /// Storing an item, new or existing.
        case set
        /// Reading the contents of an item.
        case read
        /// To read the attributes of an item.
        case attributes
        /// Changing an existing item.
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
        (PrimaryKeyTable.columns(of: itemClass).map(\.title) + ["access group", "synchronizability"]).joined(
            separator: ", "
        )
    }
}

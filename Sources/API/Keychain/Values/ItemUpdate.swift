// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The changes to an existing item; values that are `nil` stay.
public struct ItemUpdate: Sendable {
    /// The new secret.
    public var data: Data?

    /// The new protection.
    public var protection: Protection?

    /// The access group to move it to.
    public var accessGroup: String?

    /// Whether it is to be in the set that is synchronized.
    public var isSynchronizable: Bool?

    /// New details.
    public var details: ItemDetails

    /// Changes.
    public init(
        data: Data? = nil,
        protection: Protection? = nil,
        accessGroup: String? = nil,
        isSynchronizable: Bool? = nil,
        details: ItemDetails = .none
    ) {
        self.data = data
        self.protection = protection
        self.accessGroup = accessGroup
        self.isSynchronizable = isSynchronizable
        self.details = details
    }
}

extension ItemUpdate: CustomReflectable {
    /// Everything except the new secret, of which only its presence is shown.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "hasData": data != nil, "protection": protection as Any, "accessGroup": accessGroup as Any,
                "isSynchronizable": isSynchronizable as Any, "details": details,
            ],
            displayStyle: .struct
        )
    }
}

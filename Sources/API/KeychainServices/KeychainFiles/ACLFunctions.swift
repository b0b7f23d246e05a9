// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

/// Adds an entry for every operation to an access.
///
/// - Parameters:
///   - access: the access, which changes.
///   - applicationList: an array of the programs that need no prompt; `nil` for every program.
///   - description: a description of the item, as shown in a prompt.
///   - promptSelector: when a password is required; stored and shown.
///   - newAcl: receives the entry.
/// - Returns: `errSecSuccess`; `errSecParam` for an array of other objects.
@discardableResult
public func SecACLCreateWithSimpleContents(
    _ access: SecAccess,
    _ applicationList: CFArray?,
    _ description: CFString,
    _ promptSelector: SecKeychainPromptSelector,
    _ newAcl: UnsafeMutablePointer<SecACL?>
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let programs = try ACLCall.programs(applicationList)
        let entry = AccessEntry([.any], for: programs, description as String, prompt: promptSelector.rawValue)
        newAcl.pointee = access.add(entry)
    }
}

/// Removes an entry from its access.
///
/// - Returns: `errSecSuccess`; `errSecInvalidOwnerEdit` for the entry of the owner; `errSecInvalidACL` for one that was
///   already removed.
@discardableResult
public func SecACLRemove(_ aclRef: SecACL) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in try aclRef.remove() }
}

/// The contents of an entry besides its operations.
///
/// - Parameters:
///   - acl: the entry.
///   - applicationList: where an array of the programs goes; `nil` for every program.
///   - description: receives the description; of a partition list, a property list in hexadecimal.
///   - promptSelector: receives when a password is required.
/// - Returns: `errSecSuccess`; `errSecInvalidACL` for an entry that was removed. Every entry has the simple form, so
///   `errSecACLNotSimple` is never returned.
@discardableResult
public func SecACLCopyContents(
    _ acl: SecACL,
    _ applicationList: UnsafeMutablePointer<CFArray?>,
    _ description: UnsafeMutablePointer<CFString?>,
    _ promptSelector: UnsafeMutablePointer<SecKeychainPromptSelector>
) -> OSStatus {
    guard let entry = acl.entry else { return errSecInvalidACL }
    applicationList.pointee = entry.applications.map { NSArray(array: $0.map(SecTrustedApplication.init(_:))) }
    let text = entry.isPartitionList ? PartitionDescription.text(entry.partitions) : entry.description
    description.pointee = NSString(string: text)
    promptSelector.pointee = SecKeychainPromptSelector(rawValue: entry.prompt)
    return errSecSuccess
}

/// Replaces the contents of an entry besides its operations.
///
/// An item has it once the access is set: ``SecKeychainItemSetAccess(_:_:)``.
///
/// - Parameters:
///   - acl: the entry.
///   - applicationList: an array of the programs that need no prompt, empty for none; `nil` for every program.
///   - description: a description of the item, as shown in a prompt; for a partition list, a property list in
///     hexadecimal.
///   - promptSelector: when a password is required; stored and shown.
/// - Returns: `errSecSuccess`; `errSecParam` for an array of other objects, and for a text that is not a partition list
///   if one is required; `errSecInvalidACL` for an entry that was removed.
@discardableResult
public func SecACLSetContents(
    _ acl: SecACL,
    _ applicationList: CFArray?,
    _ description: CFString,
    _ promptSelector: SecKeychainPromptSelector
) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let programs = try ACLCall.programs(applicationList)
        try acl.change { (entry) throws(KeychainError) in
            let text = description as String
            entry.description = entry.isPartitionList ? try PartitionDescription.members(text) : text
            entry.applications = programs
            entry.prompt = promptSelector.rawValue
        }
    }
}

/// The operations of an entry.
///
/// - Returns: An array of strings `kSecACLAuthorization…`; an empty one for an entry that was removed.
@discardableResult
public func SecACLCopyAuthorizations(_ acl: SecACL) -> CFArray {
    NSArray(array: acl.entry?.authorizations.map(\.constant) ?? [])
}

/// Replaces the operations of an entry.
///
/// - Parameters:
///   - acl: the entry.
///   - authorizations: an array of strings `kSecACLAuthorization…`.
/// - Returns: `errSecSuccess`; `errSecParam` for an empty array and one of other objects, and for a partition list with
///   an invalid description; `errSecInvalidOwnerEdit` if the access list would have no entry of the owner, or two;
///   `errSecInvalidACL` for an entry that was removed.
@discardableResult
public func SecACLUpdateAuthorizations(_ acl: SecACL, _ authorizations: CFArray) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        let operations = authorizations.compactMap(AccessAuthorization.init(_:))
        guard operations.count == authorizations.count, !operations.isEmpty else {
            throw .parameter("an entry is for some of the operations of the constants kSecACLAuthorization")
        }
        try acl.change { (entry) throws(KeychainError) in
            let wasPartitionList = entry.isPartitionList
            entry.authorizations = operations
            guard entry.isPartitionList != wasPartitionList else { return }
            entry.description =
                wasPartitionList
                ? PartitionDescription.text(entry.partitions) : try PartitionDescription.members(entry.description)
        }
    }
}

/// The arguments of functions on entries.
private enum ACLCall {
    /// The programs of an array; `nil` for `nil`.
    static func programs(_ list: CFArray?) throws(KeychainError) -> [TrustedApplication]? {
        guard let list else { return nil }
        let programs = list.compactMap { ($0 as? SecTrustedApplication)?.value }
        guard programs.count == list.count else { throw .parameter("not every object is a SecTrustedApplication") }
        return programs
    }
}

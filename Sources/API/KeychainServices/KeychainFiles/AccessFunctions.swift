// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import KeychainCore

/// Creates an access list for items of file-based keychains.
///
/// - Parameters:
///   - descriptor: a description of the item, as shown in a prompt.
///   - trustedList: an array of the programs that may read the secret without a prompt; `nil` for this one alone.
///   - access: receives the list.
/// - Returns: `errSecSuccess`; `errSecParam` for an array of other objects.
@discardableResult
public func SecAccessCreate(
    _ descriptor: CFString,
    _ trustedList: CFArray?,
    _ access: UnsafeMutablePointer<SecAccess?>
) -> OSStatus {
    var programs = [ProcessClient.program]
    if let trustedList {
        let applications = trustedList.compactMap { $0 as? SecTrustedApplication }
        guard applications.count == trustedList.count else { return errSecParam }
        programs = applications.map(\.value)
    }
    access.pointee = SecAccess(ItemAccess(descriptor: descriptor as String, trustedApplications: programs))
    return errSecSuccess
}

/// Names a program for an access list.
///
/// - Parameters:
///   - path: the path of the executable; `nil` for this program.
///   - application: receives the program.
/// - Returns: `errSecSuccess`; the system's error in Apple's encoding (100000 plus the number) for a missing file.
@discardableResult
public func SecTrustedApplicationCreateFromPath(
    _ path: UnsafePointer<CChar>?,
    _ application: UnsafeMutablePointer<SecTrustedApplication?>
) -> OSStatus {
    guard let path else {
        application.pointee = SecTrustedApplication(ProcessClient.program)
        return errSecSuccess
    }
    let name = String(cString: path)
    if !name.hasPrefix("group://"), Glibc.access(path, F_OK) != 0 { return OSStatus(100_000 + errno) }
    application.pointee = SecTrustedApplication(TrustedApplication(path: name))
    return errSecSuccess
}

/// The path of a program as data, with a zero at its end.
@discardableResult
public func SecTrustedApplicationCopyData(
    _ application: SecTrustedApplication,
    _ data: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    data.pointee = NSData(data: Data(application.value.path.utf8) + [0])
    return errSecSuccess
}

/// Names another program.
///
/// - Parameters:
///   - appRef: the program, which changes.
///   - data: its path as data, with or without a zero at its end.
/// - Returns: `errSecSuccess`; `errSecParam` for data that is not a path.
@discardableResult
public func SecTrustedApplicationSetData(_ appRef: SecTrustedApplication, _ data: CFData) -> OSStatus {
    let bytes = Data(referencing: data)
    let path = bytes.last == 0 ? bytes.dropLast() : bytes
    guard !path.isEmpty, !path.contains(0), let text = String(data: path, encoding: .utf8) else { return errSecParam }
    appRef.value = TrustedApplication(path: text)
    return errSecSuccess
}

/// The entries of an access.
///
/// - Parameters:
///   - accessRef: the access.
///   - aclList: receives an array of ``SecACL``.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecAccessCopyACLList(_ accessRef: SecAccess, _ aclList: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    aclList.pointee = NSArray(array: accessRef.list { _ in true })
    return errSecSuccess
}

/// The entries of an access list that apply to an operation, including those for every operation.
///
/// - Parameters:
///   - accessRef: the access.
///   - authorizationTag: a string `kSecACLAuthorization…`.
/// - Returns: An array of ``SecACL``, empty if no entry applies; `nil` if the string is not an operation.
@discardableResult
public func SecAccessCopyMatchingACLList(_ accessRef: SecAccess, _ authorizationTag: CFTypeRef) -> CFArray? {
    AccessAuthorization(authorizationTag).map { operation in
        NSArray(array: accessRef.list { $0.allows(operation) })
    }
}

/// The owner and the entries of an access.
///
/// - Important: Differs from Apple: the owner is always the user of this process, who owns these keychains.
///
/// - Parameters:
///   - accessRef: the access.
///   - userId: receives the user, unless it is `nil`.
///   - groupId: receives the group, which has no effect.
///   - ownerType: receives the decisive identifier: `kSecUseOnlyUID`.
///   - aclList: receives an array of ``SecACL``.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecAccessCopyOwnerAndACL(
    _ accessRef: SecAccess,
    _ userId: UnsafeMutablePointer<uid_t>?,
    _ groupId: UnsafeMutablePointer<gid_t>?,
    _ ownerType: UnsafeMutablePointer<SecAccessOwnerType>?,
    _ aclList: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    userId?.pointee = geteuid()
    groupId?.pointee = getegid()
    ownerType?.pointee = SecAccessOwnerType(kSecUseOnlyUID)
    aclList?.pointee = NSArray(array: accessRef.list { _ in true })
    return errSecSuccess
}

/// Creates an access list from entries.
///
/// - Important: Differs from Apple: a keychain file is for one user, so an access list for another user, a group or the
///   administrator in addition to the user is rejected.
///
/// - Parameters:
///   - userId: the owner, who is the user of this process.
///   - groupId: ignored.
///   - ownerType: `kSecUseOnlyUID`.
///   - acls: an array of ``SecACL``, whose contents are copied; `nil` for none. If none is that of the owner, no
///     program may change the access list without a prompt.
///   - error: receives the failure: `errSecParam` for an array of other objects or with several entries of owners,
///     `errSecInvalidACL` for an entry that was removed, `errSecUnimplemented` for another owner.
/// - Returns: The access; `nil` after a failure.
@discardableResult
public func SecAccessCreateWithOwnerAndACL(
    _ userId: uid_t,
    _ groupId: gid_t,
    _ ownerType: SecAccessOwnerType,
    _ acls: CFArray?,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccess? {
    func failure(_ status: OSStatus, _ reason: String) -> SecAccess? {
        SecurityError.hand(status, reason, to: error)
        return nil
    }
    guard userId == geteuid(), ownerType == SecAccessOwnerType(kSecUseOnlyUID) else {
        return failure(errSecUnimplemented, "an item of a keychain file belongs to its user alone")
    }
    let list = (acls ?? []).compactMap { $0 as? SecACL }
    guard list.count == acls?.count ?? 0 else { return failure(errSecParam, "not every object is a SecACL") }
    var entries = list.compactMap(\.entry)
    guard entries.count == list.count else { return failure(errSecInvalidACL, "an entry was removed") }
    switch entries.filter(\.isOfOwner).count {
    case 0: entries.append(AccessEntry([.changeAccess], for: [], entries.first?.description ?? ""))
    case 1: break
    default: return failure(errSecParam, "several entries say who may change the access")
    }
    return SecAccess(ItemAccess(entries: entries))
}

/// Flags for the owners that an access list uses.
public typealias SecAccessOwnerType = UInt32

/// The user alone.
public let kSecUseOnlyUID = 1
/// The group alone.
public let kSecUseOnlyGID = 2
/// The administrator as well.
public let kSecHonorRoot = 0x100
/// The flags of ``kSecUseOnlyUID`` and ``kSecUseOnlyGID``.
public let kSecMatchBits = kSecUseOnlyUID | kSecUseOnlyGID

/// The access list of a whole keychain, which has none; not supported, as on macOS.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeychainCopyAccess(_ keychain: SecKeychain?, _ access: UnsafeMutablePointer<SecAccess?>) -> OSStatus {
    errSecUnimplemented
}

/// Replaces the access list of a whole keychain, which has none; not supported, as on macOS.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeychainSetAccess(_ keychain: SecKeychain?, _ access: SecAccess) -> OSStatus { errSecUnimplemented }

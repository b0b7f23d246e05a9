// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import KeychainCore

/// Makes an access list for items of file-based keychains.
///
/// - Parameters:
///   - descriptor: what the access is for, as a prompt would say it.
///   - trustedList: an array of the programs that may read the secret without a question; `nil` for this one alone.
///   - access: where the list goes.
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
///   - application: where the program goes.
/// - Returns: `errSecSuccess`; the system's error in Apple's encoding (100000 and the number) for a file that is not
///   there.
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
/// - Returns: `errSecSuccess`; `errSecParam` for data that is no path.
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
///   - aclList: where an array of ``SecACL`` goes.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecAccessCopyACLList(_ accessRef: SecAccess, _ aclList: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    aclList.pointee = NSArray(array: accessRef.list { _ in true })
    return errSecSuccess
}

/// The entries of an access that apply to an operation, among them those for every operation.
///
/// - Parameters:
///   - accessRef: the access.
///   - authorizationTag: a string `kSecACLAuthorization…`.
/// - Returns: An array of ``SecACL``, empty where no entry applies; `nil` for what is no such string.
@discardableResult
public func SecAccessCopyMatchingACLList(_ accessRef: SecAccess, _ authorizationTag: CFTypeRef) -> CFArray? {
    AccessAuthorization(authorizationTag).map { operation in
        NSArray(array: accessRef.list { $0.allows(operation) })
    }
}

/// The owner and the entries of an access.
///
/// - Important: Differs from Apple: the owner is always the user of this process, whose keychains these are.
///
/// - Parameters:
///   - accessRef: the access.
///   - userId: where the user goes; `nil` for nowhere.
///   - groupId: where the group goes, which has no effect.
///   - ownerType: where it goes what counts: `kSecUseOnlyUID`.
///   - aclList: where an array of ``SecACL`` goes.
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

/// Makes an access of entries.
///
/// - Important: Differs from Apple: a keychain file is for one user, so that an access for another user, a group or the
///   administrator beside the user is refused.
///
/// - Parameters:
///   - userId: the owner, who is the user of this process.
///   - groupId: has no effect.
///   - ownerType: `kSecUseOnlyUID`.
///   - acls: an array of ``SecACL``, whose contents are taken over; `nil` for none. Where none is that of the owner,
///     nobody may change the access without a question.
///   - error: where a failure is described: `errSecParam` for an array of other objects or with several entries of
///     owners, `errSecInvalidACL` for an entry that was removed, `errSecUnimplemented` for another owner.
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

/// Which of its owners an access goes by, and how: flags.
public typealias SecAccessOwnerType = UInt32

/// The user alone.
public let kSecUseOnlyUID = 1
/// The group alone.
public let kSecUseOnlyGID = 2
/// The administrator as well.
public let kSecHonorRoot = 0x100
/// The flags of ``kSecUseOnlyUID`` and ``kSecUseOnlyGID``.
public let kSecMatchBits = kSecUseOnlyUID | kSecUseOnlyGID

/// The access of a keychain as a whole, which none has; not possible, as on macOS.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeychainCopyAccess(_ keychain: SecKeychain?, _ access: UnsafeMutablePointer<SecAccess?>) -> OSStatus {
    errSecUnimplemented
}

/// Replaces the access of a keychain as a whole, which none has; not possible, as on macOS.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeychainSetAccess(_ keychain: SecKeychain?, _ access: SecAccess) -> OSStatus { errSecUnimplemented }

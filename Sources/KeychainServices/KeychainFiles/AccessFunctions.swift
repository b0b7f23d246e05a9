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

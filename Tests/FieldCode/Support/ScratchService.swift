// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// A service name that no other test uses: it holds the module of the calling file, so that the two language modes,
/// which run in one process, do not meet.
func uniqueService(_ name: String, fileID: String = #fileID) -> String {
    let module = fileID.prefix { $0 != "/" }
    return "com.example.fieldcode.\(module).\(name)"
}

/// Fails the test unless the suite was given a store of its own, so that a test never touches a person's real items.
func requireScratchStore(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try #require(
        ProcessInfo.processInfo.environment["SWIFT_KEYCHAIN_HOME"] != nil,
        "SWIFT_KEYCHAIN_HOME is not set: run Scripts/test, so that the tests do not write to your own keychain",
        sourceLocation: sourceLocation
    )
}

/// Runs a test with a service name of its own, and removes all that the service holds before and after.
///
/// Internet passwords have no service: tests of them use the name as their server.
func withScratchService(
    _ name: String,
    fileID: String = #fileID,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (String) throws -> Void
) throws {
    try requireScratchStore(sourceLocation: sourceLocation)
    let service = uniqueService(name, fileID: fileID)
    removeItems(of: service)
    defer { removeItems(of: service) }
    try body(service)
}

/// As above, for tests that wait.
func withScratchService(
    _ name: String,
    fileID: String = #fileID,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (String) async throws -> Void
) async throws {
    try requireScratchStore(sourceLocation: sourceLocation)
    let service = uniqueService(name, fileID: fileID)
    removeItems(of: service)
    defer { removeItems(of: service) }
    try await body(service)
}

private func removeItems(of service: String) {
    for (itemClass, attribute) in [
        (kSecClassGenericPassword, kSecAttrService),
        (kSecClassInternetPassword, kSecAttrServer),
        (kSecClassKey, kSecAttrApplicationTag),
    ] {
        SecItemDelete(
            [
                kSecClass: itemClass,
                attribute: service,
                kSecAttrSynchronizable: kSecAttrSynchronizableAny,
            ] as CFDictionary
        )
    }
}

// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Re-exports OSServices under Apple's name; OSLog does the same. No target has this file: Scripts/install compiles it
// outside of the folder where the package manager keeps modules, in which it would change what other packages compile.
@_exported public import OSServices

/// Does nothing, because a four-byte lock has nothing to release.
///
/// It exists for swift-argument-parser: if both `os` and Glibc are available, it uses this lock and destroys it in this
/// way.
@_alwaysEmitIntoClient
@discardableResult
public func pthread_mutex_destroy(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) -> CInt { 0 }

// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Apple's name for what OSServices declares; OSLog is the same. No target has this file: Scripts/install compiles it
// outside of the folder where the package manager keeps modules, in which it would change what other packages compile.
@_exported public import OSServices

/// Does nothing, as a lock of four bytes has nothing to give back.
///
/// It is here for swift-argument-parser: where `os` and Glibc are both there, it uses this lock and ends it in this
/// way.
@_alwaysEmitIntoClient
@discardableResult
public func pthread_mutex_destroy(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) -> CInt { 0 }

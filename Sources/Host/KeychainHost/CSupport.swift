// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Functions of CKeychainSupport, whose header describes them.
///
/// They are declared here, because modules beneath `Security` import no module of C: a package whose
/// `canImport(Security)` has become true could not load it (Architecture, "Three ways in").
enum CSupport {
    @_extern(c, "keychain_wipe") static func wipe(_ bytes: UnsafeMutableRawPointer?, _ count: Int)

    @_extern(c, "keychain_environment")
    static func environment(_ name: UnsafePointer<CChar>) -> UnsafePointer<CChar>?

    @_extern(c, "keychain_open_lock_file")
    static func openLockFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32

    @_extern(c, "keychain_close_private") static func closeLockFile(_ descriptor: Int32)

    @_extern(c, "keychain_fork_generation") static func forkGeneration() -> UInt64

    @_extern(c, "keychain_file_system") static func fileSystem(_ path: UnsafePointer<CChar>) -> UInt32

    /// Returns 0 or an error number.
    @_extern(c, "keychain_rename_new")
    static func renameNew(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32
}

// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Functions of CKeychainSupport, whose headers describe them.
///
/// They are declared here, because modules beneath `Security` import no module of C: a package whose
/// `canImport(Security)` has become true could not load it (Architecture, "Three ways in").
package enum CSupport {
    @_extern(c, "keychain_wipe") package static func wipe(_ bytes: UnsafeMutableRawPointer?, _ count: Int)

    @_extern(c, "keychain_wipe_stack") package static func wipeStack(_ count: Int)
}

// MARK: - Processes and files

extension CSupport {
    @_extern(c, "keychain_environment")
    package static func environment(_ name: UnsafePointer<CChar>) -> UnsafePointer<CChar>?

    @_extern(c, "keychain_open_lock_file")
    package static func openLockFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32

    @_extern(c, "keychain_close_private") package static func closePrivate(_ descriptor: Int32)

    @_extern(c, "keychain_open_private_watch") package static func openFolderWatch() -> Int32

    @_extern(c, "keychain_event") package static func event() -> Int32

    @_extern(c, "keychain_private_serial") package static func privateSerial(_ descriptor: Int32) -> UInt64

    @_extern(c, "keychain_is_private_opening")
    package static func isPrivateOpening(_ descriptor: Int32, _ serial: UInt64) -> Bool

    @_extern(c, "keychain_fork_generation") package static func forkGeneration() -> UInt64

    /// Returns 0 or an error number.
    @_extern(c, "keychain_account")
    package static func account(
        _ user: uid_t,
        _ file: UnsafePointer<CChar>?,
        _ buffer: UnsafeMutablePointer<CChar>,
        _ capacity: Int,
        _ name: UnsafeMutablePointer<UnsafePointer<CChar>?>,
        _ home: UnsafeMutablePointer<UnsafePointer<CChar>?>
    ) -> Int32

    @_extern(c, "keychain_program_identity")
    package static func programIdentity(_ identity: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int32

    @_extern(c, "keychain_file_system") package static func fileSystem(_ path: UnsafePointer<CChar>) -> UInt32

    /// Returns 0 or an error number.
    @_extern(c, "keychain_pipe") package static func pipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32

    /// Returns 0 or an error number.
    @_extern(c, "keychain_spawn")
    package static func spawn(
        _ path: UnsafePointer<CChar>,
        _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>,
        _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>,
        _ socket: UnsafeMutablePointer<Int32>,
        _ child: UnsafeMutablePointer<pid_t>
    ) -> Int32

    /// Returns 0 or an error number.
    @_extern(c, "keychain_rename_new")
    package static func renameNew(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32
}

// MARK: - Calls that are traced

extension CSupport {
    @_extern(c, "keychain_is_traced") package static func isTraced() -> Int32

    @_extern(c, "keychain_set_traced") package static func setTraced(_ state: Int32)

    @_extern(c, "keychain_return_addresses")
    package static func returnAddresses(_ addresses: UnsafeMutablePointer<UInt>?, _ maximum: Int) -> Int

    @_extern(c, "keychain_image_of")
    package static func image(
        of address: UInt,
        _ path: UnsafeMutablePointer<UnsafePointer<CChar>?>,
        _ base: UnsafeMutablePointer<UInt>
    ) -> Int32
}

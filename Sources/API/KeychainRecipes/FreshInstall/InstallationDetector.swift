// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Keychain

/// Distinguishes a fresh installation from one that finds the items of an earlier one.
///
/// Removing an app from an iPhone leaves its items in the keychain, and a reinstalled app finds them. So a mark is kept
/// in two places: in the keychain, which outlives the app, and in a store that is removed with it. Which of the two
/// exist, and whether they agree, determines what happened.
///
///
/// app's store
/// keychain
/// result
///
/// | --- | --- | --- |
/// | none | none | ``Installation/fresh`` |
/// | a mark | the same | ``Installation/known`` |
/// | none | a mark | ``Installation/reinstalled`` |
/// | a mark | none, or another | ``Installation/restored`` |
/// | any | locked | ``Installation/undetermined`` |
///
/// temporarily unreadable
/// any
/// ``Installation/undetermined``
///
///
/// `detect()` changes nothing. Deleting leftovers and marking are separate steps, for the app to decide on:
///
/// ```swift
/// switch try detector.detect() {
/// case .reinstalled:
///     try detector.deleteLeftovers(matching: .all(ofService: "com.example.app"))
///     try detector.mark()
/// case .fresh, .restored: try detector.mark()
/// case .known, .undetermined: break
/// }
/// ```
///
/// - Important: The mark has to be older than the items. An app that starts to use the detector in an update finds no
///   marks on any device, which looks like a fresh installation. There, check another trace of earlier use first, and
///   call `mark()`.
///
/// - Warning: Every process that uses the detector has to use the same store. An extension shares the keychain with its
///   app, but has other user defaults; a job may run with another home folder. Either finds no mark of its own next to
///   that in the keychain, reports a reinstallation, and deletes what the app has just stored. Use the detector in one
///   process only, the app's.
public struct InstallationDetector: Sendable {
    private let item: GenericPassword
    private let keychain: any KeychainProtocol
    private let marks: any InstallationMarkStore

    /// Creates a detector.
    ///
    /// - Parameters:
    ///   - service: the service of the mark in the keychain; a separate one, so that deleting the leftovers of another
    ///     service leaves the mark. An app that exits between two deletions finds it again, and continues.
    ///   - accessGroup: the access group of the mark: the app's own, not one shared with other apps.
    ///   - keychain: the keychain.
    ///   - marks: the store that is removed with the app.
    public init(
        service: String,
        accessGroup: String? = nil,
        in keychain: any KeychainProtocol,
        marks: any InstallationMarkStore = UserDefaultsMark()
    ) {
        item = GenericPassword(service: service, account: "installation-mark", accessGroup: accessGroup)
        self.keychain = keychain
        self.marks = marks
    }

    /// Determines how the app came onto the device; changes nothing.
    ///
    /// - Throws: ``InstallationError`` if the keychain fails for a reason other than being locked.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func detect() throws(InstallationError) -> Installation {
        let kept: Data?
        do throws(KeychainItemError) {
            // A damaged mark counts as one: something was here.
            kept = try keychain.contents(of: item, authentication: .forbidden).map(Self.bytes)
        } catch {
            guard error.isLocked else { throw .keychain(error) }
            return .undetermined
        }
        let own: String?
        do throws(InstallationMarkError) { own = try marks.readMark() } catch { return .undetermined }
        return switch (own, kept) {
        case (nil, nil): .fresh
        case (nil, _?): .reinstalled
        case (let own?, let kept): Data(own.utf8) == kept ? .known : .restored
        }
    }

    /// Does the same on a thread of its own.
    public func detect() async throws(InstallationError) -> Installation {
        try await waiting { () throws(InstallationError) in try detect() }
    }

    /// Marks this installation in both places, before the app stores anything; does nothing if it is already marked.
    ///
    /// The keychain comes first. An app that exits in between finds a reinstallation without leftovers at its next
    /// start.
    ///
    /// - Throws: ``InstallationError``; a locked device is a failure of the keychain, and an unreadable mark of the
    ///   app's own is ``InstallationError/markNotReadable(_:)``.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func mark() throws(InstallationError) {
        // A mark that cannot be read is not replaced: it may be the right one.
        do throws(InstallationMarkError) { _ = try marks.readMark() } catch { throw .markNotReadable(error) }
        if try detect() == .known { return }
        let mark = UUID().uuidString
        do throws(KeychainItemError) {
            try keychain.set(
                .data(Data(mark.utf8)),
                for: item,
                // Readable in the background, and not restored to another device: that is how a restored backup is
                // detected.
                protection: .accessible(.afterFirstUnlockThisDeviceOnly),
                details: .none,
                authentication: .forbidden
            )
        } catch { throw .keychain(error) }
        guard marks.writeMark(mark), (try? marks.readMark()) == mark else { throw .markNotWritten }
    }

    /// Does the same on a thread of its own.
    public func mark() async throws(InstallationError) {
        try await waiting { () throws(InstallationError) in try mark() }
    }

    /// Deletes the items of an earlier installation.
    ///
    /// - Parameter selection: the items.
    /// - Returns: Whether there were any.
    /// - Throws: ``InstallationError/noLeftovers(_:)`` unless the app was reinstalled and has not been marked since.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    @discardableResult
    public func deleteLeftovers<Item: KeychainItem>(
        matching selection: ItemSelection<Item>
    ) throws(InstallationError) -> Bool {
        let installation = try detect()
        guard installation == .reinstalled else { throw .noLeftovers(installation) }
        do throws(KeychainItemError) { return try keychain.deleteAll(matching: selection) } catch {
            throw .keychain(error)
        }
    }

    /// Does the same on a thread of its own.
    @discardableResult
    public func deleteLeftovers<Item: KeychainItem>(
        matching selection: ItemSelection<Item>
    ) async throws(InstallationError) -> Bool {
        try await waiting { () throws(InstallationError) in try deleteLeftovers(matching: selection) }
    }

    private static func bytes(_ contents: ItemContents) -> Data {
        if case .data(let data) = contents { return data }
        return Data()
    }
}

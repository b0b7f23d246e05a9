// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Keychain

/// Tells a fresh installation from one that finds the items of an earlier one.
///
/// Removing an app from an iPhone leaves its items in the keychain, and an app that is reinstalled finds them. So a
/// mark is kept in two places: in the keychain, which outlives the app, and in a store that dies with it. Which of the
/// two are there, and whether they agree, says what happened.
///
/// | app's store | keychain | it is |
/// | --- | --- | --- |
/// | none | none | ``Installation/fresh`` |
/// | a mark | the same | ``Installation/known`` |
/// | none | a mark | ``Installation/reinstalled`` |
/// | a mark | none, or another | ``Installation/restored`` |
/// | any | locked | ``Installation/undetermined`` |
/// | cannot be read now | any | ``Installation/undetermined`` |
///
/// `detect()` changes nothing. Deleting leftovers and marking are steps of their own, for the app to decide on:
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
/// - Important: The mark has to be older than the items. An app that begins to use the detector in an update finds no
///   marks on any device, and so a fresh installation. There, let another trace of earlier use count first, and call
///   `mark()`.
///
/// - Warning: Every process that asks has to see the same store. An extension shares the keychain with its app, and has
///   other user defaults; a job may run with another home. Either finds no mark of its own beside that in the keychain,
///   takes it for a reinstallation, and deletes what the app has just stored. Have one process ask, the app's.
public struct InstallationDetector: Sendable {
    private let item: GenericPassword
    private let keychain: any KeychainProtocol
    private let marks: any InstallationMarkStore

    /// A detector.
    ///
    /// - Parameters:
    ///   - service: the service of the mark in the keychain; of its own, so that deleting the leftovers of another
    ///     service leaves the mark. An app that ends between two deletions finds it again, and goes on.
    ///   - accessGroup: the access group of the mark: the app's own, and not one that other apps have too.
    ///   - keychain: the keychain.
    ///   - marks: the store that dies with the app.
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

    /// Says how the app came onto the device; changes nothing.
    ///
    /// - Throws: ``InstallationError`` when the keychain fails for another reason than being locked.
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

    /// Marks this installation in both places, before the app stores anything; does nothing when it is marked.
    ///
    /// The keychain comes first. An app that ends in between finds a reinstallation at its next start, whose leftovers
    /// are none.
    ///
    /// - Throws: ``InstallationError``; a locked device is a failure of the keychain, and an own mark that cannot be
    ///   read is ``InstallationError/markNotReadable(_:)``.
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
                // Readable in the background, and not taken to another device: that is what tells a restored backup.
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

    /// Deletes what an earlier installation left.
    ///
    /// - Parameter selection: which items.
    /// - Returns: Whether there were any.
    /// - Throws: ``InstallationError/noLeftovers(_:)`` unless the app was reinstalled and not marked since.
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
package import KeychainCore
import KeychainHost
package import KeychainMacFrontEnd
package import KeychainTrust

/// The keychain that serves the calls of a task, and its client.
package struct KeychainContext: Sendable {
    /// The backend for requests.
    package var backend: any KeychainBackend

    /// The client that makes requests.
    package var client: Client

    /// The entitlements of the client as a property list, for `SecTask…`; empty without a list.
    package var entitlements: @Sendable () -> [UInt8]

    /// The file-based keychains of the client, which functions on keychain files and the macOS front end reach.
    package var fileBased: FileBasedKeychain

    /// Whether calls of item functions go through the front end of macOS.
    package var hasFrontEnd: Bool

    /// The user's trust settings; without them, only the system's anchors are trusted.
    package var trustSettings: TrustSettingsStore

    /// Supplies the context of each call; `nil` when it stays as it is.
    package var owner: (any KeychainContextOwner)?

    /// A context.
    package init(
        backend: any KeychainBackend,
        client: Client,
        entitlements: @escaping @Sendable () -> [UInt8] = { [] },
        fileBased: FileBasedKeychain? = nil,
        hasFrontEnd: Bool = false,
        owner: (any KeychainContextOwner)? = nil,
        trustSettings: TrustSettingsStore = .inMemory()
    ) {
        self.fileBased = fileBased ?? Self.fileBased(backend, trustSettings)
        self.hasFrontEnd = hasFrontEnd
        self.backend = backend
        self.client = client
        self.entitlements = entitlements
        self.owner = owner
        self.trustSettings = trustSettings
    }

    /// The context of a task, as tests set it; `nil` for the one of the process.
    @TaskLocal package static var current: KeychainContext?

    /// The context of calls in this task.
    ///
    /// If the testing kit is linked, a task without a context gets the kit's, never the user's own keychain.
    package static var inEffect: KeychainContext {
        guard let current else { return TestingKit.context ?? process }
        return current.owner?.context ?? current
    }

    /// The context of a call that needs no keychain, only trust settings, or whether there is a front end: outside of
    /// an app of the testing kit it has none, and does not make a test fail.
    static var withoutKeychain: KeychainContext { TestingKit.$allowsMissingApp.withValue(true) { inEffect } }

    /// The user's own keychain, and the client that this process is.
    ///
    /// Found once, at the first call.
    package static let process: KeychainContext = {
        var backend = defaultBackend
        if let moved = ProcessClient.current.formerGroup {
            backend = FormerGroupKeychain(backend, from: moved.former, to: moved.group)
        }
        let fileBased = Self.fileBased(backend, .process)
        let hasFrontEnd = ProcessEnvironment.value(ProcessClient.fileBasedVariable) == "1"
        var client = ProcessClient.current.client
        if hasFrontEnd { client.profile = .macOS }
        return KeychainContext(
            backend: hasFrontEnd ? frontEnd(backend, fileBased) : backend,
            client: client,
            entitlements: { Array(ProcessClient.current.entitlements) },
            fileBased: fileBased,
            hasFrontEnd: hasFrontEnd,
            trustSettings: .process
        )
    }()

    /// The file-based keychains of the user's home folder.
    private static func fileBased(
        _ backend: any KeychainBackend,
        _ trustSettings: TrustSettingsStore
    ) -> FileBasedKeychain {
        FileBasedKeychain(
            backend,
            KeychainPreferences(home: KeychainHome(variable: ProcessEnvironment.value("HOME"))).withDataProtection,
            program: ProcessClient.program,
            unlocker: KeychainUnlocker(interaction: FileCall.interaction),
            judge: SystemTrust(settings: trustSettings),
            now: { Timestamp(secondsSinceReferenceDate: Date.now.timeIntervalSinceReferenceDate) }
        )
    }

    /// The front end of macOS before a user's two keychains.
    static func frontEnd(_ dataProtection: any KeychainBackend, _ files: FileBasedKeychain) -> FrontEndKeychain {
        FrontEndKeychain(dataProtection: dataProtection, files: files, preferences: files.preferences)
    }

    private static var defaultBackend: any KeychainBackend {
        withUnsafeTemporaryAllocation(of: (any KeychainBackend).self, capacity: 1) { backend in
            initialize(backend.baseAddress)
            return backend.moveElement(from: 0)
        }
    }

    // Of KeychainRouting, which is linked and not imported; see Architecture, "Three ways in".
    @_extern(c, "swift_keychain_default_backend")
    private static func initialize(_ backend: UnsafeMutableRawPointer?)
}

/// An app of the testing kit: it may be updated while code runs as it.
package protocol KeychainContextOwner: AnyObject, Sendable {
    /// Which keychain the app's next call reaches, and as whom.
    var context: KeychainContext { get }

    /// The remedy for the last failed call on this thread; `nil` if only its status is known.
    var adviceOnLastFailure: String? { get }
}

extension KeychainContext {
    /// The context with the keychain for a call.
    ///
    /// Without the macOS front end that is the data protection keychain, except for a call that names a keychain file
    /// or an item of one, and that the front end would send only to the files.
    func reaching(_ operation: KeychainRequest.Operation) -> KeychainContext {
        guard !hasFrontEnd, operation.mainDictionary.namesKeychainFile else { return self }
        let route = KeychainRoute(operation.mainDictionary, operation.function)
        guard route.reachesFile, !route.reachesDataProtection else { return self }
        var context = self
        context.backend = Self.frontEnd(backend, fileBased)
        return context
    }
}

extension PropertyDictionary {
    /// Whether a value is a keychain file or an item of one, alone or in an array.
    fileprivate var namesKeychainFile: Bool {
        Self.keysOfFiles.contains { self[$0]?.isOfKeychainFile ?? false }
    }

    private static let keysOfFiles = [
        PropertyKey.useKeychain, PropertyKey.matchSearchList, PropertyKey.useItemList, PropertyKey.matchItemList,
        PropertyKey.valueReference, PropertyKey.valuePersistentReference,
    ]
}

extension PropertyValue {
    fileprivate var isOfKeychainFile: Bool {
        switch self {
        case .keychain: true
        case .reference(.keychainItem(let item)): !item.keychain.isEmpty
        case .reference(.key(let key)): key.keychainItem != nil
        case .reference(.certificate(let certificate)): certificate.keychainItem != nil
        case .data(let bytes): FileBasedKeychain.item(bytes) != nil
        case .array(let members): members.contains(where: \.isOfKeychainFile)
        default: false
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The keychain that the Security module reaches: the user's, or in a test the one of the app that the test runs as.
///
/// On Linux a set is one transaction; on Apple's platforms it is an
/// update, an add when there was nothing, and both again when somebody else added meanwhile. This module cannot be built for
/// Apple's platforms where it is made: what it does there is tested by the same calls over the item functions here.
public struct SystemKeychain: StoredKeychain {
    let store: ItemStore

    /// The keychain.
    public init() {
        #if canImport(Darwin)
        store = ItemStore(FunctionTransport.shared)
        #else
        store = ItemStore(EngineTransport())
        #endif
    }

    /// The keychain, reached in a certain way.
    package init(_ transport: any ItemTransport) { store = ItemStore(transport) }
}

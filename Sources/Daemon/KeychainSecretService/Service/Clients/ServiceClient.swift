// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer
import MessageBus

/// A connection of the bus that has called the service, by its unique name, which the bus gives to no other one later;
/// for the thread of the bus.
final class ServiceClient {
    let name: String

    /// A number that no other client has.
    let number: UInt64

    /// Its collections; `nil` until it is identified.
    var store: ProgramStore?

    /// The calls that wait until it is.
    var waiting: [UInt64] = []

    /// Its process, for the limits of the threads that work for it; 0 until the bus has said it.
    var process: Int32 = 0

    /// How many of its calls are not answered yet.
    var callCount = 0

    /// What it has read, and follows.
    var followed = FollowedObjects()

    /// Its sessions, by the last elements of their paths.
    var sessions: [Bytes16: SecretCoding] = [:]

    /// Its prompts.
    var prompts: [Bytes16: OpenPrompt] = [:]

    /// Items that it has read the properties of, and so may keep: it is told when they are locked and unlocked.
    private(set) var shown: [ObjectPath: ShownItem] = [:]

    /// The most items that are remembered so: it may be told of all of them at once.
    static let maximumShown = 1_024

    /// Remembers what it was told of an item.
    func note(_ item: ObjectPath, _ shown: ShownItem) {
        guard self.shown.count < Self.maximumShown || self.shown[item] != nil else { return }
        self.shown[item] = shown
    }

    /// Forgets an item that there is no more.
    func forget(_ item: ObjectPath) { shown[item] = nil }

    init(_ name: String, number: UInt64) {
        self.name = name
        self.number = number
    }
}

/// A call that is not answered yet; for the thread of the bus.
final class ServiceCall {
    let number: UInt64
    /// Without its arguments once they were read.
    var message: BusMessage
    let client: ServiceClient

    /// Counts what was read of it as the program's.
    var held: HeldBytes?

    init(_ message: consuming BusMessage, number: UInt64, of client: ServiceClient) {
        self.message = message
        self.number = number
        self.client = client
    }
}

/// What a client was told of an item.
struct ShownItem {
    /// Whether the item is locked; `nil` if it was not told.
    var isLocked: Bool?

    /// Whether it was told no attributes, as of an item that says nothing while it is locked.
    var isHidden: Bool
}

/// A prompt that was given to a client, and has not ended.
final class OpenPrompt {
    /// What is to be unlocked, as it was asked for.
    let paths: [String]

    /// Whether a person is asked.
    var isShown = false

    let questions = PromptQuestions()

    /// The collection that it creates; `nil` for a prompt that unlocks.
    let creation: CollectionCreation?

    init(of paths: [String], creation: CollectionCreation? = nil) {
        self.paths = paths
        self.creation = creation
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost

/// What a program of the Secret Service waits for: calls over a message bus beside calls that do nothing, on the
/// daemon's own bus and on dbus-daemon, and gnome-keyring's where it is installed.
struct SecretServiceRun {
    let rounds: Int
    let sizes: [Int]
    let scratch: Scratch

    private static let readsInATurn = 100
    private static let createsInATurn = 10
    private static let sessionsInATurn = 10
    private static let gnomeKeyringSize = 100
    private static let idleSessions = 1_000
    /// As many sessions as a connection may have, and some room.
    private static let sessionsOfAConnection = 200

    /// Which service it is, and on which bus.
    private enum Kind: String {
        case ownBus = "own bus"
        case busDaemon = "dbus-daemon"
        case gnomeKeyring = "gnome-keyring"
    }

    func run(_ report: inout Report) throws {
        Report.show(Report.secretServiceHeading(scratch, rounds: rounds))
        var services: [(kind: Kind, size: Int, service: SecretServiceProcess)] = []
        for size in sizes {
            let store = try fill(size)
            services.append(
                (.ownBus, size, try SecretServiceProcess(storeIn: store, onOwnBus: true, scratch, "own-\(size)"))
            )
        }
        if SecretServiceProcess.hasBusDaemon, let size = sizes.first {
            let store = try fill(size, "dbus")
            services.append(
                (
                    .busDaemon, size,
                    try SecretServiceProcess(storeIn: store, onOwnBus: false, scratch, "dbus-\(size)")
                )
            )
        }
        if SecretServiceProcess.hasGnomeKeyring {
            services.append(
                (.gnomeKeyring, Self.gnomeKeyringSize, try SecretServiceProcess(gnomeKeyringIn: scratch))
            )
        }
        defer { for entry in services { entry.service.stop() } }
        let raw = try Fixture(size: 100, in: scratch, for: [.raw]).participant(.raw).subject
        for entry in services {
            let client = try SecretServiceClient(on: entry.service.address)
            let session = try client.openSession()
            let isOurs = entry.kind != .gnomeKeyring
            if !isOurs { for item in 0..<entry.size { _ = try client.create(item, session) } }
            let what = "\(entry.kind.rawValue), N = \(entry.size)"
            try read(by: client, in: session, of: entry.size, what: what, hasAim: isOurs, into: &report)
            try create(by: client, in: session, beside: raw, what: what, hasAim: isOurs, into: &report)
            try openSession(of: entry.service, what: what, hasAim: isOurs, into: &report)
        }
        let onOwnBus = services.filter { $0.kind == .ownBus }.map { (size: $0.size, service: $0.service) }
        try growth(onOwnBus, &report)
        try memory(onOwnBus, &report)
    }

    private func read(
        by client: SecretServiceClient,
        in session: String,
        of size: Int,
        what: String,
        hasAim: Bool,
        into report: inout Report
    ) throws {
        let samples = try Turns(rounds: rounds).measure([
            {
                try Turns.mean(items(of: size)) { _ in
                    try client.ping()
                    try client.ping()
                }
            },
            { try Turns.mean(items(of: size)) { try client.read($0, session) } },
        ])
        Report.show(
            report.daemon(
                "a read, \(what)",
                beside: "two pings: \(Report.microseconds(samples.median(.wall, 0)))",
                samples.median(.wall, 1),
                ratio: samples.ratio(.wall, 1, to: 0),
                atMost: hasAim ? 1.3 : nil
            )
        )
    }

    private func create(
        by client: SecretServiceClient,
        in session: String,
        beside raw: any Subject,
        what: String,
        hasAim: Bool,
        into report: inout Report
    ) throws {
        let spare = Array(Fixture.spare..<Fixture.spare + Self.createsInATurn)
        let samples = try Turns(rounds: rounds).measure([
            {
                let time = try Turns.median(spare) { item in
                    try client.ping()
                    try raw.add(item)
                    try raw.add(item + Self.createsInATurn)
                }
                for item in spare {
                    try raw.delete(item)
                    try raw.delete(item + Self.createsInATurn)
                }
                return time
            },
            {
                var paths: [String] = []
                let time = try Turns.median(spare) { paths.append(try client.create($0, session)) }
                for path in paths { try client.delete(path) }
                return time
            },
        ])
        Report.show(
            report.daemon(
                "a durable CreateItem, \(what)",
                beside: "a ping and two raw inserts: \(Report.microseconds(samples.median(.wall, 0)))",
                samples.median(.wall, 1),
                ratio: samples.ratio(.wall, 1, to: 0),
                atMost: hasAim ? 1 : nil
            )
        )
    }

    private func openSession(
        of service: SecretServiceProcess,
        what: String,
        hasAim: Bool,
        into report: inout Report
    ) throws {
        let sessions = Array(0..<Self.sessionsInATurn)
        let samples = try Turns(rounds: rounds).measure([
            {
                // Its sessions end with a connection.
                let client = try SecretServiceClient(on: service.address)
                try client.ping()
                return try Turns.median(sessions) { _ in try client.openEncryptedSession() }
            }
        ])
        let time = samples.median(.wall, 0)
        Report.show(
            report.daemon(
                "OpenSession with a key agreement (ms), \(what)",
                beside: "",
                time,
                ratio: time / 1e6,
                atMost: hasAim ? 5 : nil
            )
        )
    }

    private func growth(_ services: [(size: Int, service: SecretServiceProcess)], _ report: inout Report) throws {
        guard let small = services.first, let large = services.last, small.size != large.size else { return }
        let works = try [small, large].map { entry in
            let client = try SecretServiceClient(on: entry.service.address)
            let session = try client.openSession()
            return { try Turns.mean(items(of: entry.size)) { try client.read($0, session) } }
        }
        let samples = try Turns(rounds: rounds).measure(works)
        Report.show(
            report.daemon(
                "a read, N = \(large.size), to one, N = \(small.size)",
                beside: Report.microseconds(samples.median(.wall, 0)),
                samples.median(.wall, 1),
                ratio: samples.ratio(.wall, 1, to: 0),
                atMost: 1.3
            )
        )
    }

    /// What 10,000 items take beside 100, and sessions that nobody uses.
    private func memory(_ services: [(size: Int, service: SecretServiceProcess)], _ report: inout Report) throws {
        guard let small = services.first, let large = services.first(where: { $0.size >= 10_000 }) else { return }
        for entry in [small, large] {
            let client = try SecretServiceClient(on: entry.service.address)
            let session = try client.openSession()
            for item in 0..<min(entry.size, 10_000) { try client.read(item, session) }
        }
        let (least, most) = (try small.service.memory, try large.service.memory)
        Report.show(
            report.amount(
                "memory with N = \(large.size) to N = \(small.size) (MiB)",
                details: "\(most)",
                is: Double(most.resident - least.resident) / 1024,
                atMost: 4
            )
        )
        var clients: [SecretServiceClient] = []
        for number in 0..<Self.idleSessions {
            if number.isMultiple(of: Self.sessionsOfAConnection) {
                clients.append(try SecretServiceClient(on: small.service.address))
            }
            try clients.last?.openEncryptedSession()
        }
        let after = try small.service.memory
        Report.show(
            report.amount(
                "memory for \(Self.idleSessions) sessions (MiB)",
                details: "\(after)",
                is: Double(after.resident - least.resident) / 1024,
                atMost: 4
            )
        )
        clients = []
    }

    private func items(of size: Int) -> [Int] { (0..<Self.readsInATurn).map { _ in Int.random(in: 0..<size) } }

    /// A store with items as programs of the Secret Service make them, filled where no write waits for a disk.
    private func fill(_ size: Int, _ suffix: String = "own") throws -> String {
        let original = try scratch.inMemory(suffix: "-lookups")
        defer { original.remove() }
        do {
            let keychain = EmbeddedKeychain(at: KeychainLocation(path: original.path("store")))
            let client = Client(accessGroups: [Client.commonGroup])
            for number in 0..<size {
                let item = Item(number: number)
                let contents = LookupContents(
                    attributes: try LookupAttributes(item.lookup.map { LookupAttributes.Pair($0.0, $0.1) }),
                    label: item.label,
                    secret: SecretBytes(item.secret),
                    contentType: "text/plain"
                )
                _ = try keychain.perform(.lookup(LookupRequest(.store(contents, replacing: false), client: client)))
            }
        }
        let folder = scratch.path("lookups-\(size)-\(suffix)")
        try FileManager.default.copyItem(atPath: original.path("store"), toPath: folder)
        return folder
    }
}

extension Report {
    static func secretServiceHeading(_ scratch: Scratch, rounds: Int) -> String {
        """
        The Secret Service, stores in \(scratch.folder); medians of \(rounds) interleaved rounds, by the clock on the wall.

        | what | beside | service | compared |
        | --- | --- | ---: | ---: |
        """
    }
}

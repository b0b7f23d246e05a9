// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import HostFiles
import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// What the system service lets a process do about a move of the keychain, and whom.
struct PartitionMoveTests {
    private static let mine = ProcessInstance(
        identifier: getpid(),
        startTime: ProcessStartTime.of(getpid()) ?? 0
    )
    private static let other = ProcessInstance(identifier: 1, startTime: ProcessStartTime.of(1) ?? 0)
    private static let gone = ProcessInstance(identifier: getpid(), startTime: 1)
    private static let move = Bytes16.random()

    private let folder: TemporaryFolder
    private let own: EmbeddedKeychain
    private let moving: EmbeddedKeychain
    private let device: MovedDevice
    private let rows: [MovedRow]
    private let location: KeychainLocation

    init() throws {
        folder = try TemporaryFolder()
        own = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "own")), device: Self.options(.embedded))
        for account in ["anna", "bert"] { try Self.add(account, own) }
        try own.handOver(to: .moving)
        moving = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "own")), device: Self.options(.moving))
        (device, rows) = (try moving.movedDevice(), try moving.movedRows(after: nil))
        location = KeychainLocation(path: folder.path(of: "service"))
        #expect(mkdir(location.path, 0o700) == 0)
    }

    @Test("a keychain comes in and goes out again by messages, and is nowhere twice")
    func roundTrip() throws {
        var moves = PartitionMoves(of: location, Self.service())
        #expect(try status(&moves) == MoveStatus())
        try receive(&moves, by: Self.mine)
        let there = try status(&moves)
        #expect(there.owner == .system && there.hasItems && there.itemCounts == device.rows.counts)
        #expect(there.storeIdentifier == (try moving.moveStatus().storeIdentifier))
        #expect(!hasIncoming)

        guard case .movedDevice(let sent) = try moves.perform(Self.step(.send), by: Self.mine) else {
            throw Unexpected()
        }
        #expect(sent.rows == device.rows && sent.rootKey == device.rootKey)
        #expect(throws: KeychainError.self) { try service(.system).checkOwner() }
        guard case .movedRows(let first) = try moves.perform(Self.step(.rows(after: nil)), by: Self.mine) else {
            throw Unexpected()
        }
        #expect(first == rows)
        let last = try moves.perform(Self.step(.rows(after: rows.last?.place)), by: Self.mine)
        #expect(last == .movedRows([]))
        let stranger = #expect(throws: KeychainError.self) {
            let receipt = SecretBytes([UInt8](repeating: 0, count: 32))
            let copy = MovedCopy(receipt: receipt, digest: device.rows.digest)
            _ = try moves.perform(Self.step(.remove(copy)), by: Self.mine)
        }
        #expect(stranger?.status == .missingEntitlement)
        let rowless = #expect(throws: KeychainError.self) {
            let copy = MovedCopy(receipt: try moving.movedCopy().receipt, digest: [])
            _ = try moves.perform(Self.step(.remove(copy)), by: Self.mine)
        }
        #expect(rowless?.reason.contains("different items") == true)
        #expect(try status(&moves).hasItems)
        for step in [.compare(try moving.movedCopy()), .remove(try moving.movedCopy())] as [StoreMove.Step] {
            #expect(try moves.perform(Self.step(step), by: Self.mine) == .done)
        }
        let left = try status(&moves)
        #expect(left.owner == .embedded && !left.hasContents && left.storeIdentifier != there.storeIdentifier)
    }

    @Test("steps without what comes before them are refused")
    func order() throws {
        var moves = PartitionMoves(of: location, Self.service())
        for step in [.append(rows), .activate, .rows(after: nil), .receive(device)] as [StoreMove.Step] {
            let refusal = #expect(throws: KeychainError.self) { try moves.perform(Self.step(step), by: Self.mine) }
            #expect(refusal?.status == .parameter)
        }
        try begin(&moves, by: Self.mine)
        for step in [.append(rows), .activate, .rows(after: nil)] as [StoreMove.Step] {
            let refusal = #expect(throws: KeychainError.self) { try moves.perform(Self.step(step), by: Self.mine) }
            #expect(refusal?.status == .parameter)
        }
        _ = try moves.perform(Self.step(.receive(device)), by: Self.mine)
        #expect(throws: KeychainError.self, "not complete") { try moves.perform(Self.step(.activate), by: Self.mine) }
        #expect(throws: KeychainError.self, "no rows") { try moves.perform(Self.step(.append([])), by: Self.mine) }
        #expect(try !status(&moves).hasItems)
        for step in [.append(rows), .activate] as [StoreMove.Step] {
            #expect(throws: KeychainError.self, "another process") {
                try moves.perform(Self.step(step), by: Self.other)
            }
            #expect(throws: KeychainError.self, "another move") {
                try moves.perform(.step(step, of: .random()), by: Self.mine)
            }
        }
        _ = try moves.perform(Self.step(.append(rows)), by: Self.mine)
        #expect(throws: KeychainError.self, "the same rows again") {
            try moves.perform(Self.step(.append(rows)), by: Self.mine)
        }
        try receive(&moves, by: Self.mine)
        #expect(throws: KeychainError.self, "it is over") { try moves.perform(Self.step(.activate), by: Self.mine) }
        #expect(throws: KeychainError.self, "nothing is given away") {
            try moves.perform(Self.step(.rows(after: nil)), by: Self.mine)
        }
    }

    @Test("what is carried out late, after another move was begun or its process has ended, does nothing")
    func late() throws {
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.mine)
        for step in [.receive(device), .append(rows)] as [StoreMove.Step] {
            _ = try moves.perform(Self.step(step), by: Self.mine)
        }
        guard case .moveStatus(let before) = try moves.perform(.begin(.random()), by: Self.mine) else {
            throw Unexpected()
        }
        #expect(!before.hasRows && !hasIncoming, "the first one is over with that")
        let late = #expect(throws: KeychainError.self) { try moves.perform(Self.step(.activate), by: Self.mine) }
        #expect(late?.status == .parameter)
        var idle = PartitionMoves(of: location, Self.service())
        let ended = #expect(throws: KeychainError.self) { try idle.perform(.begin(.random()), by: Self.gone) }
        #expect(ended?.reason.contains("has ended") == true)
        #expect(try !status(&moves).hasRows)

        try receive(&moves, by: Self.mine)
        _ = try moves.perform(Self.step(.send), by: Self.mine)
        let remove = Self.step(.remove(try moving.movedCopy()))
        _ = try moves.perform(.begin(.random()), by: Self.mine)
        #expect(throws: KeychainError.self) { try moves.perform(remove, by: Self.mine) }
        #expect(try status(&moves).hasItems)
    }

    @Test("a second process moves nothing while the first one lives, and can begin once it is gone")
    func oneAtATime() throws {
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.other)
        _ = try moves.perform(Self.step(.receive(device)), by: Self.other)
        #expect(hasIncoming)
        let refusal = #expect(throws: KeychainError.self) { try moves.perform(.begin(.random()), by: Self.mine) }
        #expect(refusal?.reason.contains("process 1 is moving") == true)
        #expect(throws: KeychainError.self, "its owner does not change meanwhile") { try moves.checkIsIdle() }
        _ = try moves.perform(Self.step(.append(rows)), by: Self.other)

        var others = PartitionMoves(of: location, Self.service())
        try withSleeper { (sleeper, end) in
            try begin(&others, by: sleeper)
            #expect(!hasIncoming, "what another service left is removed")
            _ = try others.perform(Self.step(.receive(device)), by: sleeper)
            #expect(hasIncoming)
            let wasAbandoned = others.isAbandoned
            end()
            let isAbandoned = others.isAbandoned
            #expect(!wasAbandoned && isAbandoned)
            others.removeAbandoned()
            #expect(!hasIncoming)
        }
        try withSleeper { (sleeper, end) in
            try begin(&others, by: sleeper)
            _ = try others.perform(Self.step(.receive(device)), by: sleeper)
            end()
            try receive(&others, by: Self.mine)
        }
        #expect(try status(&others).hasItems)
        try others.checkIsIdle()
    }

    @Test("a keychain of the service that has items or a passcode is not overwritten; marks of deleted items are")
    func occupied() throws {
        let present = service(.system)
        try Self.add("present", present)
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.mine)
        let receive = Self.step(.receive(device))
        let items = #expect(throws: KeychainError.self) { try moves.perform(receive, by: Self.mine) }
        #expect(items?.reason.contains("has items") == true)
        try Self.delete("present", present)
        try present.device.setPasscode(SecretBytes([1]))
        let passcode = #expect(throws: KeychainError.self) { try moves.perform(receive, by: Self.mine) }
        #expect(passcode?.reason.contains("passcode") == true)
        #expect(try present.checkOwner(), "it is served as before")
        try present.device.removePasscode(SecretBytes([1]))
        try Self.add("shared", present, ["sync": .boolean(true)])
        try Self.delete("shared", present, ["sync": .boolean(true)])
        let marks = try status(&moves)
        #expect(marks.hasRows && !marks.hasItems && !marks.isOccupied)
        _ = try moves.perform(receive, by: Self.mine)
        #expect(throws: KeychainError.self, "from here on it is refused") { try present.checkOwner() }
        #expect(throws: KeychainError.self) { try Self.add("late", present) }
        try self.receive(&moves, by: Self.mine)
        #expect(try present.movedRows() == device.rows)
    }

    @Test("what is changed while a keychain comes in is not replaced", arguments: [true, false])
    func changedMeanwhile(_ isPasscode: Bool) throws {
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.mine)
        for step in [.receive(device), .append(rows)] as [StoreMove.Step] {
            _ = try moves.perform(Self.step(step), by: Self.mine)
        }
        let present = service(.embedded)
        if isPasscode { try present.device.setPasscode(SecretBytes([1])) } else { try Self.add("late", present) }
        #expect(throws: KeychainError.self) { try moves.perform(Self.step(.activate), by: Self.mine) }
        let left = try present.moveStatus()
        #expect(left.hasPasscode == isPasscode && left.hasItems != isPasscode)
        #expect(left.storeIdentifier != (try moving.moveStatus().storeIdentifier))
    }

    @Test("a move that ends early leaves the keychain that it was to replace served as before")
    func endsEarly() throws {
        let present = service(.system)
        try Self.add("present", present)
        try Self.delete("present", present)
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.mine)
        var invalid = device
        invalid.rows.digest = []
        #expect(throws: KeychainError.self) { try moves.perform(Self.step(.receive(invalid)), by: Self.mine) }
        #expect(try present.checkOwner(), "what is announced is checked first")
        _ = try moves.perform(Self.step(.receive(device)), by: Self.mine)
        #expect(throws: KeychainError.self) { try present.checkOwner() }
        try begin(&moves, by: Self.mine)
        #expect(try present.checkOwner())
    }

    @Test("nothing is received that the disk, or the room for all users, does not have")
    func room() throws {
        let full = MoveSpace(available: { _ in MoveLimits.freeByteCount })
        var moves = PartitionMoves(of: location, Self.service(full))
        try begin(&moves, by: Self.mine)
        let refusal = #expect(throws: KeychainError.self) {
            try moves.perform(Self.step(.receive(device)), by: Self.mine)
        }
        #expect(refusal?.status == .diskFull)
        #expect(!hasIncoming)

        try Self.add("present", service(.embedded))
        try service(.embedded).handOver(to: .system)
        let unsent = #expect(throws: KeychainError.self, "the log of its removal") {
            try moves.perform(Self.step(.send), by: Self.mine)
        }
        #expect(unsent?.status == .diskFull)
        #expect(try status(&moves).owner == .system)

        let space = MoveSpace(limit: 3 << 20, available: { _ in nil })
        var kept: [MoveSpace.Reservation] = []
        for _ in 0..<3 { kept.append(try space.reserve(1, in: "/")) }
        let occupied = #expect(throws: KeychainError.self) { try space.reserve(1, in: "/") }
        #expect(occupied?.reason.contains("other users") == true)
        kept.removeLast()
        kept.append(try space.reserve(1, in: "/"))
        #expect(kept.count == 3)
    }

    @Test("moves in and out leave no file open, and no room reserved")
    func nothingKept() throws {
        // One move at a time has room, because a reservation is a mebibyte at least.
        let space = MoveSpace(limit: 1 << 20, available: { _ in nil })
        var moves = PartitionMoves(of: location, Self.service(space))
        for _ in 0..<2 {
            try receive(&moves, by: Self.mine)
            _ = try moves.perform(Self.step(.send), by: Self.mine)
            _ = try moves.perform(Self.step(.remove(try moving.movedCopy())), by: Self.mine)
        }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }
        #expect(open.filter { $0.hasPrefix(location.path) && $0.hasSuffix(" (deleted)") } == [])
    }

    @Test("a keychain that was begun to be given away is served again, and only one that was")
    func resumed() throws {
        var moves = PartitionMoves(of: location, Self.service())
        try receive(&moves, by: Self.other)
        _ = try moves.perform(Self.step(.send), by: Self.other)
        #expect(throws: KeychainError.self) { try moves.perform(Self.step(.resume), by: Self.mine) }
        for _ in 0..<2 { _ = try moves.perform(Self.step(.resume), by: Self.other) }
        #expect(try service(.system).moveStatus().hasItems)
        #expect(throws: KeychainError.self, "it is not being given away any more") {
            try moves.perform(Self.step(.rows(after: nil)), by: Self.other)
        }
    }

    @Test(
        "a keychain is removed only if the sender has all of it, given away or not",
        arguments: [StoreOwner.system, .embedded, .moving]
    )
    func removed(_ owner: StoreOwner) throws {
        var moves = PartitionMoves(of: location, Self.service())
        try receive(&moves, by: Self.mine)
        try Self.add("later", service(.system))
        try service(.system).handOver(to: owner)
        let compare = Self.step(.compare(try moving.movedCopy()))
        #expect(throws: KeychainError.self) { try moves.perform(compare, by: Self.mine) }
        let remove = Self.step(.remove(try moving.movedCopy()))
        let refusal = #expect(throws: KeychainError.self) { try moves.perform(remove, by: Self.mine) }
        #expect(refusal?.reason.contains("different items") == true)
        #expect(try status(&moves).hasItems)
        try Self.delete("later", service(owner))
        #expect(try moves.perform(compare, by: Self.mine) == .done)
        _ = try moves.perform(remove, by: Self.mine)
        #expect(try !status(&moves).hasContents)
    }

    @Test("a move begins only once what an earlier one left could be removed")
    func unremovedRemains() throws {
        var moves = PartitionMoves(of: location, Self.service())
        try Self.add("present", service(.embedded))
        let folder = try PrivateDirectory(location)
        let next = "root.key." + String(repeating: "0a", count: 16)
        try [UInt8](repeating: 7, count: 32).withUnsafeBytes { try folder.makeFile(next, $0) }
        let lock = try FileLock("setup.lock", in: folder, until: Deadline(milliseconds: 0))
        let refusal = #expect(throws: KeychainError.self) { try begin(&moves, by: Self.mine) }
        #expect(refusal?.isBusy == true)
        #expect(throws: KeychainError.self, "it was not begun") {
            try moves.perform(Self.step(.receive(device)), by: Self.mine)
        }
        _ = consume lock
        try begin(&moves, by: Self.mine)
        #expect(try !folder.hasFile(next))
        #expect(try status(&moves).hasItems)
    }

    @Test(
        "the keychain is given only to who enters the passcode, whatever a manifest grants, and a sandbox takes no step"
    )
    func owners() throws {
        let keychain = EmbeddedKeychain.inMemory(device: Self.options(.embedded))
        let life = DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        let proofs = PasscodeProofs()
        func program(_ identity: ClientIdentity, isSystemService: Bool = true) -> UserProgram {
            UserProgram(Self.mine, identity, keychain, proofs, life, isSystemService: isSystemService)
        }
        let owner = ClientIdentity(.rootManifest("/etc/x"), hasOwnerRights: true)
        let check = KeychainCommand.maintenance(.check)
        let anonymous = program(ClientIdentity(.anonymous))
        let send = KeychainCommand.maintenance(.move(Self.step(.send)))
        for program in [anonymous, program(owner)] {
            let unset = #expect(throws: KeychainError.self) { try program.permitted(send) }
            #expect(unset?.status == .missingEntitlement)
        }
        #expect(try program(owner).permitted(check) == check)
        #expect(try program(ClientIdentity(.anonymous), isSystemService: false).permitted(send) == send)
        _ = try anonymous.permitted(.maintenance(.move(Self.step(.receive(device)))))
        try keychain.device.setPasscode(SecretBytes([1]))
        for isSystemService in [true, false] {
            for identity in [ClientIdentity(.anonymous), owner] {
                let program = program(identity, isSystemService: isSystemService)
                #expect(throws: KeychainError.self, "\(identity.kind)") { try program.permitted(send) }
            }
            #expect(try program(owner, isSystemService: isSystemService).permitted(check) == check)
        }
        _ = try anonymous.backend.perform(.device(.unlock(SecretBytes([1]))))
        #expect(try anonymous.permitted(send) == send)
        #expect(try program(owner).permitted(send) == send)
        try keychain.device.lock()
        #expect(throws: KeychainError.self) { try anonymous.permitted(send) }
        let sandbox = program(ClientIdentity(.anonymous, isConfined: true, isSandboxed: true))
        let steps: [StoreMove.Step] = [.receive(device), .append(rows), .activate, .send, .resume]
        for step in [.status, .begin(Self.move)] + steps.map(Self.step) {
            let refusal = #expect(throws: KeychainError.self) { try sandbox.permitted(.maintenance(.move(step))) }
            #expect(refusal?.status == .missingEntitlement)
        }
        #expect(throws: KeychainError.self, "a keychain of the user's own is not moved by messages") {
            try anonymous.backend.perform(.maintenance(.move(.status)))
        }
    }

    @Test("the end of an authentication context opens no store, and ends it in one that is open")
    func endOfContext() throws {
        var options = Self.service()
        options.folder = folder.path
        options.accountName = { "user\($0)" }
        #expect(mkdir(folder.path(of: "7"), 0o700) == 0)
        let partition = Partition(of: 7, options)
        let context = AuthenticationContext()
        let ends: [KeychainCommand.Authentication] = [
            .forgetPassword(of: context.identifier), .invalidate(context.identifier), .release(context.identifier),
        ]
        for end in ends {
            #expect(try partition.perform(.authentication(end)) == .done)
            #expect(!partition.isOpen)
        }
        #expect(try partition.device.status().hasPasscode == false)
        #expect(partition.isOpen)
        #expect(try partition.perform(.authentication(.invalidate(context.identifier))) == .done)
        #expect(throws: AuthenticationFailure.invalidContext) {
            try partition.authentication.evaluate(.deviceOwner, reason: "to test", context)
        }
    }

    @Test("each user's steps are about that user's keychain alone")
    func otherUser() throws {
        var options = PartitionOptions()
        options.folder = folder.path
        options.device = Self.options(.embedded)
        options.accountName = { "user\($0)" }
        let admission = SystemAdmission(options)
        for user in [7, 8] as [uid_t] { #expect(mkdir(folder.path(of: "\(user)"), 0o700) == 0) }
        let (anna, bert) = (try admission.partition(of: 7), try admission.partition(of: 8))
        for partition in [anna, bert] { _ = try partition.move(.begin(Self.move), by: Self.mine) }
        for step in [.receive(device), .append(rows), .activate] as [StoreMove.Step] {
            _ = try anna.move(Self.step(step), by: Self.mine)
        }
        #expect(try bert.move(.status, by: Self.mine) == .moveStatus(MoveStatus()))
        #expect(throws: KeychainError.self) { try bert.move(Self.step(.rows(after: nil)), by: Self.mine) }
        _ = try anna.move(Self.step(.send), by: Self.mine)
        #expect(throws: KeychainError.self) { try bert.move(Self.step(.rows(after: nil)), by: Self.mine) }
        let remove = Self.step(.remove(try moving.movedCopy()))
        #expect(throws: KeychainError.self) { try bert.move(remove, by: Self.mine) }
        #expect(try anna.move(Self.step(.rows(after: nil)), by: Self.mine) == .movedRows(rows))
    }

    @Test("the owner of a keychain does not change while it is received")
    func ownerMeanwhile() throws {
        var options = PartitionOptions()
        options.folder = folder.path
        options.device = Self.options(.embedded)
        options.accountName = { "user\($0)" }
        let admission = SystemAdmission(options)
        #expect(mkdir(folder.path(of: "7"), 0o700) == 0)
        let partition = try admission.partition(of: 7)
        _ = try partition.move(.begin(Self.move), by: Self.mine)
        _ = try partition.move(Self.step(.receive(device)), by: Self.mine)
        for command in [.takeOver, .giveBack(onlyIfEmpty: false)] as [KeychainCommand.Maintenance] {
            let refusal = #expect(throws: KeychainError.self) { try partition.perform(.maintenance(command)) }
            #expect(refusal?.reason.contains("is moving the keychain") == true)
        }
        for step in [.append(rows), .activate] as [StoreMove.Step] {
            _ = try partition.move(Self.step(step), by: Self.mine)
        }
        _ = try partition.perform(.maintenance(.takeOver))
        #expect(try partition.move(.status, by: Self.mine) != .moveStatus(MoveStatus()))
    }

    @Test("a service that begins removes what one that was killed had received, of every user, and nothing else")
    func remains() throws {
        var options = PartitionOptions()
        options.folder = folder.path
        for name in ["7", "8", "other"] {
            #expect(mkdir(folder.path(of: name), 0o700) == 0)
            #expect(mkdir(folder.path(of: "\(name)/incoming"), 0o700) == 0)
            let file = folder.path(of: "\(name)/incoming/keychain.db")
            #expect(FileManager.default.createFile(atPath: file, contents: nil))
        }
        #expect(FileManager.default.createFile(atPath: folder.path(of: "8/incoming/letter"), contents: nil))
        #expect(mkdir(folder.path(of: "9"), 0o700) == 0)
        #expect(symlink(folder.path(of: "other/incoming"), folder.path(of: "9/incoming")) == 0)
        SystemAdmission(options).removeRemains()
        #expect(access(folder.path(of: "7/incoming"), F_OK) != 0)
        #expect(access(folder.path(of: "8/incoming/keychain.db"), F_OK) != 0)
        #expect(access(folder.path(of: "8/incoming/letter"), F_OK) == 0)
        #expect(access(folder.path(of: "other/incoming/keychain.db"), F_OK) == 0)
    }

    @Test("a step is refused at once while another one of the same user is under way, and others' steps are not")
    func oneStep() throws {
        let (begun, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ended = DispatchSemaphore(value: 0)
        let isFirst = Atomic(true)
        var options = Self.service(
            MoveSpace { folder in
                // Only the first step is held back: the last one asks for the room, too.
                guard folder.hasSuffix("/7"), isFirst.exchange(false, ordering: .relaxed) else { return nil }
                begun.signal()
                isOver.wait()
                return nil
            }
        )
        options.folder = folder.path
        options.accountName = { "user\($0)" }
        let admission = SystemAdmission(options)
        for user in [7, 8] as [uid_t] { #expect(mkdir(folder.path(of: "\(user)"), 0o700) == 0) }
        let (busy, other) = (try admission.partition(of: 7), try admission.partition(of: 8))
        for partition in [busy, other] { _ = try partition.move(.begin(Self.move), by: Self.mine) }
        let receive = Self.step(.receive(device))
        _ = HostThread.start(.blocked) {
            _ = try? busy.move(receive, by: Self.mine)
            ended.signal()
        }
        begun.wait()
        let start = ContinuousClock.now
        for _ in 0..<50 {
            let refusal = #expect(throws: KeychainError.self) { try busy.move(Self.step(.activate), by: Self.mine) }
            #expect(refusal?.reason.contains("is moving the keychain") == true)
        }
        // Each would wait for a second otherwise.
        #expect(start.duration(to: .now) < .seconds(20))
        _ = try other.move(receive, by: Self.mine)
        busy.closeIfIdle()
        isOver.signal()
        ended.wait()
        for step in [.append(rows), .activate] as [StoreMove.Step] {
            _ = try busy.move(Self.step(step), by: Self.mine)
        }
    }

    @Test("what was received of a process that has ended is removed while nobody asks for it, and of no other one")
    func abandoned() throws {
        var options = Self.service()
        options.folder = folder.path
        options.accountName = { "user\($0)" }
        let admission = SystemAdmission(options)
        let incoming = ["7", "8"].map { folder.path(of: "\($0)/\(IncomingKeychain.folderName)") }
        for user in [7, 8] as [uid_t] { #expect(mkdir(folder.path(of: "\(user)"), 0o700) == 0) }
        let (partition, other) = (try admission.partition(of: 7), try admission.partition(of: 8))
        try withSleeper { (sleeper, end) in
            for (partition, process) in [(partition, sleeper), (other, Self.mine)] {
                _ = try partition.move(.begin(Self.move), by: process)
                _ = try partition.move(Self.step(.receive(device)), by: process)
            }
            partition.closeIfIdle()
            #expect(access(incoming[0], F_OK) == 0, "its process is there")
            end()
            let isRemoved = eventually("it is removed") {
                _ = admission.isInUse
                return access(incoming[0], F_OK) != 0
            }
            #expect(isRemoved)
        }
        #expect(access(incoming[1], F_OK) == 0)
        _ = try other.move(Self.step(.append(rows)), by: Self.mine)
    }

    // MARK: Steps

    private struct Unexpected: Error {}

    private var hasIncoming: Bool { access("\(location.path)/\(IncomingKeychain.folderName)", F_OK) == 0 }

    private static func step(_ step: StoreMove.Step) -> StoreMove { .step(step, of: move) }

    private func begin(_ moves: inout PartitionMoves, by process: ProcessInstance) throws {
        _ = try moves.perform(.begin(Self.move), by: process)
    }

    private func receive(_ moves: inout PartitionMoves, by process: ProcessInstance) throws {
        try begin(&moves, by: process)
        for step in [.receive(device), .append(rows), .activate] as [StoreMove.Step] {
            #expect(try moves.perform(Self.step(step), by: process) == .done)
        }
    }

    /// Runs `body` with a process, and what ends it.
    private func withSleeper(_ body: (ProcessInstance, () -> Void) throws -> Void) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sleep")
        process.arguments = ["600"]
        try process.run()
        let identifier = process.processIdentifier
        // Not SIGTERM, which a thread that waits for signals blocks, and so does the process that it starts.
        defer { if process.isRunning { Glibc.kill(identifier, SIGKILL) } }
        let start = try #require(ProcessStartTime.of(identifier))
        try body(ProcessInstance(identifier: identifier, startTime: start)) {
            Glibc.kill(identifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    private func status(_ moves: inout PartitionMoves) throws -> MoveStatus {
        guard case .moveStatus(let status) = try moves.perform(.status, by: Self.mine) else { throw Unexpected() }
        return status
    }

    private func service(_ owner: StoreOwner) -> EmbeddedKeychain {
        EmbeddedKeychain(at: location, device: Self.options(owner))
    }

    private static func service(_ space: MoveSpace = MoveSpace()) -> PartitionOptions {
        var service = PartitionOptions()
        service.device = options(.embedded)
        service.moveSpace = space
        return service
    }

    private static func options(_ owner: StoreOwner) -> DeviceOptions {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.owner = owner
        return device
    }

    private static func add(
        _ account: String,
        _ keychain: EmbeddedKeychain,
        _ more: [String: PropertyValue] = [:]
    ) throws {
        var item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        for (key, value) in more { item[key] = value }
        _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["example"])))
    }

    private static func delete(
        _ account: String,
        _ keychain: EmbeddedKeychain,
        _ more: [String: PropertyValue] = [:]
    ) throws {
        var query: PropertyDictionary = ["class": .string("genp"), "acct": .string(account)]
        for (key, value) in more { query[key] = value }
        _ = try keychain.perform(KeychainRequest(.delete(query), client: Client(accessGroups: ["example"])))
    }
}

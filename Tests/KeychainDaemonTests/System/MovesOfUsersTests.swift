// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// Moves of several users, and what a service that was killed had received.
final class MovesOfUsersTests: PartitionMoveScene {
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
}

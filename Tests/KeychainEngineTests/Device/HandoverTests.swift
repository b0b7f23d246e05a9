// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainSimulation
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// The two halves of an unlock that is handed over.
struct HandoverTests {
    private let place: TemporaryFolder
    private let folder: PrivateDirectory
    private let keybag: OpenKeybag
    private let slotKey: SlotKey

    init() throws {
        place = try TemporaryFolder()
        folder = try PrivateDirectory(KeychainLocation(path: place.path(of: "keychain")))
        let rootKey = try SoftwareRootKey.ephemeral()
        let plain = try OpenKeybag(OpenKeybag.make(rootKey: rootKey), rootKey: rootKey)
        let (bytes, work) = (SecretBytes(Array("1234".utf8)), ScryptParameters.testing)
        let passcode = try NewPasscodeSlot(bytes, work, rootKey: rootKey, for: plain.storeIdentifier)
        let changed = try plain.settingPasscode(passcode)
        keybag = try OpenKeybag(changed, rootKey: rootKey, floor: ScryptFloor(of: work))
        slotKey = passcode.key
    }

    /// A lock mark.
    private static func mark(_ byte: UInt8) -> Bytes16 { Bytes16(Array(repeating: byte, count: 16)) ?? .zero }

    private func offer(mark: Bytes16 = mark(7), boot: String = "this boot") throws -> Int32 {
        try Handover.offer(slotKey, store: keybag.storeIdentifier, mark: mark, boot: boot, in: folder)
    }

    private func take(
        _ descriptor: String?,
        store: Bytes16? = nil,
        mark: Bytes16 = mark(7),
        boot: String = "this boot"
    ) -> SlotKey? {
        Handover.receive(
            { $0 == "SWIFT_KEYCHAIN_UNLOCK_FD" ? descriptor : nil },
            store: store ?? keybag.storeIdentifier,
            mark: mark,
            boot: boot,
            in: folder
        )
    }

    private func isTaken(
        _ descriptor: String?,
        store: Bytes16? = nil,
        mark: Bytes16 = mark(7),
        boot: String = "this boot"
    ) -> Bool {
        take(descriptor, store: store, mark: mark, boot: boot) != nil
    }

    private var files: [String] { folder.names(beginningWith: "handover.") }

    private func contents(_ name: String) throws -> [UInt8] {
        try folder.withContents(of: name, limit: 4096) { Array($0) }
    }

    /// An offer, and the half of it that lies in the only file.
    private func offerFile() throws -> (descriptor: Int32, name: String, bytes: [UInt8]) {
        let descriptor = try offer()
        let name = try #require(files.first)
        return (descriptor, name, try contents(name))
    }

    @Test("both halves together unlock, as often as they are taken up")
    func together() throws {
        let descriptor = try offer()
        defer { close(descriptor) }
        for _ in 0..<2 {
            let key = try #require(take("\(descriptor)"))
            #expect(throws: Never.self) { try keybag.unlock(with: key) }
        }
        #expect(files.count == 1)
        #expect(try folder.hasFile(#require(files.first)), "it is the user's alone")
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "only who is meant to inherits it")
        #expect(write(descriptor, "x", 1) == -1, "nobody can change it")
    }

    @Test("an unlock of another lock mark, boot or store is none")
    func misfits() throws {
        let descriptor = try offer()
        defer { close(descriptor) }
        #expect(!isTaken("\(descriptor)", mark: Self.mark(8)))
        #expect(!isTaken("\(descriptor)", mark: .zero))
        #expect(!isTaken("\(descriptor)", boot: "another boot"))
        #expect(!isTaken("\(descriptor)", boot: ""))
        #expect(!isTaken("\(descriptor)", store: .zero))
        #expect(isTaken("\(descriptor)"))
    }

    @Test("an unlock that can never be good again is not inherited any further")
    func notInherited() throws {
        let descriptor = try offer()
        defer { close(descriptor) }
        #expect(fcntl(descriptor, F_SETFD, 0) == 0)
        #expect(isTaken("\(descriptor)"))
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0, "children may need it")
        #expect(!isTaken("\(descriptor)", mark: Self.mark(8)))
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test(
        "a value that names no descriptor is ignored",
        arguments: [nil, "", "x", "-1", "0", "1", "2", "3x", " 3", "99999", "4294967299", "2147483647"]
    )
    func noDescriptor(_ value: String?) throws {
        let descriptor = try offer()
        defer { close(descriptor) }
        #expect(!isTaken(value))
    }

    /// The half of the key that lies in sealed memory.
    private func half(_ descriptor: Int32) throws -> [UInt8] {
        var half = [UInt8](repeating: 0, count: 56)
        try #require(pread(descriptor, &half, half.count, 0) == half.count)
        return half
    }

    @Test("a number that means something else is not even read")
    func somethingElse() throws {
        let descriptor = try offer()
        defer { close(descriptor) }
        var half = try half(descriptor)

        var pipe: [Int32] = [-1, -1]
        #expect(Glibc.pipe(&pipe) == 0)
        defer { for end in pipe { close(end) } }
        #expect(write(pipe[1], half, half.count) == half.count)
        #expect(!isTaken("\(pipe[0])"))
        #expect(read(pipe[0], &half, half.count) == half.count, "its bytes are still there")

        let file = open(place.path(of: "file"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        #expect(write(file, half, half.count) == half.count)
        #expect(!isTaken("\(file)"), "a file can be changed by others")
    }

    @Test("sealed memory of another size, mark, file or key is no unlock")
    func otherMemory() throws {
        let descriptor = try offer()
        defer { close(descriptor) }
        let half = try half(descriptor)
        var others = [Array(half.dropLast()), half + [0], []]
        for index in half.indices {
            var other = half
            other[index] ^= 1
            others.append(other)
        }
        for other in others {
            let memory = try SealedMemory.make(SecretBytes(other))
            #expect(!isTaken("\(memory)"))
            close(memory)
        }
        let same = try SealedMemory.make(SecretBytes(half))
        defer { close(same) }
        #expect(isTaken("\(same)"))
    }

    @Test("a file that is cut, altered, longer, gone or another's is no unlock")
    func otherFiles() throws {
        let (descriptor, name, bytes) = try offerFile()
        defer { close(descriptor) }
        var others = bytes.indices.map { Array(bytes.prefix($0)) }
        others += [bytes + [0], bytes + [UInt8](repeating: 0, count: 4096)]
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            others.append(other)
        }
        func put(_ bytes: [UInt8]) throws(FileError) {
            try SecretBytes(bytes).withUnsafeBytes { bytes throws(FileError) in try folder.makeFile(name, bytes) }
        }
        for other in others {
            try put(other)
            #expect(!isTaken("\(descriptor)"))
        }
        let second = try offer()
        defer { close(second) }
        try put(contents(#require(files.first { $0 != name })))
        #expect(!isTaken("\(descriptor)"))
        try put(bytes)
        #expect(isTaken("\(descriptor)"))
        folder.remove(name)
        #expect(!isTaken("\(descriptor)"))
    }

    /// What tells the memory behind a descriptor from any other; `nil` for a descriptor that is closed.
    private func fileNumber(_ descriptor: Int32) -> [UInt64]? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
    }

    @Test("an offer is withdrawn alone, or all are, with what was left half made")
    func withdraw() throws {
        let (first, second) = (try offer(), try offer())
        #expect(files.count == 2)
        let memory = try #require(fileNumber(first))
        Handover.withdraw(first, in: folder)
        #expect(files.count == 1)
        // Another test may have been given the number meanwhile, but not the memory.
        #expect(fileNumber(first) != memory, "the descriptor is closed")
        #expect(isTaken("\(second)"))
        try folder.makeEmptyFile("handover.\(String(repeating: "0f", count: 16)).new")
        try folder.makeEmptyFile("handover.notes")
        Handover.withdrawAll(in: folder)
        #expect(files == ["handover.notes"])
        #expect(!isTaken("\(second)"))
        close(second)
    }

    @Test("a withdrawn offer whose file and mark somebody kept can be taken up with its other half: not defended")
    func putBack() throws {
        let (descriptor, name, bytes) = try offerFile()
        defer { close(descriptor) }
        Handover.withdrawAll(in: folder)
        #expect(!isTaken("\(descriptor)"))
        try SecretBytes(bytes).withUnsafeBytes { bytes throws(FileError) in try folder.makeFile(name, bytes) }
        #expect(isTaken("\(descriptor)"))
        #expect(!isTaken("\(descriptor)", mark: Self.mark(8)), "the mark of the lock has to be put back as well")
    }

    @Test("an offer removes those that nobody can take up any more, and no other")
    func stale() throws {
        let descriptors = [try offer(mark: Self.mark(6)), try offer(boot: "another boot"), try offer(), try offer()]
        defer { for descriptor in descriptors { close(descriptor) } }
        #expect(files.count == 2)
        #expect(isTaken("\(descriptors[2])"))
        #expect(isTaken("\(descriptors[3])"))
    }

    @Test("neither half holds the passcode's key, and every offer has its own")
    func halves() throws {
        let descriptors = [try offer(), try offer()]
        defer { for descriptor in descriptors { close(descriptor) } }
        let halves = try descriptors.map { try #require(SealedMemory.contents(of: $0, count: 56)) }
        #expect(halves[0] != halves[1])
        let texts = try files.map(contents)
        #expect(texts[0] != texts[1])
        for half in halves {
            let key = half.unprotectedCopy.suffix(32)
            for text in texts { #expect(!text.indices.contains { text[$0...].starts(with: key) }) }
        }
    }

    @Test("a keychain hands an unlock over for the right passcode only, and a lock, another passcode or none ends it")
    func keychain() throws {
        let device = try VirtualDevice(storage: .file)
        let keychain = device.keychain
        let path = try #require(device.path)
        let folder = try PrivateDirectory(KeychainLocation(path: path))
        func count() -> Int { folder.names(beginningWith: "handover.").count }
        let (right, wrong) = (SecretBytes(Array("1234".utf8)), SecretBytes(Array("0000".utf8)))
        #expect(throws: KeychainError.self) { try keychain.offerUnlock(passcode: wrong) }
        #expect(try keychain.device.status().failedAttempts == 1)
        #expect(count() == 0)
        for end in [
            { try keychain.device.lock() }, { try keychain.device.changePasscode(from: right, to: right) },
            { try keychain.device.removePasscode(right) },
        ] {
            let offer = try #require(try keychain.offerUnlock(passcode: right))
            #expect(count() == 1)
            try end()
            #expect(count() == 0)
            offer.withdraw()
        }
        let none = try keychain.offerUnlock(passcode: right)
        #expect(none?.descriptor == nil)
        let inMemory = try VirtualDevice().keychain.offerUnlock(passcode: right)
        #expect(inMemory?.descriptor == nil)
    }
}

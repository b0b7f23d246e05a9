// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainWire

@testable import KeychainEngine
@testable import KeychainProtection

/// Rows that are moved, read from a message of anybody's: what a store takes of them is what it gives again, and
/// nothing else is taken.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let length = withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
    let frame = SecretBytes(length + Array(UnsafeBufferPointer(start: bytes, count: count)))
    guard case .command(_, .maintenance(.move(.step(let step, of: _))), _)? = try? WireMessage(frame) else { return 0 }
    switch step {
    case .receive(let device): _ = try? IncomingKeychain(in: Sample.location, device)
    case .append(let rows):
        var device = Sample.device
        for row in rows {
            device.rows.byteCount = min(device.rows.byteCount + row.row.byteCount, MoveLimits.byteCount)
            if let table = ItemClass.stored.firstIndex(of: row.row.itemClass) { device.rows.counts[table] += 1 }
        }
        var digest = RowDigest()
        for row in rows { digest.add(row) }
        device.rows.digest = digest.finish()
        guard let incoming = try? IncomingKeychain(in: Sample.location, device),
            (try? incoming.append(rows)) != nil
        else { return 0 }
        precondition((try? incoming.finish()) != nil, "rows that were taken are not those that are there")
    default: break
    }
    return 0
}

private enum Sample {
    static let location: KeychainLocation = {
        let location = KeychainLocation(path: "/tmp/fuzz-move-\(getpid())")
        mkdir(location.path, 0o700)
        return location
    }()

    static let device: MovedDevice = {
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: "\(location.path)/source"))
        guard (try? keychain.handOver(to: .moving)) != nil else { preconditionFailure("no keychain can be made") }
        var options = DeviceOptions()
        options.owner = .moving
        let moving = EmbeddedKeychain(at: KeychainLocation(path: "\(location.path)/source"), device: options)
        guard let device = try? moving.movedDevice() else { preconditionFailure("no keychain can be moved") }
        return device
    }()
}

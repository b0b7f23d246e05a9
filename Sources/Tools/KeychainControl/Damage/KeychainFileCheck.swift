// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection

/// The check of a keychain file: its structure, and the attributes of its items, which open without its password.
struct KeychainFileCheck {
    let path: String
    /// What is wrong; `nil` if nothing is.
    let defect: String?
    /// Whether the file is there.
    let exists: Bool

    var isDamaged: Bool { defect != nil }

    /// Larger than any keychain file that programs read.
    private static let largestFile = 256 << 20

    init(path: String) {
        self.path = path
        let read = Result { () throws(FileError) in try AtomicFile.read(path, limit: Self.largestFile) }
        switch read {
        case .failure(let error): (exists, defect) = (true, "\(error)")
        case .success(nil): (exists, defect) = (false, nil)
        case .success(let contents?): (exists, defect) = (true, Self.defect(of: contents.bytes, DeviceOptions()))
        }
    }

    /// Why bytes are no keychain file; `nil` if they are one, however little work its password takes.
    static func objection(to image: [UInt8]) -> String? {
        do throws(KeychainError) {
            _ = try EmbeddedKeychain.file(image: image, device: anyWork).device.status()
            return nil
        } catch {
            return error.reason
        }
    }

    /// What is damaged in the bytes of a keychain file, however little work its password takes; `nil` for nothing.
    static func damage(in image: [UInt8]) -> String? {
        defect(of: image, anyWork)
    }

    private static var anyWork: DeviceOptions {
        var device = DeviceOptions()
        device.passwordWork = .minimum
        return device
    }

    private static func defect(of image: [UInt8], _ device: DeviceOptions) -> String? {
        do throws(KeychainError) {
            let report = try EmbeddedKeychain.file(image: image, device: device).check()
            if let defect = report.structuralDefects.first { return defect }
            let count = report.damagedRows.count
            return count == 0 ? nil : "\(Count.text(count, "item")) of it cannot be opened"
        } catch {
            return error.reason
        }
    }
}

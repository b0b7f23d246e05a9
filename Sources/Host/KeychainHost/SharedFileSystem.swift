// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// A kind of file system whose files several hosts may have open at the same time.
///
/// They have no shared memory nor, on some, locks between them: network file systems, folders that a virtual machine or
/// a container shares with its host, and file systems that programs implement (FUSE).
///
/// A FUSE file system on a block device (`fuseblk`, such as ntfs-3g and exfat) is local: the kernel mounts the device
/// once, and caches and locks its files like those of any disk. One without a device may use any storage, so that it
/// counts as shared, even if it happens to be local, as gocryptfs mostly is.
package enum SharedFileSystem {
    /// The kinds by their magic numbers, from `linux/magic.h` and otherwise from statfs(2) and the sources of the file
    /// system.
    static let names: [UInt32: String] = [
        0x0000_6969: "NFS", 0x0000_517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB 2", 0x0000_564C: "NCP",
        0x0102_1997: "9p", fuse: "FUSE", 0x786F_4256: "vboxsf", 0xBACB_ACBC: "vmhgfs", 0x7C7C_6673: "prl_fs",
        0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x7375_7245: "Coda", 0x00C3_6400: "Ceph", 0x0BD0_0BD0: "Lustre",
        0x4750_4653: "GPFS", 0x1983_0326: "BeeGFS", 0x2003_0528: "OrangeFS", 0xAAD7_AAEA: "PanFS", 0xBEEF_DEAD: "SNFS",
        0x0116_1970: "GFS2", 0x7461_636F: "OCFS2", 0x6163_6673: "ACFS",
    ]

    // Of FUSE and virtiofs.
    private static let fuse: UInt32 = 0x6573_5546

    /// The kind of a file system.
    ///
    /// - Parameters:
    ///   - magic: `f_type` of statfs(2).
    ///   - device: `st_dev` of a file on it; its major number is 0 without a block device.
    /// - Returns: `nil` for one that only this host has mounted, and for an unknown one.
    static func name(magic: UInt32, device: UInt64) -> String? {
        // The major number of a device, extracted as by gnu_dev_major(3).
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        return magic == fuse && major != 0 ? nil : names[magic]
    }

    /// The kind of a folder's file system; `nil` if it is none of them, and if that is unknown.
    package static func name(of folder: PrivateDirectory) -> String? {
        var status = stat()
        guard stat(folder.path, &status) == 0 else { return nil }
        return name(magic: CSupport.fileSystem(folder.path), device: UInt64(status.st_dev))
    }
}

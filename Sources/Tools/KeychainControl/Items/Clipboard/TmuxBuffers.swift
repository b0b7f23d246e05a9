// SPDX-License-Identifier: Apache-2.0

/// The buffers of tmux, which keeps everything that was copied in it.
enum TmuxBuffers {
    /// Deletes each buffer that has a secret, and overwrites the clipboard of the terminal if the newest one has it.
    static func clear(_ secret: ClipboardDigest, run: ([String]) throws(Refusal) -> Void) throws(Refusal) {
        guard let list = Clipboard.output(["tmux", "list-buffers", "-F", "#{buffer_name}"]) else { return }
        let names = list.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let found = names.filter { secret.isOf(Clipboard.output(["tmux", "save-buffer", "-b", $0, "-"])) }
        for name in found { try run(["tmux", "delete-buffer", "-b", name]) }
        guard let newest = names.first, found.contains(newest) else { return }
        // tmux passes nothing on that is empty.
        try run(["tmux", "set-buffer", "-w", "-b", blank, " "])
        try run(["tmux", "delete-buffer", "-b", blank])
    }

    /// A buffer of a name is not pasted by itself.
    private static let blank = "keychainctl"
}

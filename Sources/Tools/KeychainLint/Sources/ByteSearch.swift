// SPDX-License-Identifier: Apache-2.0

/// Searches in the bytes of a file.
package enum ByteSearch {
    /// Words to look for, all in one pass.
    package struct Words: Sendable {
        /// The words by their first byte.
        private let byFirst: [[[UInt8]]]
        private let isFirst: [Bool]

        package init(_ words: [String]) {
            var byFirst = [[[UInt8]]](repeating: [], count: 256)
            for word in words {
                let bytes = Array(word.utf8)
                if let first = bytes.first { byFirst[Int(first)].append(bytes) }
            }
            self.byFirst = byFirst
            isFirst = byFirst.map { !$0.isEmpty }
        }

        /// Whether any of the words is in the text.
        package func areFound(in text: [UInt8]) -> Bool {
            text.withUnsafeBufferPointer { bytes in
                isFirst.withUnsafeBufferPointer { isFirst in
                    var index = 0
                    while index < bytes.count {
                        let byte = Int(bytes[index])
                        if isFirst[byte], byFirst[byte].contains(where: { matches($0, in: bytes, at: index) }) {
                            return true
                        }
                        index += 1
                    }
                    return false
                }
            }
        }

        private func matches(_ word: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
            guard start + word.count <= bytes.count else { return false }
            for offset in 1..<word.count where bytes[start + offset] != word[offset] { return false }
            return true
        }
    }

    /// The offsets at which a word starts.
    package static func occurrences(of word: [UInt8], in text: [UInt8]) -> [Int] {
        guard let first = word.first, text.count >= word.count else { return [] }
        var result: [Int] = []
        text.withUnsafeBufferPointer { bytes in
            var index = 0
            while index + word.count <= bytes.count {
                if bytes[index] == first, (1..<word.count).allSatisfy({ bytes[index + $0] == word[$0] }) {
                    result.append(index)
                    index += word.count
                } else {
                    index += 1
                }
            }
        }
        return result
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus

/// The value of a property.
enum PropertyContent: Sendable {
    case text(String)
    case boolean(Bool)
    /// A time: seconds since 1970, and 0 for one that is not known.
    case seconds(UInt64)
    case paths([String])
    case attributes(LookupAttributes)

    /// The time of an item.
    init(_ time: Timestamp?) {
        let seconds = (time?.secondsSinceReferenceDate ?? -Timestamp.referenceDateSince1970)
        self = .seconds(UInt64(exactly: max(0, seconds + Timestamp.referenceDateSince1970).rounded(.down)) ?? 0)
    }

    /// How many bytes it has in a message, with its name, at most.
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count + 64
        case .boolean, .seconds: 64
        case .paths(let paths): ObjectPath.byteCount(of: paths) + 64
        case .attributes(let attributes): attributes.byteCount + 32 * attributes.pairs.count + 64
        }
    }

    /// Its type in messages.
    var type: String {
        switch self {
        case .text: "s"
        case .boolean: "b"
        case .seconds: "t"
        case .paths: "ao"
        case .attributes: "a{ss}"
        }
    }
}

extension BusMessage {
    /// Appends the value of a property, as a variant.
    func append(_ content: PropertyContent) throws(BusError) {
        try append("v", of: content.type) { () throws(BusError) in
            switch content {
            case .text(let text): try append(text.isSendable ? text : "")
            case .boolean(let value): try append(value)
            case .seconds(let seconds): try append(seconds)
            case .paths(let paths): try append(array: paths, of: "o")
            case .attributes(let attributes): try append(attributes)
            }
        }
    }

    /// Appends properties by their names.
    func append(_ properties: [(Property, PropertyContent)]) throws(BusError) {
        try append("a", of: "{sv}") { () throws(BusError) in
            for (property, content) in properties {
                try append("e", of: "sv") { () throws(BusError) in
                    try append(property.row.name)
                    try append(content)
                }
            }
        }
    }
}

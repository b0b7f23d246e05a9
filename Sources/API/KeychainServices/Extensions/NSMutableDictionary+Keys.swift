// SPDX-License-Identifier: Apache-2.0

public import Foundation

// What Foundation on Linux leaves out of mutable dictionaries and keychain code uses.
extension NSMutableDictionary {
    /// Sets or, for `nil`, removes the value of a key.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: NSString(string: key))
        } else {
            removeObject(forKey: NSString(string: key))
        }
    }

    /// Sets the value of a key that is given as a copying object.
    @_disfavoredOverload
    public func setObject(_ object: Any, forKey key: any NSCopying) {
        if let key = key as? AnyHashable { setObject(object, forKey: key) }
    }

    /// A dictionary with the entries of another one.
    public convenience init(dictionary: NSDictionary) {
        self.init()
        for (key, value) in dictionary {
            if let key = key as? AnyHashable { setObject(value, forKey: key) }
        }
    }
}

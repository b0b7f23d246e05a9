// SPDX-License-Identifier: Apache-2.0
// The system's SQLite, under a name of its own: the package under test has a module CSQLite that is not a product.
#include <sqlite3.h>

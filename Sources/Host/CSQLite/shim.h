// SPDX-License-Identifier: Apache-2.0
// sqlite3_db_config is variadic, which Swift cannot call: the two settings that the store needs, one function each.
#ifndef KEYCHAIN_CSQLITE_SHIM_H
#define KEYCHAIN_CSQLITE_SHIM_H

#include <sqlite3.h>

// A closing connection neither checkpoints nor deletes the write-ahead log, which another process may be using.
static inline int keychain_sqlite_no_checkpoint_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// A hostile file cannot run code through its schema.
static inline int keychain_sqlite_defensive(sqlite3 *database) {
    int status = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
    return status;
}

#endif

// drizzle-kit looks for tables among the exports.
module.exports = require('../src/store/sqlite/tables.ts').tables

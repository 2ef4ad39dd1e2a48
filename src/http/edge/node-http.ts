/**
 * Node's HTTP module. `import` would read all its members, three of which load Node's own copy of undici. That would
 * take a tenth of the processor time of a start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')

/**
 * Node's HTTP module. `import` would read each of its members, and three of them load Node's own copy of undici: a
 * tenth of all that a start computes.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')

import { defineConfig } from 'vitest/config'

const all = 'test/**/*.test.ts'
// What holds an answer to milliseconds: one file at a time, once all the others are through.
const timed = 'test/**/*.timed.test.ts'

export default defineConfig({
  // The file that Node itself takes: beside it, Vite would load the ES build and so a second GraphQL.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'all', include: [all], exclude: [timed], maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: 'timed', include: [timed], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})

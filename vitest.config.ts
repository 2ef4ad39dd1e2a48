import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The file that Node itself takes: beside it, Vite would load the ES build and so a second GraphQL.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})

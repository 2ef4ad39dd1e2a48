import { defineConfig } from 'vitest/config'
import { LongFilesFirst } from './test/server/processes/long-files-first.ts'

const all = 'test/**/*.test.ts'
// Soaks, long sweeps and waits for timeouts. Nothing in them depends on a second or two.
const slow = 'test/**/*.slow.test.ts'
// Tests that compare a duration or a process's memory with a bound. They run one file at a time, so that no other test
// takes their time.
const timed = 'test/**/*.timed.test.ts'
// The same, but they mostly wait, and their bounds are seconds. So three of these files can run at a time.
const waiting = 'test/**/*.waiting.test.ts'
// Long soaks, and sweeps whose parts the other tests cover. They run one file at a time, since some compare durations.
const nightly = 'test/**/*.nightly.test.ts'
// Sweeps over generated cases. They run with the slow tests, and those of `test/properties` in the nightly run with many
// more cases.
const properties = [
  'test/properties/**/*.test.ts',
  'test/openapi/property.test.ts',
  'test/graphql/plan.test.ts',
  'test/http/graphql/same-answers.test.ts',
]

export default defineConfig({
  // The file that Node itself takes: beside it, Vite would load the ES build and so a second GraphQL.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // These end a test that hangs. A busy machine must not reach them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // The files of a worker share its loaded modules: to load the sources again takes a second of processor time.
    isolate: false,
    globalSetup: [
      'test/store/databases/serve-databases.ts',
      'test/server/gateways/serve-tokens.ts',
      'test/server/gateways/serve-gateways.ts',
    ],
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: [all],
          exclude: [slow, timed, waiting, nightly, ...properties],
          // Twice the processors that a test machine must have: many tests wait for a process or a clock.
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [slow, ...properties],
          // They wait as much as they compute.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
          provide: { propertyCases: 1_000 },
        },
      },
      {
        extends: true,
        test: {
          name: 'waiting',
          include: [waiting],
          maxWorkers: 3,
          // As with `timed`.
          retry: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'timed',
          include: [timed],
          maxWorkers: 1,
          // The machine itself may stand still for a tenth of a second. So one of two attempts has to be in time.
          retry: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'nightly',
          include: [nightly],
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})

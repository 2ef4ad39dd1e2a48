import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'

const { projects: _, ...all } = config.test ?? {}

// A run of one file that does not end, with the global setup of the others.
export default defineConfig({
  ...config,
  test: { ...all, include: ['test/interrupted/endless.ts'], testTimeout: 0, disableConsoleIntercept: true },
})

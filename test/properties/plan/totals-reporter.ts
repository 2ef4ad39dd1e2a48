import type { Reporter, TestModule } from 'vitest/node'

/** Prints how many cases of how many properties have passed, and how fast; for the nightly mode. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const passed = tests.flatMap(test => {
      const cases = test.meta().cases
      return cases === undefined ? [] : [{ cases, seconds: (test.diagnostic()?.duration ?? 0) / 1_000 }]
    })
    const cases = passed.reduce((sum, each) => sum + each.cases, 0)
    const seconds = passed.reduce((sum, each) => sum + each.seconds, 0)
    const failed = tests.filter(test => test.result().state === 'failed').length
    const speed = seconds === 0 ? 0 : Math.round(cases / seconds)
    console.log(
      `${cases} cases of ${passed.length} properties passed in ${Math.round(seconds)} s ` +
        `(${speed} a second); ${failed} failed`,
    )
  }
}

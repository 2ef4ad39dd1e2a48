import { startTasks } from '../run/start-tasks.ts'

// A process with sandboxes, made to be killed. It runs the scripts of its arguments, which call `graphql('begun')`
// first, and prints the pids of its sandboxes when all have begun. It does not answer calls of `hang`; calls of `run`
// start nested runs. SIGUSR2 makes it throw an uncaught exception.
const scripts = process.argv.slice(2)
const nested = scripts.filter(script => script.includes("'run'")).length
const sandboxes = String(scripts.length + nested + 1)
let begun = 0

const tasks = await startTasks(
  {
    ROSTRUM_SANDBOXES: sandboxes,
    ROSTRUM_WARM_SANDBOXES: sandboxes,
    ROSTRUM_TASK_TIMEOUT_MS: '60000',
    ROSTRUM_TASK_CPU_MS: '60000',
    ROSTRUM_QUEUE_WAIT_MS: '60000',
  },
  async ({ query, variables, run }) => {
    if (query === 'hang') return new Promise(() => undefined)
    if (query === 'run') {
      await tasks.run(String(variables.source), { account: run.caller.accountCode, parentRun: run })
    }
    if (query === 'begun') {
      begun++
      if (begun === scripts.length + nested) {
        setTimeout(() => console.log(JSON.stringify(tasks.runner.pids())), 100)
      }
    }
    return { status: 200, body: {} }
  },
)
process.on('SIGUSR2', () => {
  throw new Error('nobody catches this')
})
scripts.forEach((script, index) => {
  void tasks.run(`await graphql('begun'); ${script}`, { account: `account-${index}` })
})

import { startTasks } from './start-tasks.ts'

// A process with sandboxes of its own that is there to be killed: runs the scripts of its arguments, each of which calls
// `graphql('begun')` first, and when all have begun prints the process ids of its sandboxes.
const scripts = process.argv.slice(2)
let begun = 0

const tasks = await startTasks(
  {
    ROSTRUM_SANDBOXES: String(scripts.length + 1),
    ROSTRUM_WARM_SANDBOXES: String(scripts.length + 1),
    ROSTRUM_TASK_TIMEOUT_MS: '60000',
    ROSTRUM_TASK_CPU_MS: '60000',
    ROSTRUM_QUEUE_WAIT_MS: '60000',
  },
  async () => {
    begun++
    if (begun === scripts.length) setTimeout(() => console.log(JSON.stringify(tasks.runner.pids())), 100)
    return { status: 200, body: {} }
  },
)
scripts.forEach((script, index) => {
  void tasks.run(`await graphql('begun'); ${script}`, { account: `account-${index}` })
})

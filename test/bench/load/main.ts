import type { LoadReply, Plan } from './plan.ts'
import { runPlan } from './run-plan.ts'

// The load generator, in a process of its own so that its time is not the servers'.

process.once('disconnect', () => process.exit())
process.on('message', message => {
  runPlan(message as Plan).then(
    result => reply({ result }),
    error => reply({ failure: error instanceof Error ? error.message : String(error) }),
  )
})

function reply(answer: LoadReply): void {
  process.send?.(answer)
}

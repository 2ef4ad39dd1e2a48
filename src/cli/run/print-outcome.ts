import { showControls, showControlsOfJson } from '../../show-controls.ts'
import { type ExitCode, exitCodes } from '../frame/cli-error.ts'
import type { Terminal } from '../frame/terminal.ts'
import type { Execution, LogEntry, ScriptError } from '../gateway/execution.ts'

const colours = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const

/** Writes a log entry as a line: `info  total 3`. */
export function formatLog(
  { level, data }: LogEntry,
  { style }: Terminal,
  stream: 'stdout' | 'stderr',
): string {
  const colour = colours[level as keyof typeof colours] ?? 'gray'
  const text = data.map(value => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ')
  return `${style(colour, level.padEnd(5), stream)} ${showControls(text)}`
}

/** Writes an error as a line: `priority.js:3:9 TYPE_ERROR …`, with the file as it was given. */
function formatError(file: string, { code, message, line, column }: ScriptError): string {
  const place = line === null ? '' : `:${line}:${column ?? 1}`
  return showControls(`${file}${place} ${code} ${message}`)
}

/** Writes JSON: indented for a person, else in one line. Texts of a script cannot change what a terminal shows. */
export function formatJson(value: unknown, { hasReader }: Pick<Terminal, 'hasReader'>): string {
  return `${showControlsOfJson(JSON.stringify(value, null, hasReader ? 2 : undefined))}\n`
}

/** Prints how a run ended. Returns the exit code. */
export function printOutcome(file: string, execution: Execution, terminal: Terminal): ExitCode {
  const { outcome, payload, message, error } = execution
  if (outcome === 'exit') terminal.write(formatJson(payload, terminal))
  else if (outcome === 'fail')
    terminal.say(terminal.style('red', showControls(message ?? '', true), 'stderr'))
  else if (error !== null) terminal.say(terminal.style('red', formatError(file, error), 'stderr'))
  return exitCodeOf(execution)
}

/** The exit code of a run: 0 for `exit`, 1 for `fail`, 2 for an error. */
export function exitCodeOf({ outcome }: Execution): ExitCode {
  return { exit: exitCodes.done, fail: exitCodes.failed, error: exitCodes.error }[outcome]
}

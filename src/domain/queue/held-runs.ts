/** A run, and the claim that has it. One gateway can have a run twice, if the lease of an attempt ended. */
export interface HeldRun {
  readonly id: number
  readonly holder: string
}

/** True if the run is among these, with the same claim. */
export function isAmong(runs: readonly HeldRun[], { id, holder }: HeldRun): boolean {
  return runs.some(run => run.id === id && run.holder === holder)
}

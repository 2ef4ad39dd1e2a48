/** The sandboxes that queued runs can take. */
export interface QueuedCapacity {
  /** How many runs could begin now, of all accounts and of one. */
  free(): number
  freeOf(accountCode: string): number
  /** Accounts that can begin no run, because they hold their share. */
  fullAccounts(): readonly string[]
  /**
   * Says whether runs are due that find no sandbox. While they are, a sandbox is left to one of them every second,
   * though requests wait for it.
   */
  want(areDue: boolean): void
  /** Starts one more sandbox if all are busy for a while, because runs are due. */
  grow(): void
  /** Sets the listener that is called when a run could begin. */
  onFree(listener: () => void): void
}

import DataLoader from 'dataloader'

const maxTogether = 100

/**
 * Collects all asks of one turn of the event loop and answers up to 100 of them with one call. Each gets its own
 * answer.
 */
export function askTogether<Ask, Answer>(
  answerAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
): (ask: Ask) => Promise<Answer> {
  const loader = new DataLoader(answerAll, {
    cache: false,
    maxBatchSize: maxTogether,
    batchScheduleFn: dispatch => setImmediate(dispatch),
  })
  return ask => loader.load(ask)
}

/**
 * What is done once a transaction is committed, such as a line of the log. A transaction that is rolled back, or run again after a
 * conflict, leaves nothing of it.
 */
const waiting = new WeakMap<object, (() => void)[]>()

/** Runs `act` after the commit of the transaction. `act` must not throw and must not use the transaction. */
export function afterCommit(tx: object, act: () => void): void {
  const acts = waiting.get(tx)
  if (!acts) throw new Error('Bug! There is no transaction to wait for.')
  acts.push(act)
}

/**
 * Collects the work of a new transaction. Returns the function that runs it after the commit. If nobody calls it, the work is
 * dropped.
 */
export function collectAfterCommit(tx: object): () => void {
  const acts: (() => void)[] = []
  waiting.set(tx, acts)
  return () => {
    waiting.delete(tx)
    for (const act of acts) act()
  }
}

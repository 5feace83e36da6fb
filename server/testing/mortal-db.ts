/** A database connection that fails after a number of statements, as if the process had been killed. */
import type { Db, Tx } from '../storage/db.ts'

type Ask = (...question: unknown[]) => Promise<unknown>

/** Calls `before` with each statement's name, or its text if it has no name, before the statement is sent. */
export function watchedDb(db: Db, before: (statement: string) => unknown, isDead: () => boolean): Db {
  const watched =
    (ask: Ask): Ask =>
    async (...question) => {
      await before(statementName(question[0]))
      return ask(...question)
    }
  const client = (tx: Tx): Tx => {
    let isBroken = false
    return new Proxy(tx, {
      get(target, name) {
        if (name === 'release') return () => target.release(isBroken)
        if (name !== 'query') return Reflect.get(target, name)
        const ask = watched(target.query.bind(target) as Ask)
        return async (...question: unknown[]) => {
          try {
            return await ask(...question)
          } catch (error) {
            if (isDead()) isBroken ||= !(await rollBack(target))
            throw error
          }
        }
      },
    })
  }
  return new Proxy(db, {
    get(target, name) {
      if (name === 'query') return watched(target.query.bind(target) as Ask)
      if (name === 'connect')
        return async () => client((await watched(target.connect.bind(target) as Ask)()) as Tx)
      return Reflect.get(target, name)
    },
  })
}

/**
 * Does what the server does when a process is killed. The statement fails only afterwards, so that no row is still locked when the
 * test goes on. The connection is used again: a new one costs more than all of a test's statements. Returns whether it still works.
 */
function rollBack(tx: Tx): Promise<boolean> {
  return tx.query('rollback').then(
    () => true,
    () => false,
  )
}

/** Returns the name of a statement without its world, or its text if it has no name. `question`: the first argument of the call. */
export function statementName(question: unknown): string {
  if (question === undefined) return 'connect'
  if (typeof question === 'string') return question
  // A statement's name begins with its world.
  return (question as { name?: string }).name?.replace(/^(sandbox|live)\./, '') ?? 'unnamed'
}

/**
 * When it fails, the server rolls back an open transaction, as after a kill. Every later statement fails. `died` runs at each
 * statement that fails.
 */
export function mortalDb(db: Db, statements: number, died = () => {}): Db {
  let left = statements
  const live = () => {
    if (left-- > 0) return
    died()
    throw new Error('the process has died')
  }
  return watchedDb(db, live, () => left < 0)
}

/** Never fails, and records the statements. */
export function recordingDb(db: Db, statements: string[]): Db {
  return watchedDb(
    db,
    (name) => void statements.push(name),
    () => false,
  )
}

/**
 * Runs `meanwhile` once, just before the first statement with this name is sent. It stands for another process at that moment.
 */
export function interruptedDb(db: Db, name: string, meanwhile: () => Promise<void>): Db {
  let isOver = false
  const interrupt = async (statement: string) => {
    if (statement !== name || isOver) return
    isOver = true
    await meanwhile()
  }
  return watchedDb(db, interrupt, () => false)
}

/** Only a sample of the points inside a transaction is tried, because the server rolls back all of them in the same way. */
const SAMPLE_EVERY = 10

/**
 * Returns the points at which a run of these statements fails. They are all points after which something different is stored:
 * before and after each commit, and after each of `writes`, which are outside of a transaction. There is also a sample of all
 * other points. The last two points are after the end, where nothing fails.
 */
export function samplePoints(statements: string[], writes: string[]): number[] {
  const points = statements.flatMap((name, index) => {
    if (name === 'commit') return [index, index + 1]
    if (writes.includes(name)) return [index + 1]
    return index % SAMPLE_EVERY === 0 ? [index] : []
  })
  return [...new Set([...points, statements.length, statements.length + 1])].sort((one, other) => one - other)
}

/** Returns every point, for the long tests. */
export function everyPoint(statements: string[]): number[] {
  return Array.from({ length: statements.length + 2 }, (_, index) => index)
}

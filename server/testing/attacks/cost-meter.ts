/** Counts what the Kassa in this process does: statements of the database, and lines of its log. */
import pg from 'pg'

type Query = (...given: unknown[]) => unknown

/**
 * Counts every statement that this process sends from now on, on any connection. `begin`, `commit` and `rollback` count too,
 * because each is a way to the database and back.
 */
export function countStatements() {
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const { query } = prototype
  let texts: string[] = []
  prototype.query = function (this: unknown, ...given: unknown[]) {
    const [first] = given as [string | { text?: string; name?: string }]
    texts.push(typeof first === 'string' ? first : (first.name ?? first.text ?? ''))
    return query.apply(this, given)
  }
  return {
    /** Returns the names or texts since the last time. */
    take(): string[] {
      const all = texts
      texts = []
      return all
    },
    stop() {
      prototype.query = query
    },
  }
}

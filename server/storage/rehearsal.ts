/** A rehearsal: the same statements as the real thing, all of which are rolled back. */
import { connect, type Db, type Tx } from './db.ts'

/**
 * The statements that replace begin, commit and rollback inside the rehearsal, because an inner transaction is part of the
 * outer one.
 */
const INNER: Record<string, string> = {
  begin: 'savepoint rehearsed',
  commit: 'release savepoint rehearsed',
  rollback: 'rollback to savepoint rehearsed',
}

/**
 * Runs `act` on a database that sees its own changes and keeps none of them. Its transactions must run one after the other. They
 * hold their locks until `act` ends, so it must not wait for a network.
 */
export async function rehearsed<T>(db: Db, act: (rehearsal: Db) => Promise<T>): Promise<T> {
  const tx = await connect(db)
  let isLost = true
  try {
    await tx.query(db.bracket?.begin ?? 'begin')
    const result = await act(onOneClient(db, tx))
    // The checks that wait for the commit run now.
    await tx.query('set constraints all immediate')
    return result
  } finally {
    await tx.query('rollback').then(
      () => {
        isLost = false
      },
      () => {},
    )
    tx.release(isLost)
  }
}

function onOneClient(db: Db, tx: Tx): Db {
  const query = tx.query.bind(tx) as (text: unknown, ...rest: unknown[]) => unknown
  const inner = (text: unknown, ...rest: unknown[]) =>
    query(typeof text === 'string' ? (INNER[text] ?? text) : text, ...rest)
  const client = () =>
    new Proxy(tx, {
      get: (target, name) =>
        name === 'query' ? inner : name === 'release' ? () => {} : Reflect.get(target, name),
    })
  const own: Record<PropertyKey, unknown> = { query, bracket: undefined, connect: async () => client() }
  return new Proxy(db, {
    get: (pool, name) => (Object.hasOwn(own, name) ? own[name] : Reflect.get(pool, name)),
  })
}

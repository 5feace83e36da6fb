/** A database connection that dies after so many statements, as a process would in the middle of its work. */
import type { Db, Tx } from '../storage/db.ts'

type Ask = (...question: unknown[]) => Promise<unknown>

/** What is in a transaction when it dies is rolled back by the server, as after a kill. Nothing works afterwards. */
export function mortalDb(db: Db, statements: number): Db {
  let left = statements
  const mortal =
    (ask: Ask): Ask =>
    async (...question) => {
      if (left-- <= 0) throw new Error('the process has died')
      return ask(...question)
    }
  const client = (tx: Tx): Tx =>
    new Proxy(tx, {
      get(target, name) {
        if (name === 'query') return mortal(target.query.bind(target) as Ask)
        if (name === 'release') return () => target.release(left < 0)
        return Reflect.get(target, name)
      },
    })
  return new Proxy(db, {
    get(target, name) {
      if (name === 'query') return mortal(target.query.bind(target) as Ask)
      if (name === 'connect')
        return async () => client((await mortal(target.connect.bind(target) as Ask)()) as Tx)
      return Reflect.get(target, name)
    },
  })
}

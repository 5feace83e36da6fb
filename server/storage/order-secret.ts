/** The secret from which the names of orders at providers follow. It is made with the database, and is part of every backup. */
import { type Queryable, statement } from './db.ts'

const read = statement<{ secret: Buffer }>('read_order_secret', 'select secret from world.order_secret')

export async function readOrderSecret(db: Queryable): Promise<Buffer> {
  const [row] = await read(db, [])
  if (!row) throw new Error('Bug! The database has no secret for the names of orders.')
  return row.secret
}

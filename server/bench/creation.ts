/**
 * Creating payments, beside servers that only write rows. `null`: nothing stored. `tx`: three inserts in a transaction. `cte`: the
 * same as one statement.
 */
import { BASELINE_SCHEMA } from './baseline-storage.ts'
import { startBaseline, startKassa } from './cells.ts'
import { requests } from './requests.ts'
import type { Cell } from './rounds.ts'
import type { Checkout, Scene } from './scene.ts'

const countOf = (...tables: string[]) =>
  `select least(${tables.map((table) => `(select count(*) from ${table})`).join(', ')})::int as count`
const KASSA = countOf('sandbox.payments', 'sandbox.idempotency_keys', 'sandbox.payment_changes')

export async function prepareCreation(scene: Scene): Promise<Cell[]> {
  const { db, checkouts } = scene
  await db.query(BASELINE_SCHEMA)
  const cells: Cell[] = []
  for (const checkout of checkouts)
    cells.push(
      await startKassa(scene, checkout, {
        next: creations(checkout),
        stored: { db: checkout.db, count: KASSA },
      }),
    )
  cells.push(await startBaseline(scene, 'null', { next: requests('null', '/payments', {}) }))
  for (const name of ['tx', 'cte'] as const) {
    const count = countOf(...['payments', 'keys', 'outbox'].map((table) => `baseline_${name}.${table}`))
    cells.push(
      await startBaseline(scene, name, { next: requests(name, '/payments', {}), stored: { db, count } }),
    )
  }
  return cells
}

const creations = ({ token }: Checkout, name = 'kassa') =>
  requests(name, '/v1/payment-sessions', { Authorization: `Bearer ${token}` })

/** The same service in one, two and three processes on one database. The load is spread over them. */
export async function prepareProcesses(scene: Scene): Promise<Cell[]> {
  const cells: Cell[] = []
  for (const checkout of scene.checkouts.slice(0, 1))
    for (const [index, name] of [checkout.name, 'two', 'three'].entries())
      cells.push(
        await startKassa(scene, checkout, { name, processes: index + 1, next: creations(checkout, name) }),
      )
  return cells
}

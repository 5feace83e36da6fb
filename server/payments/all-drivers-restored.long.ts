/**
 * A restore in between, at every driver: payments are made, paid and refunded after the backup, and the shop repeats all its requests at the
 * restored service. Nothing is told twice, no money moves, and no order number gets a second payment.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceOf } from '../id.ts'
import { askOperation, createSession, sessionRequest } from '../testing/calls.ts'
import { operate } from '../testing/operator.ts'
import { FLEET } from '../testing/providers/fleet/drivers.ts'
import { deliver, type Fleet, type Ship, startFleet } from '../testing/providers/fleet/fleet.ts'
import { readOutcome } from '../testing/providers/fleet/outcome.ts'
import { openedOf } from '../testing/providers/fleet/voyage.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const SALES = 4
/** Whose shop has asked for a refund in the lost hours. */
const REFUNDED = ['early-2', 'lost-2', 'lost-3']
const AMOUNT_MINOR = 190_000
const PART_MINOR = 70_000

let fleet: Fleet
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-restored-'))
  fleet = await startFleet()
})
afterAll(async () => {
  await fleet.close()
  await rm(folder, { recursive: true })
})

const keysOf = (name: string) => Array.from({ length: SALES }, (_, number) => `${name}-${number}`)

async function create({ row, shop }: Ship, key: string): Promise<string | undefined> {
  const [currency] = row.currencies
  const body = sessionRequest({
    merchantOrderId: key,
    provider: 'route_a',
    currency,
    amountMinor: AMOUNT_MINOR,
  })
  return (await createSession(fleet.kassa.url, shop, { key, body })).body.id
}

async function pay(ship: Ship, id: string): Promise<void> {
  const opened = await openedOf(fleet, ship, id)
  if (!opened) throw new Error(`${ship.name}: ${id} has no page`)
  await ship.simulator.buyer(opened, 'pay')
  await deliver(fleet.kassa, ship, () => 1)
  await fetch(`${fleet.kassa.url}/checkout/${id}/return`, { redirect: 'manual' })
}

const refund = (ship: Ship, id: string, key: string) =>
  askOperation(fleet.kassa.url, ship.shop, id, 'refunds', {
    key: `refund-${key}`,
    body: { amountMinor: PART_MINOR, reason: 'returned' },
  })

/** The shops repeat everything that they have asked for. */
async function repeatAll(): Promise<void> {
  for (const ship of fleet.ships)
    for (const key of [...keysOf('early'), ...keysOf('lost')]) {
      const id = await create(ship, key)
      if (id && REFUNDED.includes(key)) await refund(ship, id, key)
    }
}

/** Which payments have had which reference. A payment that is made again has the end of its id again. */
async function learnReferences(ship: Ship, known: Map<string, Set<string>>): Promise<void> {
  const { rows } = await fleet.kassa.ctx.db.query<{ id: string; reference: string }>(
    `select payment_id as id, reference from sandbox.attempts where merchant_id = $1 and state <> 'planned'`,
    [ship.shop.merchantId],
  )
  for (const { id, reference } of rows)
    known.set(reference, (known.get(reference) ?? new Set()).add(referenceOf(id)))
}

async function booksOf({ simulator }: Ship, references: Iterable<string>) {
  const books = await Promise.all([...references].map((each) => simulator.books(each).catch(() => null)))
  const sum = (name: 'capturedMinor' | 'refundedMinor') =>
    books.reduce((total, each) => total + (each?.[name] ?? 0), 0)
  return { captured: sum('capturedMinor'), refunded: sum('refundedMinor') }
}

describe('a restore in between', () => {
  const before = new Map<string, { references: Map<string, Set<string>>; books: object }>()
  beforeAll(async () => {
    const directory = join(folder, 'backup')
    const early = new Map<Ship, string[]>()
    for (const ship of fleet.ships) {
      const ids = []
      for (const key of keysOf('early')) ids.push((await create(ship, key)) ?? '')
      for (const id of ids.slice(2)) await pay(ship, id)
      early.set(ship, ids)
    }
    const source = { DATABASE_URL: fleet.kassa.databaseUrl }
    expect(await operate(source, ['backup', 'create', '--to', directory])).toMatchObject({ code: 0 })
    for (const ship of fleet.ships) {
      const references = new Map<string, Set<string>>()
      const [left = '', , paid = ''] = early.get(ship) ?? []
      await pay(ship, left)
      await refund(ship, paid, 'early-2')
      for (const [index, key] of keysOf('lost').entries()) {
        const id = (await create(ship, key)) ?? ''
        if (index > 0) await pay(ship, id)
        if (REFUNDED.includes(key)) await refund(ship, id, key)
      }
      before.set(ship.name, { references, books: {} })
    }
    for (let times = 0; times < 3; times++) await fleet.later(0)
    for (const ship of fleet.ships) {
      const { references } = before.get(ship.name) ?? { references: new Map() }
      await learnReferences(ship, references)
      before.set(ship.name, { references, books: await booksOf(ship, references.keys()) })
    }
    await fleet.restore(directory)
    await repeatAll()
    for (let times = 0; times < 6; times++) await fleet.later(5 * MINUTE_MS)
    await repeatAll()
    for (let day = 0; day < 9; day++) await fleet.later(DAY_MS, { isSettled: day < 2 || day === 8 })
  })

  test.each(Object.keys(FLEET))(
    'at %s moves nothing, tells nothing twice, and uses no number again',
    async (name) => {
      const ship = fleet.ships.find((each) => each.name === name)
      const known = before.get(name)
      if (!ship || !known) throw new Error('no such driver')
      const { references, books } = known
      const own = [...references.keys()]
      await learnReferences(ship, references)
      const shared = [...references].filter(([, ids]) => ids.size > 1).map(([reference]) => reference)
      const { needsPerson, sentTwice } = await readOutcome(fleet, ship)
      console.info(`${name}: ${needsPerson.any} of ${2 * SALES} need a person, ${sentTwice} told twice`)
      expect({ shared, sentTwice }).toEqual({ shared: [], sentTwice: 0 })
      expect(await booksOf(ship, own)).toEqual(books)
      expect(await booksOf(ship, references.keys())).toEqual(books)
    },
  )
})

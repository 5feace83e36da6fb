/**
 * Idram confirms a payment while the database is away, or while a restore has taken hours from the books. Its money is with the buyer or
 * with the shop, and the books say the same.
 */
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { inTransaction } from '../../storage/db.ts'
import { markRestored } from '../../storage/restores/restores.ts'
import { cancelPayment } from '../../testing/calls.ts'
import { sumsOf } from '../../testing/providers/idram/bench.ts'
import { type IdramScene, setIdramScene } from '../../testing/providers/idram/scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const AWAY = Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })

const scene = closeAfter(await setIdramScene())
afterEach(() => vi.restoreAllMocks())

type Connect = (done?: (error: Error) => void) => Promise<pg.PoolClient> | undefined

/** `next` decides about each connection. The pool asks for one itself, with a callback, for a query without a transaction. */
function connecting(next: (connect: () => Promise<pg.PoolClient>) => Promise<pg.PoolClient>): void {
  const { db } = scene.kassa.ctx
  const real: Connect = db.connect.bind(db)
  const connect: Connect = (done) => {
    if (!done) return next(() => real() as Promise<pg.PoolClient>)
    void next(() => real() as Promise<pg.PoolClient>).then(
      (client) => {
        client.release()
        real(done)
      },
      (error: Error) => done(error),
    )
    return undefined
  }
  vi.spyOn(db, 'connect').mockImplementation(connect as () => void)
}

/** From now on no connection to the database is made. */
const goAway = () => connecting(() => Promise.reject(AWAY))

type Query = (...args: unknown[]) => Promise<unknown>

/** Returns the client, whose queries go through `run` until it is released. */
function tapped(client: pg.PoolClient, run: (query: Query, args: unknown[]) => Promise<unknown>) {
  const query: Query = client.query.bind(client)
  const release = client.release.bind(client)
  return Object.assign(client, {
    query: (...args: unknown[]) => run(query, args),
    release(isBroken?: boolean) {
      Object.assign(client, { query, release })
      release(isBroken)
    },
  })
}

const isProofIn = ([text]: unknown[]) =>
  typeof text === 'object' && text !== null && 'text' in text && String(text.text).includes('set proof =')

/**
 * The connection that stores a proof breaks: `before` the database has the end of the transaction, or `after` it. `then`: what follows at
 * once.
 */
function breakAtCommit(moment: 'before' | 'after', then: () => void = () => {}): void {
  let isOver = false
  connecting(async (connect) => {
    let storesProof = false
    return tapped(await connect(), async (query, args) => {
      storesProof ||= isProofIn(args)
      if (args[0] !== 'commit' || !storesProof || isOver) return query(...args)
      isOver = true
      await query(moment === 'after' ? 'commit' : 'rollback')
      then()
      throw AWAY
    })
  })
}

/** From the moment at which a proof is stored on, no connection to the database is made. */
function goAwayAfterProof(): void {
  let isStored = false
  connecting(async (connect) => {
    if (isStored) throw AWAY
    return tapped(await connect(), async (query, args) => {
      const answer = await query(...args)
      isStored ||= isProofIn(args)
      return answer
    })
  })
}

describe('a confirmation while the database is away', () => {
  test('goes back, and another one is kept when the database is back', async () => {
    const { wallet, open, statusOf } = scene
    const { id, bill } = await open()
    await wallet.precheck(bill)
    goAway()
    const first = await wallet.confirm(bill)
    vi.restoreAllMocks()
    expect([first.state, await statusOf(id)]).toEqual(['returned', 'pending_payment'])
    expect((await wallet.confirm(bill)).state).toBe('kept')
    expect(await statusOf(id)).toBe('paid')
    expect(sumsOf(wallet, bill).capturedMinor).toBe(190_000)
  })

  test.each(['before', 'after'] as const)(
    'that goes away right %s it has stored the proof is stored again, and kept',
    async (moment) => {
      const { wallet, open, statusOf, takenOf } = scene
      const { id, bill } = await open()
      breakAtCommit(moment)
      expect((await wallet.confirm(bill)).state).toBe('kept')
      vi.restoreAllMocks()
      expect([await statusOf(id), (await takenOf(id)).length]).toEqual(['paid', 1])
    },
  )

  test('that goes away for longer after it has stored the proof: the money stays, and the payment becomes paid', async () => {
    const { wallet, open, statusOf, later } = scene
    const { id, bill } = await open()
    breakAtCommit('after', goAway)
    expect((await wallet.confirm(bill)).state).toBe('unanswered')
    vi.restoreAllMocks()
    await later(2 * MINUTE_MS)
    expect(await statusOf(id)).toBe('paid')
    expect(sumsOf(wallet, bill).capturedMinor).toBe(190_000)
  })

  test('that goes away for longer without having stored it: the money stays, and a person looks', async () => {
    const { wallet, open, statusOf, later, stored, kassa } = scene
    const { id, bill } = await open()
    await wallet.precheck(bill)
    breakAtCommit('before', goAway)
    expect((await wallet.confirm(bill)).state).toBe('unanswered')
    expect(wallet.mails).toHaveLength(2)
    vi.restoreAllMocks()
    const { expiresAt } = await stored(id)
    await later(expiresAt.getTime() - kassa.clock.now().getTime() + 16 * MINUTE_MS)
    expect(await statusOf(id)).toBe('status_unknown')
  })

  test('that goes away after the proof is stored and before it is applied: it is kept, and applied later', async () => {
    const { wallet, open, statusOf, later, takenOf } = scene
    const { id, bill } = await open()
    goAwayAfterProof()
    expect((await wallet.confirm(bill)).state).toBe('kept')
    vi.restoreAllMocks()
    expect(await statusOf(id)).toBe('pending_redirect')
    await later(2 * MINUTE_MS)
    expect([await statusOf(id), (await takenOf(id)).length]).toEqual(['paid', 1])
  })
})

/** Once, before the payment is locked for a proof. */
function beforeLock(then: () => Promise<unknown>): void {
  let isOver = false
  connecting(async (connect) =>
    tapped(await connect(), async (query, args) => {
      if (args[0] === 'begin' && !isOver) {
        isOver = true
        await then()
      }
      return query(...args)
    }),
  )
}

describe('the merchant cancels while a confirmation arrives', () => {
  test('after the look at the payment, and before the proof is stored: the money goes back', async () => {
    const { kassa, shop, wallet, open, statusOf, warningsOf } = scene
    const { id, bill } = await open()
    await wallet.precheck(bill)
    let cancelled = 0
    beforeLock(async () => {
      cancelled = (await cancelPayment(kassa.url, shop, id, { key: `cancel-${id}` })).status
    })
    expect([(await wallet.confirm(bill)).state, cancelled]).toEqual(['returned', 201])
    vi.restoreAllMocks()
    expect(await statusOf(id)).toBe('cancelled')
    expect(await warningsOf(id)).toContain('the payment was cancelled')
  })

  test('after the proof is stored, and before it is applied: the payment cannot be cancelled', async () => {
    const { kassa, shop, wallet, open, statusOf, later } = scene
    const { id, bill } = await open()
    goAwayAfterProof()
    expect((await wallet.confirm(bill)).state).toBe('kept')
    vi.restoreAllMocks()
    expect((await cancelPayment(kassa.url, shop, id, { key: `cancel-${id}` })).status).toBe(503)
    await later(2 * MINUTE_MS)
    expect(await statusOf(id)).toBe('paid')
  })
})

test('a confirmation that may be stored is not given back when it is repeated while the database is away', async () => {
  const { wallet, open, later, statusOf } = scene
  const { id, bill } = await open()
  breakAtCommit('after', goAway)
  const first = await wallet.confirm(bill)
  const again = await wallet.confirm(bill, { id: first.id })
  expect([first.state, again.state]).toEqual(['unanswered', 'unanswered'])
  vi.restoreAllMocks()
  await later(2 * MINUTE_MS)
  expect(await statusOf(id)).toBe('paid')
})

describe('after a restore', () => {
  let restored: IdramScene
  beforeAll(async () => {
    restored = await setIdramScene()
  })
  afterAll(() => restored.close())

  test('a bill that could be paid in the lost hours is left to a person, and a new one ends by itself', async () => {
    const { kassa, wallet, open, statusOf, stored, later, warningsOf } = restored
    const [old, questioned, confirmed] = [await open(), await open(), await open()]
    const backupAt = new Date(kassa.clock.now().getTime() + 1_000)
    await later(HOUR_MS)
    const restoredAt = kassa.clock.now()
    await inTransaction(kassa.ctx.db, (tx) =>
      markRestored(tx, 'sandbox', { backupAt, restoredAt, settledPerHour: 3_600 }),
    )
    kassa.clock.advance(2_000)
    // Somebody may have paid these, so nobody pays them again.
    expect(await wallet.precheck(questioned.bill)).toBe(false)
    expect((await wallet.confirm(confirmed.bill)).state).toBe('returned')
    expect(await warningsOf(confirmed.id)).toContain('a restore has taken from the books')
    await SWEEPS.restoreChecks(kassa.ctx)
    for (const { id } of [old, questioned, confirmed]) expect(await statusOf(id)).toBe('status_unknown')
    const fresh = await open()
    const allowed = await open()
    expect(await wallet.precheck(allowed.bill)).toBe(true)
    const { expiresAt } = await stored(fresh.id)
    await later(expiresAt.getTime() - kassa.clock.now().getTime() + 16 * MINUTE_MS)
    expect([await statusOf(old.id), await statusOf(fresh.id)]).toEqual(['status_unknown', 'expired'])

    // Of a bill that our database has lost no money is kept: nobody could ask for it later.
    const lost = 'a'.repeat(26)
    expect(await wallet.precheck(lost)).toBe(false)
    expect((await wallet.confirm(lost, { amount: '1900.00' })).state).toBe('returned')
  })
})

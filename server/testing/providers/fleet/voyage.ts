/** One payment of the fleet, from its creation to what its shop does with it. What happens is decided by the random numbers alone. */
import type { Opened } from '../../../providers/driver.ts'
import { findPayment } from '../../../storage/payments/payments.ts'
import { askOperation, createSession, sessionRequest } from '../../calls.ts'
import { startCrashingKassa } from '../../processes/crashing-kassa.ts'
import type { Random } from '../../random.ts'
import { deliver, type Fleet, perhapsSpoil, pick, type Ship } from './fleet.ts'

const BUYERS = ['pay', 'pay', 'pay', 'pay', 'decline', 'cancel', null] as const
const TRIES_MAX = 3
const UNITS_MAX = 50_000
/** A process that may die works on an operation for so long at most. */
const WORKS_SECONDS = 2

/** Returns the payment's id; null if the shop could not create it. `number`: of the payment, for its key. */
export async function sail(fleet: Fleet, ship: Ship, random: Random, number: number): Promise<string | null> {
  const { row, shop } = ship
  const key = `fleet-${number}`
  const amountMinor = 100 * random(1, UNITS_MAX)
  const provider = row.hasSteps && random(0, 4) === 0 ? 'route_b' : 'route_a'
  const body = sessionRequest({
    merchantOrderId: key,
    amountMinor,
    provider,
    currency: pick(random, row.currencies),
  })
  let id: string | null = null
  for (let tries = 0; tries < TRIES_MAX && id === null; tries++) {
    perhapsSpoil(ship, random)
    const created = await askMortal(fleet, ship, random, 'creation', (url) =>
      createSession(url, shop, { key, body }),
    )
    if (created && created.status < 300) id = (created.body as { id: string }).id
  }
  if (id === null) return null
  for (let tries = 0; tries < 2; tries++) if (await buy(fleet, ship, random, id)) break
  if (random(0, 3) > 0) await askFor(fleet, ship, random, { id, key, amountMinor })
  return id
}

/** A buyer comes to the provider, and perhaps back. Returns whether he is done. */
async function buy(fleet: Fleet, ship: Ship, random: Random, id: string): Promise<boolean> {
  const { kassa } = fleet
  const { simulator } = ship
  perhapsSpoil(ship, random)
  const does = pick(random, BUYERS)
  const opened = (await openedOf(fleet, ship, id)) ?? (await goOn())
  if (does === null || !opened) return does === null
  // The page of an order that is over takes nothing. The form or the page may also meet a fault on the way.
  await simulator.buyer(opened, does).catch(() => {})
  perhapsSpoil(ship, random)
  await deliver(kassa, ship, random)
  if (random(0, 3) > 0)
    await askMortal(fleet, ship, random, 'return', (url) =>
      fetch(`${url}/checkout/${id}/return`, { redirect: 'manual' }),
    )
  return does === 'pay'

  async function goOn(): Promise<Opened | null> {
    await fetch(`${kassa.url}/checkout/${id}/continue`, { method: 'POST', redirect: 'manual' })
    return openedOf(fleet, ship, id)
  }
}

/** Where the buyer of this payment can pay now; null if nowhere. */
export async function openedOf(
  { kassa }: Pick<Fleet, 'kassa'>,
  { shop }: Pick<Ship, 'shop'>,
  id: string,
): Promise<Opened | null> {
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  const { state, checkoutUrl, form } = payment?.attempt ?? {}
  if (state !== 'open') return null
  if (form) return { kind: 'form', ...form }
  return checkoutUrl ? { kind: 'redirect', url: checkoutUrl } : null
}

/** The shop asks for something, whether it is possible or not. */
async function askFor(
  fleet: Fleet,
  ship: Ship,
  random: Random,
  { id, key, amountMinor }: { id: string; key: string; amountMinor: number },
): Promise<void> {
  // A shop asks for it once the payment is there.
  await fetch(`${fleet.kassa.url}/checkout/${id}/return`, { redirect: 'manual' })
  perhapsSpoil(ship, random)
  const what = pick(random, ['refunds', 'refunds', 'capture', 'void'] as const)
  const part = pick(random, [amountMinor, 100, 100 * Math.ceil(amountMinor / 300)])
  const bodies = {
    refunds: { amountMinor: part, reason: 'returned' },
    capture: pick(random, [{}, { amountMinor: part }]),
    void: { reason: 'returned' },
  }
  const request = { key: `${what}-${key}`, body: bodies[what] }
  await askMortal(fleet, ship, random, 'operation', (url, isMortal) =>
    askOperation(url, ship.shop, id, what, { ...request, waitSeconds: isMortal ? WORKS_SECONDS : 0 }),
  )
}

const POINTS = {
  creation: [
    'after insert_payment',
    'before note_opening_sent',
    'after note_opening_sent',
    'before finish_opening',
    'after finish_opening',
    'before answer',
  ],
  operation: [
    'after insert_operation',
    'before mark_operation_sent',
    'after mark_operation_sent',
    'before write_entries',
    'before update_operation',
    'after update_operation',
  ],
  return: ['after claim_finalizing', 'before write_entries', 'after write_entries', 'before answer'],
} as const
/** Of 16 processes that work on something one dies. */
const ONE_OF = 16
/** The lease of the dead ends after so long. */
const LEASE_SECONDS = 4

/** Asks the service at an address. If its process `isMortal`, it may die meanwhile, and the answer is null. The other processes go on. */
async function askMortal<Answer>(
  { kassa }: Fleet,
  ship: Ship,
  random: Random,
  what: keyof typeof POINTS,
  ask: (url: string, isMortal: boolean) => Promise<Answer>,
): Promise<Answer | null> {
  if (random(0, ONE_OF) > 0) return ask(kassa.url, false)
  const crash = { at: pick(random, POINTS[what]), nth: random(1, 3) }
  const { databaseUrl, clock } = kassa
  const dying = await startCrashingKassa({
    databaseUrl,
    clock,
    bankUrl: '',
    crash,
    leaseSeconds: LEASE_SECONDS,
    sweep: 'moneyOperations',
  })
  const answer = await ask(dying.url, true).catch(() => null)
  if (dying.reached() !== null) ship.deaths += 1
  await dying.kill()
  return answer
}

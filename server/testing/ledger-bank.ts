/** A provider with books of its own, whose answers a test may bend: it acts or not, and says so or not. */
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { ProviderRoute } from '../contract/fields.ts'
import { plainReply } from '../providers/driver/inbound.ts'
import type { Attempt, Driver, LookUpResult, MoneyWrite, Snapshot, WriteResult } from '../providers/driver.ts'

/**
 * `lose`: acts, and the answer is lost. `drop`: does not act, and the answer is lost. `refuse`: says no. `take_on`: pending, until
 * the test says more. `lie`: says that it did it, and did not. `wrong`: moves one minor unit less than it was told.
 */
export type Bend = 'lose' | 'drop' | 'refuse' | 'take_on' | 'lie' | 'wrong'

export type Ledger = {
  orders: Map<string, Snapshot>
  /** Every write that came in, in order: method, amount and key. */
  writes: { method: string; amountMinor: number; key: string }[]
  /** For the next writes, in order; then it does as it is told and says so. */
  bends: Bend[]
  /** While set, it cannot be asked. */
  away: boolean
  /** What the buyer, or the bank by itself, makes of an order: its new status and amounts. */
  move(reference: string, change: Partial<Snapshot>): void
  /** Runs before a write is acted on, and before a question is answered: for what happens meanwhile. */
  meanwhile: () => Promise<void>
  whileAsked: () => Promise<void>
}

/** With `keyed` it does a write once under its key, and forgets the key after this time. */
const KEY_LIFETIME_MS = 24 * 3_600_000

type Act = (order: Snapshot, amountMinor: number) => Partial<Snapshot>

const ACTS: Record<'refund' | 'capture' | 'void', Act> = {
  refund(order, amountMinor) {
    const refundedMinor = order.refundedMinor + amountMinor
    return { refundedMinor, status: refundedMinor < order.capturedMinor ? 'partially_refunded' : 'refunded' }
  },
  capture: (_, amountMinor) => ({ capturedMinor: amountMinor, status: 'paid' }),
  void: () => ({ status: 'reversed' }),
}

/**
 * Puts the provider into a route of this context. Its buyers consent at once: an order is born `status`; `pending_payment`
 * waits for the test to move it. Its callbacks carry the reference as their whole body, and all are genuine.
 */
export function openLedger(
  ctx: Context,
  {
    route = 'route_a',
    keyed = false,
    status = 'paid',
  }: { route?: ProviderRoute; keyed?: boolean; status?: 'paid' | 'authorized' | 'pending_payment' } = {},
): Ledger {
  const nothing = async () => {}
  const ledger: Ledger = {
    orders: new Map(),
    writes: [],
    bends: [],
    away: false,
    meanwhile: nothing,
    whileAsked: nothing,
    move(reference, change) {
      const order = ledger.orders.get(reference)
      if (order) ledger.orders.set(reference, { ...order, ...change })
    },
  }
  /** When each key was first used. */
  const seen = new Map<string, number>()
  const remembers = (key: string) => ctx.clock.now().getTime() - (seen.get(key) ?? 0) < KEY_LIFETIME_MS
  const write =
    (method: keyof typeof ACTS) =>
    async (_: unknown, { reference, amountMinor, key }: MoneyWrite): Promise<WriteResult> => {
      ledger.writes.push({ method, amountMinor, key })
      await ledger.meanwhile()
      const bend = ledger.bends.shift()
      const order = ledger.orders.get(reference)
      if (!order || bend === 'refuse') return { kind: 'refused', message: 'the bank says no' }
      if (keyed && remembers(key)) return { kind: 'done' }
      if (bend === 'take_on') {
        ledger.orders.set(reference, { ...order, refundPendingMinor: amountMinor })
        return { kind: 'pending', operationId: `bank-${key}` }
      }
      if (bend !== 'drop' && bend !== 'lie') {
        const acted = ACTS[method](order, bend === 'wrong' ? amountMinor - 1 : amountMinor)
        ledger.orders.set(reference, { ...order, ...acted })
        if (!remembers(key)) seen.set(key, ctx.clock.now().getTime())
      }
      if (bend === 'lose' || bend === 'drop') throw new Error('the connection was reset')
      return { kind: 'done', operationId: `bank-${key}` }
    }
  const driver: Driver = {
    label: 'Ledger',
    currencies: ['USD'],
    liveCapable: false,
    supportsAutoinit: true,
    settings: z.object({}),
    ...(keyed && { keyLifetimeMs: KEY_LIFETIME_MS }),
    async startCheckout(_call, { reference, amountMinor, currency }: Attempt) {
      const held = {
        authorizedMinor: status === 'pending_payment' ? 0 : amountMinor,
        capturedMinor: status === 'paid' ? amountMinor : 0,
      }
      ledger.orders.set(reference, { status, reference, amountMinor, currency, ...held, refundedMinor: 0 })
      return { kind: 'redirect', url: `https://bank.example/${reference}` }
    },
    async lookUp(_call, { reference }): Promise<LookUpResult> {
      if (ledger.away) throw new Error('the connection was refused')
      const snapshot = ledger.orders.get(reference)
      await ledger.whileAsked()
      return snapshot ? { kind: 'found', snapshot } : { kind: 'not_found' }
    },
    inbound: {
      receive: async (_call, { body }) => ({ kind: 'hint', reference: body.toString() }),
      reply: plainReply,
    },
    refund: write('refund'),
    capture: write('capture'),
    void: write('void'),
  }
  ctx.routes[route] = { ...ctx.routes[route], driver }
  return ledger
}

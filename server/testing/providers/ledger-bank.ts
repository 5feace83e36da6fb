/** A simulated provider with its own records. A test can choose whether it carries out a request, and what it responds. */
import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { plainReply } from '../../providers/driver/inbound.ts'
import { AccountRefusedError, RetryLaterError } from '../../providers/driver/refusal.ts'
import type {
  CheckoutRequest,
  Driver,
  Keyed,
  LookUpResult,
  MoneyWrite,
  NamedRefund,
  Snapshot,
  WriteResult,
} from '../../providers/driver.ts'

/**
 * `lose`: acts, and the response is lost. `drop`: does not act, and the response is lost. `refuse`: rejects. `take_on`: pending until
 * the test decides. `lie`: reports success without acting. `wrong`: moves one minor unit less than requested. `busy`: rejects
 * for the moment. `restrict`: refuses the account.
 */
export type Bend = 'lose' | 'drop' | 'refuse' | 'take_on' | 'lie' | 'wrong' | 'busy' | 'restrict'

/** Undefined: the provider does not report it any more. */
export type OrderChange = { [Field in keyof Snapshot]?: Snapshot[Field] | undefined }

export type Ledger = {
  orders: Map<string, Snapshot>
  /** Every write that came in, in order: method, amount and key. */
  writes: { method: string; amountMinor: number; key: string }[]
  /** The request ids under which the account was refused. With `keyed` the answer to them stays the same. */
  refusedIds: Set<string>
  /** The faults of the next writes, in order. Later writes succeed. */
  bends: Bend[]
  /** How long it wants everybody to wait when it is busy; null if it does not say. */
  retryAfterMs: number | null
  /** While set, look-ups fail. */
  away: boolean
  /** Changes an order as the buyer or the bank itself would: how it stands, and its amounts. */
  move(reference: string, change: OrderChange): void
  /** Ends the pending requests: carries them out, or drops them. */
  settle(reference: string, isDone: boolean): void
  /** Makes the oldest successful refund fail afterwards. Returns its key; undefined if there is none. */
  undo(reference: string): string | undefined
  /** Runs before each write and each look-up, so that a test can change something in between. */
  meanwhile: () => Promise<void>
  duringLookUp: () => Promise<void>
}

/** What it says when it refuses the account. */
export const RESTRICTED = 'the bank has restricted this account'

/** How long the provider remembers a key. */
export const KEY_LIFETIME_MS = 24 * 3_600_000
export const KEYED: Keyed = {
  refund: KEY_LIFETIME_MS,
  capture: KEY_LIFETIME_MS,
  void: KEY_LIFETIME_MS,
  finishSaving: KEY_LIFETIME_MS,
}

/** Where the buyer pays the order. */
export const checkoutAt = (reference: string) =>
  ({ kind: 'redirect', url: `https://bank.example/${reference}` }) as const

/** The body of a callback is the reference, and every callback is valid. */
export const HINTS: NonNullable<Driver['inbound']> = {
  receive: async (_call, { body }) => ({ kind: 'hint', reference: body.toString() }),
  reply: plainReply,
}

type Act = (order: Snapshot, amountMinor: number) => Partial<Snapshot>

const ACTS: Record<'capture' | 'void', Act> = {
  capture: (_, amountMinor) => ({ capturedMinor: amountMinor, order: 'completed' }),
  void: () => ({ order: 'voided' }),
}

type Options = {
  route?: ProviderRoute
  keyed?: boolean
  named?: boolean
  status?: 'paid' | 'authorized' | 'pending_payment'
}

/** What the provider keeps besides the public ledger. */
type Bank = {
  ctx: Context
  ledger: Ledger
  keyed: boolean
  named: boolean
  refunds: Map<string, NamedRefund[]>
  /** When each key was first used. */
  seen: Map<string, number>
}

/**
 * Puts the provider into a route of this context. Its buyers consent at once: a payment becomes `status`. With
 * `pending_payment` the test must move the order. `keyed`: it does a write once under its key, and forgets the key after
 * KEY_LIFETIME_MS. `named`: the provider reports each refund under our key.
 */
export function openLedger(
  ctx: Context,
  { route = 'route_a', keyed = false, named = false, status = 'paid' }: Options = {},
): Ledger {
  const nothing = async () => {}
  const ledger: Ledger = {
    orders: new Map(),
    writes: [],
    refusedIds: new Set(),
    bends: [],
    retryAfterMs: null,
    away: false,
    meanwhile: nothing,
    duringLookUp: nothing,
    move(reference, change) {
      const order = ledger.orders.get(reference)
      if (order) ledger.orders.set(reference, Object.assign({}, order, change))
    },
    settle: (reference, isDone) => void changeRefund(bank, reference, 'pending', isDone ? 'done' : 'failed'),
    undo: (reference) => changeRefund(bank, reference, 'done', 'failed'),
  }
  const bank: Bank = { ctx, ledger, keyed, named, refunds: new Map(), seen: new Map() }
  ctx.routes[route] = { ...ctx.routes[route], driver: driverOf(bank, status) }
  return ledger
}

function driverOf(bank: Bank, status: NonNullable<Options['status']>): Driver {
  const { ledger, keyed } = bank
  return {
    label: 'Ledger',
    mark: 'card',
    currencies: ['USD'],
    liveCapable: false,
    supportsAutoinit: true,
    settings: z.object({}),
    ...(keyed && { keyed: () => KEYED }),
    async startCheckout(_call, { reference, amountMinor, currency }: CheckoutRequest) {
      const held = {
        authorizedMinor: status === 'pending_payment' ? 0 : amountMinor,
        capturedMinor: status === 'paid' ? amountMinor : 0,
      }
      const order = status === 'pending_payment' ? 'reached' : 'completed'
      ledger.orders.set(reference, { order, reference, amountMinor, currency, ...held, refundedMinor: 0 })
      return checkoutAt(reference)
    },
    async lookUp(_call, { reference }): Promise<LookUpResult> {
      if (ledger.away) throw new Error('the connection was refused')
      const snapshot = ledger.orders.get(reference)
      await ledger.duringLookUp()
      return snapshot ? { kind: 'found', snapshot } : { kind: 'not_found' }
    },
    inbound: HINTS,
    refund: (_call, given) => write(bank, 'refund', given),
    capture: (_call, given) => write(bank, 'capture', given),
    void: (_call, given) => write(bank, 'void', given),
  }
}

/** Adds to the refunded and the pending sum of an order, and writes its refunds into its snapshot. */
function book(bank: Bank, reference: string, refundedMinor: number, pendingMinor: number): void {
  const { ledger, named, refunds } = bank
  const order = ledger.orders.get(reference)
  if (!order) return
  ledger.move(reference, {
    refundedMinor: order.refundedMinor + refundedMinor,
    refundPendingMinor: (order.refundPendingMinor ?? 0) + pendingMinor,
    ...(named && { refunds: (refunds.get(reference) ?? []).map((each) => ({ ...each })) }),
  })
}

function addRefund(bank: Bank, reference: string, refund: NamedRefund): void {
  bank.refunds.set(reference, [...(bank.refunds.get(reference) ?? []), refund])
  const { amountMinor, state } = refund
  book(bank, reference, state === 'done' ? amountMinor : 0, state === 'pending' ? amountMinor : 0)
}

/** Changes the state of the oldest refund that is in the state `from`. Returns the key of that refund. */
function changeRefund(
  bank: Bank,
  reference: string,
  from: NamedRefund['state'],
  to: NamedRefund['state'],
): string | undefined {
  const refund = bank.refunds.get(reference)?.find(({ state }) => state === from)
  if (!refund) return undefined
  refund.state = to
  const amountOf = (state: NamedRefund['state']) =>
    (to === state ? refund.amountMinor : 0) - (from === state ? refund.amountMinor : 0)
  book(bank, reference, amountOf('done'), amountOf('pending'))
  return refund.key
}

async function write(
  bank: Bank,
  method: 'refund' | 'capture' | 'void',
  { reference, amountMinor, key, refusedTimes = 0 }: MoneyWrite,
): Promise<WriteResult> {
  const { ctx, ledger, keyed, seen } = bank
  const remembers = () => ctx.clock.now().getTime() - (seen.get(key) ?? 0) < KEY_LIFETIME_MS
  ledger.writes.push({ method, amountMinor, key })
  await ledger.meanwhile()
  const bend = ledger.bends.shift()
  if (bend === 'busy') {
    const { retryAfterMs } = ledger
    const headers = retryAfterMs === null ? {} : { 'retry-after': String(retryAfterMs / 1_000) }
    throw new RetryLaterError('the bank answered 429', headers)
  }
  const requestId = `${key}-${refusedTimes}`
  if (bend === 'restrict' || (keyed && ledger.refusedIds.has(requestId))) {
    ledger.refusedIds.add(requestId)
    throw new AccountRefusedError('account', RESTRICTED)
  }
  const order = ledger.orders.get(reference)
  if (!order || bend === 'refuse') return { kind: 'refused', message: 'the bank says no', refusal: 'order' }
  if (keyed && remembers()) return { kind: 'done' }
  if (bend === 'take_on') {
    if (method === 'refund') addRefund(bank, reference, { key, amountMinor, state: 'pending' })
    return { kind: 'pending', operationId: `bank-${key}` }
  }
  if (bend !== 'drop' && bend !== 'lie') {
    const actedMinor = bend === 'wrong' ? amountMinor - 1 : amountMinor
    if (method === 'refund') addRefund(bank, reference, { key, amountMinor: actedMinor, state: 'done' })
    else ledger.orders.set(reference, { ...order, ...ACTS[method](order, actedMinor) })
    if (!remembers()) seen.set(key, ctx.clock.now().getTime())
  }
  if (bend === 'lose' || bend === 'drop') throw new Error('the connection was reset')
  return { kind: 'done', operationId: `bank-${key}` }
}

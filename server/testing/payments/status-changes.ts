/**
 * Creates many payments and status changes fast, in the process of the test and without HTTP. Also lists the tables of statuses in the
 * database, to compare with those of the code.
 */
import type { Context } from '../../context.ts'
import { newSharedId } from '../../id.ts'
import { createSession } from '../../payments/creation/session.ts'
import { applyStatus } from '../../payments/transition.ts'
import type { Queryable } from '../../storage/db.ts'
import { sessionRequest } from '../calls.ts'

const AMOUNT = 1900
const HELD = { authorizedMinor: AMOUNT, capturedMinor: 0, refundedMinor: 0 }
const TAKEN = { authorizedMinor: AMOUNT, capturedMinor: AMOUNT, refundedMinor: 0 }
/** The status changes of one payment. Each is one event. */
const LIFE = [
  { to: 'pending_payment' },
  { to: 'authorized', money: HELD },
  { to: 'paid', money: TAKEN },
  { to: 'disputed', money: TAKEN },
] as const
export const CHANGES_EACH = LIFE.length

/** Creates a payment and changes its status `steps` times. Returns its id. `onOrder` is called first, with its order reference. */
export async function livePayment(
  ctx: Context,
  merchantId: string,
  steps: number = CHANGES_EACH,
  onOrder: (order: string, merchantId: string) => void = () => {},
): Promise<string> {
  const key = newSharedId('req', ctx.clock.now())
  onOrder(key, merchantId)
  const request = sessionRequest({ merchantOrderId: key, provider: 'manual', amountMinor: AMOUNT })
  const { session } = await createSession(ctx, { merchantId, idempotencyKey: key, request })
  for (const step of LIFE.slice(0, steps)) {
    const { outcome } = await applyStatus(ctx, { merchantId, id: session.id }, { ...step, cause: 'provider' })
    if (outcome !== 'changed') throw new Error(`${session.id} did not become ${step.to}: ${outcome}`)
  }
  return session.id
}

/** Creates many payments, spread over the merchants, `atOnce` at a time. */
export async function livePayments(
  ctx: Context,
  merchantIds: string[],
  {
    payments,
    atOnce = 50,
    steps = CHANGES_EACH,
    onOrder,
  }: {
    payments: number
    atOnce?: number
    steps?: number
    onOrder?: (order: string, merchantId: string) => void
  },
): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < payments)
      await livePayment(ctx, merchantIds[next++ % merchantIds.length] ?? '', steps, onOrder)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, payments) }, work))
}

type Table = 'payment' | 'operation' | 'fiscal' | 'receipt'

/** Returns each pair of the sandbox's table as `from to`, sorted. */
export async function listTransitions(db: Queryable, table: Table): Promise<string[]> {
  const { rows } = await db.query<{ pair: string }>(
    `select from_status || ' ' || to_status as pair from sandbox.${table}_transitions`,
  )
  return rows.map(({ pair }) => pair).sort()
}

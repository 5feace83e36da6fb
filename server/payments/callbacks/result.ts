/**
 * A provider tells in a callback how a refund or a capture ended, and tells it nowhere else.
 * Rule: it is accepted only once it is stored, and then added to what the provider answers about the order. After a crash in between the
 * worker asks, so nothing is lost.
 */
import type { Context } from '../../context.ts'
import type { OrderEvent } from '../../providers/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import { wakeAttempt } from '../../storage/payments/attempts.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import {
  listWriteResults,
  storeWriteResult,
  wakePendingOperations,
} from '../../storage/payments/provider-orders.ts'
import { warn } from '../attempts/warning.ts'
import {
  isSameWrite,
  laterState,
  listOurWrites,
  mergeResults,
  withBothNames,
} from '../attempts/write-results.ts'

type ResultEvent = Extract<OrderEvent, { kind: 'result' }>

/** Stores the result. Returns false for one that cannot be: a person learns of it, and to send it again is useless. */
export async function storeResult(
  ctx: Context,
  payment: AttemptedPayment,
  event: ResultEvent,
): Promise<boolean> {
  const misfit = findMisfit(payment, event) ?? (await store(ctx, payment, event))
  if (misfit) await warn(ctx, payment, `the provider reports a ${event.write} that cannot be: ${misfit}`)
  return misfit === null
}

function findMisfit(
  { currency, attempt }: AttemptedPayment,
  { key, id, amountMinor, currency: reportedCurrency }: ResultEvent,
): string | null {
  if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0) return `its amount is ${amountMinor}`
  if (reportedCurrency !== currency) return `it is in ${reportedCurrency}`
  if (!key && !id) return 'it has no name'
  return attempt.state === 'planned' ? 'nobody has opened the order' : null
}

/** Two results under one name are about one write, also if one has only our name of it and the other only the provider's. */
async function store(
  ctx: Context,
  { merchantId, id: paymentId, attempt }: AttemptedPayment,
  { write, state, amountMinor, key, id }: ResultEvent,
): Promise<string | null> {
  return inTransaction<string | null>(ctx.db, async (tx) => {
    await lockPayment(tx, merchantId, paymentId)
    const ours = await listOurWrites(tx, attempt)
    const named = withBothNames({ write, key: key ?? null, providerId: id ?? null }, ours)
    const merged = mergeResults(await listWriteResults(tx, attempt), ours)
    const known = merged.filter((each) => isSameWrite(each, named))
    const other = known.find((each) => each.amountMinor !== amountMinor)
    if (other) return `${other.name} was ${other.amountMinor} before, and is ${amountMinor} now`
    const name = known[0]?.name ?? id ?? key ?? ''
    const now = ctx.clock.now()
    const last = known.reduce((latest, each) => laterState(each.state, latest), state)
    await storeWriteResult(tx, attempt, { ...named, name, state: last, amountMinor }, now)
    await wakePendingOperations(tx, attempt, now)
    // If this process dies before it has asked, the worker asks.
    await wakeAttempt(tx, attempt, now)
    return null
  })
}

/**
 * Money that a second attempt of a payment has brought. The payment does not need it, so it goes back to the buyer by itself where
 * the account may refund, else an operator is warned. The payment's status, sums, receipts and events stay as they are.
 * Rule: `returnedAt` is stored before the provider is told. After that the provider is told again only while it still knows the
 * key and its books say that nothing was done.
 */
import type { Context } from '../../context.ts'
import type { Snapshot, WriteResult } from '../../providers/driver.ts'
import { wasNothingSent } from '../../providers/http.ts'
import type { Account } from '../../providers/registry.ts'
import { noteReturnedAttempt } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { refusalOf } from '../capability.ts'
import { statusOf } from '../derived-status.ts'
import { refundableOf } from '../operation.ts'
import { callProvider, explainCallFailure } from '../provider-call.ts'
import { openRestore } from '../restored.ts'

const WRITE_TIMEOUT_MS = 20_000

/** `warn` stores what an operator has to know, once. The attempt is `payment.attempt`; the answer is its provider's. */
export async function returnMoney(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  snapshot: Snapshot,
  warn: (detail: string) => Promise<void>,
): Promise<void> {
  const { authorizedMinor, capturedMinor } = snapshot
  const name = capturedMinor > 0 ? 'refund' : 'void'
  const left = capturedMinor > 0 ? refundableOf(snapshot) : authorizedMinor
  await warn(
    `attempt ${payment.attempt.number} (${payment.attempt.reference}) brought money besides the payment's own`,
  )
  if (left === 0 || ['reversed', 'disputed'].includes(statusOf(snapshot))) return
  // The books may be older than what was sent back. The provider is asked about this attempt again.
  if (await openRestore(ctx)) return
  const refusal = refusalOf(account, name)
  if (refusal) {
    await warn(`give the money of attempt ${payment.attempt.number} back at the provider: ${refusal}`)
    return
  }
  const now = ctx.clock.now()
  if (payment.attempt.returnedAt && !maySendAgain(account, payment.attempt.returnedAt, now)) {
    await warn(
      `the provider was told to give the money of attempt ${payment.attempt.number} back, and has not done it`,
    )
    return
  }
  const first = payment.attempt.returnedAt === null
  if (first && !(await noteReturnedAttempt(ctx.db, payment.attempt, now))) return
  const sendUntil = new Date(now.getTime() + WRITE_TIMEOUT_MS)
  const result = await send(ctx, account, payment, { name, amountMinor: left, snapshot, sendUntil })
  if (result.kind === 'unsent' && first)
    await noteReturnedAttempt(ctx.db, { ...payment.attempt, returnedAt: now }, null)
  if (result.kind === 'refused')
    await warn(`the provider did not give back attempt ${payment.attempt.number}: ${result.message}`)
  ctx.log.info(
    { paymentId: payment.id, attempt: payment.attempt.number, result: result.kind },
    'second money sent back',
  )
}

/** The provider forgets a key after its lifetime. */
function maySendAgain({ driver: { keyLifetimeMs = 0 } }: Account, toldAt: Date, now: Date): boolean {
  return now.getTime() - toldAt.getTime() < keyLifetimeMs - 2 * WRITE_TIMEOUT_MS
}

type Return = { name: 'refund' | 'void'; amountMinor: number; snapshot: Snapshot; sendUntil: Date }

async function send(
  ctx: Context,
  account: Account,
  { id, currency, attempt: { reference, providerState: state } }: AttemptedPayment,
  { name, amountMinor, snapshot, sendUntil }: Return,
): Promise<WriteResult | { kind: 'unsent' }> {
  const write = account.driver[name]
  if (!write) return { kind: 'refused', message: `the driver has no ${name}` }
  // One key for each attempt, so that a provider with keys acts once.
  const told = { reference, state, key: `${reference}-return`, amountMinor, currency, before: snapshot }
  try {
    const calling = { timeoutMs: WRITE_TIMEOUT_MS, sendUntil, about: id }
    return await callProvider(ctx, account, calling, (call) => write(call, { ...told, reason: 'paid twice' }))
  } catch (error) {
    if (wasNothingSent(error)) return { kind: 'unsent' }
    return { kind: 'unknown', message: explainCallFailure(ctx, error, { account: account.id, about: id }) }
  }
}

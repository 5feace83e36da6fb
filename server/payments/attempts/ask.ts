/**
 * One question to the provider about an order. The answer is not applied here. An order whose provider cannot be asked is known only
 * from the proofs that the provider has sent by itself.
 */
import { isNotOurs } from '../../accounts/refusal.ts'
import { noteUnknownWords } from '../../accounts/unknown-words.ts'
import type { Context } from '../../context.ts'
import type { Driver, LookUpAnswer, LookUpResult, Snapshot } from '../../providers/driver.ts'
import type { GateLane } from '../../providers/http.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { readProven } from '../../storage/payments/provider-orders.ts'
import { withKnownWork } from '../derived-status.ts'
import { countNamed, listRepeated } from '../named-refund.ts'
import { callProvider, explainCallFailure, limitsOfQuestion } from '../provider-call.ts'
import { PROOF_WAIT_MS } from '../question-schedule.ts'
import { mayBePaidUnseen } from '../restored.ts'
import { withKnownDisputes } from './attempt.ts'
import { weighDoubt } from './doubt.ts'
import { orderOf } from './provider-order.ts'
import { NOT_YET, takeTurn } from './turn.ts'
import { warn } from './warning.ts'
import { withResults } from './write-results.ts'

/**
 * Asks the provider at once, however recent the last question was. A question that times out or fails returns `unavailable`. So does
 * one whose answer nobody can read, or that does not know an order that it must know: a person learns of these.
 * In a found snapshot the refunds that the provider names are counted. `isBuyerBack`: the buyer's return asks. `lane`: by
 * default somebody known waits for the answer. `mayBeTaken`: the provider may have the reference for an order that our database has lost.
 */
export async function askProvider(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  {
    isBuyerBack = false,
    lane = 'buyer',
    mayBeTaken = false,
  }: { isBuyerBack?: boolean; lane?: GateLane | undefined; mayBeTaken?: boolean } = {},
): Promise<LookUpResult> {
  const { driver } = account
  if (!driver.lookUp)
    return withResults(ctx, account, payment.attempt, await answerOfProofs(ctx, account, payment))
  if (!(await takeTurn(ctx, account.id, { lane, isQuestion: true })))
    return { kind: 'unavailable', message: NOT_YET }
  const order = { ...(await orderOf(ctx, payment.attempt)), ...(isBuyerBack && { isBuyerBack }) }
  try {
    const asking = limitsOfQuestion(account, payment.id, lane)
    const answer = await callProvider(ctx, account, asking, async (call) => driver.lookUp?.(call, order))
    if (!answer) return { kind: 'unavailable', message: 'this provider cannot be asked' }
    const report = withSnapshot(answer, { reference: order.reference, ...payment })
    const found = await withResults(ctx, account, payment.attempt, report)
    const weighed = await weighDoubt(ctx, account, payment, { answer: found })
    if (found.kind !== 'found') return weighed
    for (const detail of listRepeated(found.snapshot)) await warn(ctx, payment, detail)
    const { unknownWords = [], doubts = [] } = found.snapshot
    await noteUnknownWords(ctx, account, unknownWords, payment.id)
    for (const detail of doubts) await warn(ctx, payment, detail)
    return {
      ...found,
      snapshot: withKnownWork(withKnownDisputes(countNamed(found.snapshot), payment), payment),
    }
  } catch (error) {
    const message = explainCallFailure(ctx, error, { account: account.id, about: payment.id })
    if (mayBeTaken && isNotOurs(error)) return { kind: 'unavailable', message, isTaken: true }
    return weighDoubt(ctx, account, payment, { answer: { kind: 'unavailable', message }, error })
  }
}

/** An order that nobody has paid has the amount and the currency with which it was opened. */
export function withSnapshot(
  answer: LookUpAnswer,
  { reference, amountMinor, currency }: Pick<Snapshot, 'reference' | 'amountMinor' | 'currency'>,
): LookUpResult {
  if (answer.kind !== 'unpaid') return answer
  const { order, unknownWords, kind: _, ...rest } = answer
  const money = { amountMinor, currency, authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
  return {
    ...rest,
    kind: 'found',
    snapshot: { order, reference, ...money, ...(unknownWords && { unknownWords }) },
  }
}

/** Whether anything can tell how an order of this driver stands: the provider when it is asked, or what it has proven by itself. */
export function isAnswered({ lookUp, inbound }: Pick<Driver, 'lookUp' | 'inbound'>): boolean {
  return (lookUp ?? inbound) !== undefined
}

/** Whether the provider said everything that it may tell us. If it did not, it is asked again soon. */
export function isComplete(answer: LookUpResult): boolean {
  return answer.kind === 'found' ? answer.snapshot.disputesUnknown !== 'away' : answer.kind === 'not_found'
}

/** How long a payment that may still be paid for weeks waits for the proof, from the allowed pre-check on. */
const ALLOWED_WAIT_MS = 24 * 3_600_000

/**
 * Returns what is known of the order of a provider that cannot be asked. Nobody may pay after the payment's expiry, but a buyer who was
 * allowed to pay before may have paid. If no proof comes of that, or none within a day, a person looks at the provider. A person also looks,
 * at once, if the order could be paid in the time that a restore has taken from our database.
 */
async function answerOfProofs(
  ctx: Context,
  { driver }: Account,
  payment: AttemptedPayment,
): Promise<LookUpResult> {
  const unavailable = { kind: 'unavailable', message: 'this provider cannot be asked' } as const
  if (!driver.inbound) return unavailable
  const { attempt, expiresAt } = payment
  const { allowedAt, proof } = await readProven(ctx.db, attempt)
  if (proof !== null) return { kind: 'found', snapshot: proof as Snapshot }
  if (await mayBePaidUnseen(ctx, payment)) return unclear(payment, PAID_UNSEEN)
  // Its buyer has left it: no pre-check was allowed, and none will be.
  if (attempt.state === 'withdrawn' && allowedAt === null) return { kind: 'not_found' }
  const now = ctx.clock.now().getTime()
  // A payment link may live for months. A buyer who has paid on its first day is not kept waiting for so long.
  const allowedUntil = allowedAt === null ? Number.POSITIVE_INFINITY : allowedAt.getTime() + ALLOWED_WAIT_MS
  const endsAt = Math.min(expiresAt.getTime(), allowedUntil)
  if (now < endsAt) return unavailable
  if (allowedAt === null) return { kind: 'not_found' }
  return now < endsAt + PROOF_WAIT_MS ? unavailable : unclear(payment, NEVER_PROVEN)
}

const PAID_UNSEEN =
  'the order could be paid in the hours that a restore has taken from the books, and the provider cannot be asked: look there'
const NEVER_PROVEN =
  'the provider asked whether the order may be paid, and never said whether it was: look there'

function unclear({ attempt, amountMinor, currency }: AttemptedPayment, detail: string): LookUpResult {
  const money = { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
  const { reference } = attempt
  return { kind: 'found', snapshot: { order: 'unclear', reference, amountMinor, currency, ...money, detail } }
}

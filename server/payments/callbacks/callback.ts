/**
 * A provider tells us by itself that something has happened to an order or a saved method, asks whether an order may be paid, or
 * proves that it was paid. The driver checks who is speaking; after the outcome has been stored, the driver says what the provider reads.
 * Rule: a hint changes nothing by itself: the provider is asked. A proof counts only where the provider cannot be asked.
 */
import { noteCallback } from '../../accounts/callbacks-seen.ts'
import { findAccount } from '../../accounts/choice.ts'
import { isWrongMode } from '../../accounts/wrong-mode.ts'
import type { Context } from '../../context.ts'
import type {
  InboundEvent,
  InboundVerdict,
  OrderEvent,
  RawInbound,
  RawReply,
} from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { findAttemptByReference, wakeAttempt } from '../../storage/payments/attempts.ts'
import { type AttemptedPayment, withAttempt } from '../../storage/payments/payment.ts'
import { findPaymentAttempt } from '../../storage/payments/payments.ts'
import { updateProviderState } from '../../storage/payments/provider-orders.ts'
import { askProvider, isComplete } from '../attempts/ask.ts'
import { nameOf, runSharedQuestion } from '../attempts/in-flight.ts'
import { askAboutAttempt } from '../attempts/question.ts'
import { callProvider } from '../provider-call.ts'
import { noteLostOrder } from '../restored/lost-order.ts'
import { takeMethodHint } from '../saved-methods/hint.ts'
import { mayBeKept } from './kept.ts'
import { takePrecheck, takeProof } from './proof.ts'
import { storeResult } from './result.ts'

const RECEIVE_TIMEOUT_MS = 10_000
type GenuineEvent = Exclude<InboundEvent, { kind: 'rejected' }>
/** A message of several parts gets the first verdict that one of its parts has. */
const BY_WEIGHT: readonly InboundVerdict[] = ['not_stored', 'unsure', 'accepted']
const UNREAD: InboundEvent = { kind: 'hint', reference: '' }

/** Returns whether there is such an account, retired or not, and its driver takes callbacks. */
export async function takesCallbacks(ctx: Context, accountId: string): Promise<boolean> {
  return (await findAccount(ctx, accountId))?.driver.inbound !== undefined
}

/** Why a callback had no effect, for the log. `isGenuine`: false if the provider is not proved to have sent it. */
export type CallbackProblem = { isGenuine: boolean } & ({ why: string } | { error: unknown })

/**
 * Handles a call to `/callbacks/{accountId}`, of a retired account too. Returns the reply for the provider; null if there is no
 * such account, or its driver takes no callbacks.
 */
export async function takeCallback(
  ctx: Context,
  accountId: string,
  raw: RawInbound,
): Promise<{ reply: RawReply; problem?: CallbackProblem } | null> {
  const account = await findAccount(ctx, accountId)
  const { inbound } = account?.driver ?? {}
  if (!account || !inbound) return null
  // Anybody can send one, and the provider alone may be able to tell who did. The schedule asks in any case.
  const calling = { lane: 'stranger', timeoutMs: RECEIVE_TIMEOUT_MS, about: null } as const
  let event = UNREAD
  try {
    event = await callProvider(ctx, account, calling, (call) => inbound.receive(call, raw))
    if (event.kind === 'rejected')
      return { reply: inbound.reply(event, 'refused'), problem: { isGenuine: false, why: event.message } }
    const verdict = await handle(ctx, account, event)
    if (verdict === 'accepted') await noteSeen(ctx, account)
    return { reply: inbound.reply(event, verdict) }
  } catch (error) {
    const isGenuine = event !== UNREAD
    // Sent again, it would be of the other mode again.
    const wrongMode = isWrongMode(error) && ({ kind: 'rejected', message: error.message } as const)
    if (wrongMode)
      return { reply: inbound.reply(wrongMode, 'refused'), problem: { isGenuine, why: wrongMode.message } }
    const parts = event.kind === 'several' ? event.events : [event]
    const isKept = parts.some((each) => each.kind !== 'rejected' && mayBeKept(ctx, account, each))
    return { reply: inbound.reply(event, isKept ? 'unsure' : 'not_stored'), problem: { isGenuine, error } }
  }
}

/** An accepted callback stays accepted. With another reply the provider would send it again, or give the money back. */
async function noteSeen(ctx: Context, account: Account): Promise<void> {
  try {
    await noteCallback(ctx, account)
  } catch (error) {
    ctx.log.warn({ accountId: account.id, err: error }, 'the time of a callback is not noted')
  }
}

/** A repeated, old or late event does no harm. */
async function handle(ctx: Context, account: Account, event: GenuineEvent): Promise<InboundVerdict> {
  if (event.kind !== 'several') return handleOne(ctx, account, event)
  // One after the other: a message may tell of the same order twice. If one fails, the whole message is sent again, which does no harm.
  const verdicts: InboundVerdict[] = []
  for (const each of event.events) verdicts.push(await handleOne(ctx, account, each))
  return BY_WEIGHT.find((each) => verdicts.includes(each)) ?? 'refused'
}

async function handleOne(ctx: Context, account: Account, event: OrderEvent): Promise<InboundVerdict> {
  const found = await findAttemptByReference(ctx.db, account.id, event.reference)
  const payment = found && (await findPaymentAttempt(ctx.db, found))
  if (!payment) return takeUnknown(ctx, account, event)
  const line = { paymentId: payment.id, accountId: account.id, kind: event.kind }
  ctx.log.info(line, 'callback received')
  const verdict = await act(ctx, account, payment, event)
  if (verdict === 'refused') ctx.log.warn(line, 'callback refused')
  return verdict
}

async function act(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  event: OrderEvent,
): Promise<InboundVerdict> {
  switch (event.kind) {
    case 'hint':
      return takeHint(ctx, account, await rememberState(ctx, payment, event.state))
    case 'precheck':
      return takePrecheck(ctx, payment, event)
    case 'proof':
      return takeProof(ctx, account, payment, event.snapshot)
    case 'result':
      return (await storeResult(ctx, payment, event)) ? takeHint(ctx, account, payment) : 'refused'
  }
}

/** No payment has this order: it may be about a saved method, or it was lost with the restore of an older backup. */
async function takeUnknown(ctx: Context, account: Account, event: OrderEvent): Promise<InboundVerdict> {
  const verdict = event.kind === 'hint' ? await takeMethodHint(ctx, account, event) : 'refused'
  // An order that our database does not know may not be paid now.
  if (verdict !== 'refused' || event.kind === 'precheck') return verdict
  if (!(await noteLostOrder(ctx, account, event))) return 'refused'
  // Money for which there is no payment is not kept: nobody could ask the provider about it later.
  if (event.kind === 'proof') return 'refused'
  // A result is told once. It can be stored when the merchant has asked for the order again.
  return event.kind === 'result' ? 'not_stored' : 'accepted'
}

async function rememberState(
  ctx: Context,
  payment: AttemptedPayment,
  state: unknown,
): Promise<AttemptedPayment> {
  if (state === undefined || payment.attempt.providerState !== null) return payment
  await updateProviderState(ctx.db, payment.attempt, state)
  return withAttempt(payment, { providerState: state })
}

/** The buyer may come back meanwhile, and then waits for the result. */
function takeHint(ctx: Context, account: Account, payment: AttemptedPayment): Promise<InboundVerdict> {
  return runSharedQuestion(ctx, nameOf(payment), () => askHinted(ctx, account, payment))
}

async function askHinted(ctx: Context, account: Account, payment: AttemptedPayment): Promise<InboundVerdict> {
  const lane = 'schedule'
  const answer = await askProvider(ctx, account, payment, { lane })
  if (answer.kind !== 'unavailable') await askAboutAttempt(ctx, payment, { answer, lane })
  if (!isComplete(answer)) await wakeAttempt(ctx.db, payment.attempt, ctx.clock.now())
  return 'accepted'
}

/**
 * Onboarding: the steps that a merchant must complete before it gets a token for real money.
 * Rule: nobody marks a step as done. Each step is derived from stored facts.
 */
import type { Context } from '../context.ts'
import { AppError, type NextAct } from '../errors.ts'
import type { Queryable } from '../storage/db.ts'
import { type CheckLine, findLatestCallbackCheck } from '../storage/events/callback-checks.ts'
import {
  deleteEvidence,
  type EvidenceRecord,
  type EvidenceStep,
  findSandboxPayment,
  listEvidence,
  type TestPayment,
  upsertEvidence,
} from '../storage/merchants/onboarding.ts'
import { getMerchant } from './merchant.ts'
import { moment } from './moment.ts'
import { ORDER_BOOK_URL } from './order-book-address.ts'
import { listApprovedOrigins } from './origin.ts'
import { listApprovedPages } from './public-page.ts'

const STEPS = ['domain_reviewed', 'callback_verified', 'test_payment'] as const
export type StepName = (typeof STEPS)[number]
/** `next`: the operator's act that closes an open step. Null if the step is done, or if only the merchant can close it. */
export type Step = { step: StepName; title: string; done: boolean; detail: string; next: NextAct | null }
export type Onboarding = { complete: boolean; steps: Step[] }

/** Returns the current state of the merchant's onboarding, in either world. @throws AppError not_found */
export async function getOnboarding(ctx: Context, merchantId: string): Promise<Onboarding> {
  const { callbackUrl } = await getMerchant(ctx, merchantId)
  const evidence = await listEvidence(ctx.db, merchantId)
  const found = (step: EvidenceStep) => evidence.find((each) => each.step === step)
  const steps = await Promise.all([
    reviewStep(ctx, merchantId),
    callbackStep(ctx, { merchantId, callbackUrl, verified: found('callback_verified') }),
    testPaymentStep(found('test_payment')),
  ])
  return { complete: steps.every(({ done }) => done), steps }
}

/**
 * Stores that the live callback URL passed its checks; null removes that, because the URL failed or changed. The sandbox's URL does
 * not count, because real events never go there. Both worlds read what is stored.
 */
export async function noteCallbackEvidence(
  ctx: Context,
  db: Queryable,
  merchantId: string,
  verifiedUrl: string | null,
): Promise<void> {
  if (ctx.world !== 'live') return
  const step = 'callback_verified'
  if (verifiedUrl === null) return deleteEvidence(db, merchantId, step)
  await upsertEvidence(db, merchantId, { step, evidence: verifiedUrl, recordedAt: ctx.clock.now() })
}

/** Returns the payment of the sandbox that completed its step, with the time at which its event was accepted. Null if there is none. */
export async function findTestPayment(
  { db }: Context,
  merchantId: string,
): Promise<(TestPayment & Pick<EvidenceRecord, 'recordedAt'>) | null> {
  const found = (await listEvidence(db, merchantId)).find(({ step }) => step === 'test_payment')
  const payment = found && (await findSandboxPayment(db, merchantId, found.evidence))
  return payment ? { ...payment, recordedAt: found.recordedAt } : null
}

/** @throws AppError validation_failed if no domain of the merchant is reviewed. A reviewed page is enough only for pay links. */
export async function expectDomain(ctx: Context, merchantId: string): Promise<void> {
  if ((await listApprovedOrigins(ctx, merchantId)).length > 0) return
  throw new AppError('validation_failed', {
    reason: 'no_domain',
    message:
      "A live token is for a shop's own program, so it needs a reviewed domain. A shop that sells by links and posters alone needs no token.",
    next: [{ act: 'approve_origin', merchantId }],
  })
}

/** @throws AppError validation_failed that names each open step, and the acts that close them */
export async function expectOnboarded(ctx: Context, merchantId: string): Promise<void> {
  const { complete, steps } = await getOnboarding(ctx, merchantId)
  if (complete) return
  const open = steps.filter(({ done }) => !done)
  const lines = open.map(({ step, title, detail }) => `  ${step}: ${title}. ${detail}`)
  throw new AppError('validation_failed', {
    reason: 'not_onboarded',
    message: `Live tokens and live public keys need a completed onboarding. Still open:\n${lines.join('\n')}`,
    errors: Object.fromEntries(open.map(({ step, detail }) => [step, detail])),
    next: open.flatMap(({ next }) => next ?? []),
  })
}

async function reviewStep(ctx: Context, merchantId: string): Promise<Step> {
  const [origins, pages] = await Promise.all([
    listApprovedOrigins(ctx, merchantId),
    listApprovedPages(ctx, merchantId),
  ])
  const names = [...origins, ...pages].join(', ')
  return describe('domain_reviewed', 'The domain is reviewed, or the public page of a shop without a site', {
    done: names && `Approved: ${names}.`,
    open: 'No origin and no public page of the merchant is approved.',
    next: { act: 'approve_origin', merchantId },
  })
}

async function callbackStep(
  ctx: Context,
  given: { merchantId: string; callbackUrl: string | null; verified: EvidenceRecord | undefined },
): Promise<Step> {
  const { merchantId, callbackUrl, verified } = given
  const isUnset = ctx.world === 'live' && callbackUrl === null
  const isBook = (verified?.evidence ?? callbackUrl) === ORDER_BOOK_URL
  const title = isBook
    ? 'Somebody reads the order book of the shop'
    : 'The live callback URL is verified by signed test events'
  const passed = isBook
    ? 'The owner has opened the link of a test, and has seen the test payment there'
    : `${verified?.evidence} passed every check`
  return describe('callback_verified', title, {
    done: verified ? `${passed} at ${moment(verified.recordedAt)}.` : '',
    open: await whyUnverified(ctx, merchantId, callbackUrl),
    next: { act: isUnset ? 'set_callback' : 'verify_callback', merchantId, world: 'live' },
  })
}

/** Only the live world knows its own callback URL. */
async function whyUnverified(ctx: Context, merchantId: string, url: string | null): Promise<string> {
  if (ctx.world !== 'live')
    return 'No callback URL of the live world has passed the checks. The URL of the sandbox does not count.'
  if (url === null)
    return 'The merchant has no callback URL in the live world. A shop without a back end chooses the order book instead.'
  if (url === ORDER_BOOK_URL)
    return 'Nobody has opened the link of a test of the live order book yet, and pressed the button on its page. The page shows the test payment.'
  const check = await findLatestCallbackCheck(ctx.db, merchantId, url)
  if (!check) return `${url} has not been verified yet.`
  const missing = check.checks.filter(isFault).map(({ name }) => name)
  return `${url} did not pass: ${missing.join(', ') || check.failure}.`
}

async function testPaymentStep(test: EvidenceRecord | undefined): Promise<Step> {
  return describe('test_payment', 'A test payment was paid in the sandbox, and its event accepted', {
    done: test ? `Payment ${test.evidence}; its event was accepted at ${moment(test.recordedAt)}.` : '',
    open: 'The callback URL, or the order book, has not accepted an event of a payment that was paid in the sandbox. Buy something from the shop in the sandbox. A callback URL must answer its event with a 2xx status.',
    next: null,
  })
}

/** `done`: the evidence for the step; empty while the step is open. */
function describe(
  step: StepName,
  title: string,
  { done, open, next }: { done: string; open: string; next: NextAct | null },
): Step {
  const isDone = done !== ''
  return { step, title, done: isDone, detail: isDone ? done : open, next: isDone ? null : next }
}

/** This check of the callback only warns. It does not block the onboarding. */
export const WARNING = 'answers_fast'

/** Whether this check must pass before the callback counts as verified. */
export function isMandatory({ name }: Pick<CheckLine, 'name'>): boolean {
  return name !== WARNING
}

/** Whether this check is mandatory, was tried, and did not pass. */
export function isFault(line: CheckLine): boolean {
  return !line.passed && !line.skipped && isMandatory(line)
}
